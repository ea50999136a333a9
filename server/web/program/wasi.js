/**
 * Runs the WebAssembly program of rules and engine, with the parts of WASI that it uses: lines of input and output, and
 * a clock.
 */

const DONE = 0;
const NO_SUCH_FILE = 8;
const NOT_HERE = 52;

const STDIN = 0;

/** Thrown when the program exits. */
class Exit extends Error {
  /** @param {number} code */
  constructor(code) {
    super(`ended with ${code}`);
    this.code = code;
  }
}

/** Collects bytes and emits complete lines. @param {(line: string) => void} onLine */
const lines = (onLine) => {
  const decoder = new TextDecoder();
  let rest = '';
  return (/** @type {Uint8Array} */ bytes) => {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    parts.forEach(onLine);
  };
};

/**
 * @typedef {{input?: string|Uint8Array, args?: string[], onLine: (line: string) => void,
 *   onError?: (line: string) => void}} Run
 */

/** An instance that can be run repeatedly. @param {WebAssembly.Module} module @returns {(how: Run) => number} */
const instantiate = (module) => {
  const encoder = new TextEncoder();
  /** @type {Uint8Array} */
  let unread = encoder.encode('');
  /** @type {Uint8Array[]} */
  let words = [];
  /** @type {((bytes: Uint8Array) => void)[]} */
  let out = [];
  /** @type {WebAssembly.Memory} */
  let memory;
  const data = () => new DataView(memory.buffer);
  const bytes = (/** @type {number} */ at, /** @type {number} */ size) =>
    new Uint8Array(memory.buffer, at, size);
  const note = (/** @type {number} */ at, /** @type {number} */ value) =>
    data().setUint32(at, value, true);

  /** The memory slices described by a list of addresses and lengths. */
  const pieces = (/** @type {number} */ list, /** @type {number} */ count) =>
    Array.from({ length: count }, (_, i) => {
      const at = list + 8 * i;
      return bytes(data().getUint32(at, true), data().getUint32(at + 4, true));
    });

  /** @type {Record<string, (...numbers: any[]) => number>} */
  const calls = {
    fd_read: (fd, list, count, readAt) => {
      if (fd !== STDIN) return NO_SUCH_FILE;
      let read = 0;
      for (const piece of pieces(list, count)) {
        const part = unread.subarray(0, piece.length);
        piece.set(part);
        unread = unread.subarray(part.length);
        read += part.length;
      }
      note(readAt, read);
      return DONE;
    },
    fd_write: (fd, list, count, writtenAt) => {
      if (!out[fd]) return NO_SUCH_FILE;
      let written = 0;
      for (const piece of pieces(list, count)) {
        out[fd](piece);
        written += piece.length;
      }
      note(writtenAt, written);
      return DONE;
    },
    clock_time_get: (_clock, _precision, at) => {
      data().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
      return DONE;
    },
    random_get: (at, size) => {
      crypto.getRandomValues(bytes(at, size));
      return DONE;
    },
    args_sizes_get: (countAt, sizeAt) => {
      note(countAt, words.length);
      note(
        sizeAt,
        words.reduce((sum, word) => sum + word.length, 0),
      );
      return DONE;
    },
    args_get: (list, room) => {
      words.reduce((at, word, i) => {
        note(list + 4 * i, at);
        bytes(at, word.length).set(word);
        return at + word.length;
      }, room);
      return DONE;
    },
    environ_sizes_get: (countAt, sizeAt) => {
      note(countAt, 0);
      note(sizeAt, 0);
      return DONE;
    },
    environ_get: () => DONE,
    // The program has no access to folders.
    fd_prestat_get: () => NO_SUCH_FILE,
    proc_exit: (code) => {
      throw new Exit(code);
    },
  };
  const imports = WebAssembly.Module.imports(module).map(({ name }) => [
    name,
    calls[name] ?? (() => NOT_HERE),
  ]);
  const instance = new WebAssembly.Instance(module, {
    wasi_snapshot_preview1: Object.fromEntries(imports),
  });
  const { memory: own, _start: start, __main_void: again } = /** @type {any} */ (instance.exports);
  memory = own;
  let main = start;
  return ({ input = '', args = [], onLine, onError = () => {} }) => {
    unread = typeof input === 'string' ? encoder.encode(input) : input;
    words = ['quadrille', ...args].map((word) => encoder.encode(`${word}\0`));
    out = [() => {}, lines(onLine), lines(onError)];
    try {
      main();
      main = again;
      return 0;
    } catch (error) {
      if (error instanceof Exit) return error.code;
      throw error;
    }
  };
};

/**
 * A program that can be run repeatedly. What it has created stays for the next run, most importantly the engines; after
 * a failure it starts afresh.
 * @param {WebAssembly.Module} module @returns {(how: Run) => number} returns the exit code
 */
export const createProgram = (module) => {
  /** @type {((how: Run) => number)|null} */
  let run = null;
  return (how) => {
    const now = run ?? instantiate(module);
    run = null;
    const code = now(how);
    if (code === 0) run = now;
    return code;
  };
};
