/**
 * Requests to the rules and the engine, which run in Workers: nothing here needs a server once the program has been
 * fetched. One Worker answers requests about the rules in order; each search has a Worker of its own, which is
 * terminated when the search is no longer wanted.
 */
import { fileAt } from '../address.js';
import { Refused } from '../common/refused.js';
import { reach } from '../connection/reach.js';

/** @type {Record<string, number>} */
const STATUS = {
  'not-understood': 400,
  'not-there': 404,
  conflict: 409,
};

/**
 * Fetches a file of this version, retrying until it can be reached.
 * @template T @param {string} name @param {(answer: Response) => Promise<T>} read @returns {Promise<T>}
 */
export const fetchFile = async (name, read) => {
  for (;;) {
    try {
      const answer = await fetch(fileAt(name));
      if (!answer.ok) throw new Error(`${name} could not be fetched: ${answer.status}`);
      return await read(answer);
    } catch (error) {
      // If the file arrived but is malformed, another attempt would not help.
      if (error instanceof WebAssembly.CompileError) throw error;
      reach.lost();
      await reach.back();
    }
  }
};

/** A page's own text. @param {string} name @returns {Promise<string>} */
export const fetchText = (name) => fetchFile(name, (answer) => answer.text());

const fetchProgram = () =>
  fetchFile('quadrille.wasm', async (answer) => {
    // Not every host serves the right content type.
    const known = answer.headers.get('content-type') === 'application/wasm';
    return known
      ? WebAssembly.compileStreaming(answer)
      : WebAssembly.compile(await answer.arrayBuffer());
  });

/** The engine's data files, by name. @type {Map<string, Promise<Uint8Array>>} */
const parts = new Map();

/**
 * A certificate, or nothing: large ones are not cached in advance, and offline the engine can do without.
 * @param {string} name @param {(answer: Response) => Promise<Uint8Array>} read
 */
const fetchProof = async (name, read) => {
  try {
    const answer = await fetch(fileAt(name));
    if (answer.ok) return await read(answer);
  } catch {
    // Workers started later ask for it again.
  }
  parts.delete(name);
  return new Uint8Array();
};

const fetchPart = (/** @type {string} */ name) => {
  const known = parts.get(name);
  if (known) return known;
  const read = async (/** @type {Response} */ answer) => new Uint8Array(await answer.arrayBuffer());
  const coming = name.endsWith('.proof') ? fetchProof(name, read) : fetchFile(name, read);
  parts.set(name, coming);
  return coming;
};

/** @type {Promise<WebAssembly.Module>|null} */
let program = null;

/**
 * @typedef {{number: number, onAnswer: (answer: any) => void, resolve: () => void,
 *   reject: (error: Error) => void}} Asked
 * @typedef {{worker: Worker, asked: Map<number, Asked>, dead: boolean}} Helper
 */

let count = 0;

/** @returns {Promise<Helper>} */
const start = async () => {
  program ??= fetchProgram();
  program.catch(() => {
    program = null;
  });
  const module = await program;
  const worker = new Worker(fileAt('worker.js'), { type: 'module' });
  /** @type {Helper} */
  const helper = { worker, asked: new Map(), dead: false };
  worker.addEventListener('message', ({ data }) => {
    const one = helper.asked.get(data.number);
    if (!one) return;
    if (data.answer !== undefined) {
      one.onAnswer(JSON.parse(data.answer));
      return;
    }
    helper.asked.delete(data.number);
    if (data.failed) one.reject(new Error(data.failed));
    else one.resolve();
  });
  worker.addEventListener('error', () => {
    helper.dead = true;
    for (const one of helper.asked.values()) one.reject(new Error('the rules could not be loaded'));
    helper.asked.clear();
    if (helper === rules?.helper) rules = null;
  });
  worker.postMessage({ module });
  return helper;
};

/** @param {Helper} helper @param {object} message @param {(answer: any) => void} onAnswer @returns {Promise<void>} */
const send = (helper, message, onAnswer) =>
  new Promise((resolve, reject) => {
    const number = ++count;
    helper.asked.set(number, { number, resolve, reject, onAnswer });
    helper.worker.postMessage({ ...message, number });
  });

/**
 * @param {Helper} helper @param {string} ask @param {object} fields @param {(answer: any) => void} onAnswer
 * @returns {Promise<void>}
 */
const post = async (helper, ask, fields, onAnswer) => {
  const request = JSON.stringify({ ...fields, ask });
  for (;;) {
    /** @type {any} */
    let refused = null;
    await send(helper, { request }, ({ id: _, ...answer }) => {
      if (answer.error === undefined) onAnswer(answer);
      else refused = answer;
    });
    if (!refused) return;
    const { needs = [], kind, error, field } = refused;
    if (needs.length === 0) throw new Refused(STATUS[kind] ?? 422, error, field);
    // If a data file is refused, give up: the others come from the same place.
    const bytes = await Promise.all(needs.map(fetchPart));
    await Promise.all(
      needs.map((/** @type {string} */ part, /** @type {number} */ i) =>
        send(helper, { part, bytes: bytes[i] }, () => {}),
      ),
    );
  }
};

/** @type {{helper: Helper|null, started: Promise<Helper>}|null} */
let rules = null;

const ofRules = () => {
  if (!rules) {
    const mine = { helper: /** @type {Helper|null} */ (null), started: start() };
    mine.started.then(
      (helper) => {
        mine.helper = helper;
      },
      () => {
        if (rules === mine) rules = null;
      },
    );
    rules = mine;
  }
  return rules.started;
};

/** A request as a key: missing and empty fields are the same. @param {string} kind @param {object} fields */
const nameOf = (kind, fields) =>
  JSON.stringify(
    Object.entries({ ...fields, ask: kind })
      .filter(([, value]) => !['false', 'null', '[]', '{}'].includes(JSON.stringify(value ?? null)))
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );

/** Answers that are already known, by request. @type {Map<string, any>} */
const known = new Map();

/** Adds a known answer. @param {string} kind @param {object} fields @param {any} answer */
export const note = (kind, fields, answer) => known.set(nameOf(kind, fields), answer);

/** Adds the answers embedded in the document, with the drawings that it shows. */
const noteAnswers = () => {
  const data = globalThis.document?.getElementById('answers')?.textContent ?? '[]';
  const answers = /** @type {[any, any][]} */ (JSON.parse(data));
  answers.forEach(([{ ask: kind, ...fields }, answer], i) => {
    const drawn = document.querySelector(`[data-answer="${i}"] > svg`);
    const svg = drawn && new XMLSerializer().serializeToString(drawn);
    note(kind, fields, svg ? { ...answer, svg } : answer);
  });
};
noteAnswers();

/** Starts the Worker for the rules in advance. */
export const warm = () => {
  ofRules().catch(() => {});
};

/**
 * A request to the rules, which needs no search.
 * @param {string} kind @param {object} [fields] @returns {Promise<any>}
 */
export const ask = async (kind, fields = {}) => {
  const before = known.get(nameOf(kind, fields));
  if (before) return before;
  let last = /** @type {any} */ (null);
  await post(await ofRules(), kind, fields, (answer) => {
    last = answer;
  });
  return last;
};

/** Workers that have finished a search and can be reused; each keeps its transposition tables. @type {Helper[]} */
const idle = [];
const MOST_IDLE = 1;

/** @param {Helper} helper */
const rest = (helper) => {
  if (idle.length < MOST_IDLE) idle.push(helper);
  else helper.worker.terminate();
};

/**
 * Starts a search that streams its answers. Aborting the signal terminates it at once.
 * @param {string} kind @param {object} fields @param {(answer: any) => void} onAnswer @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
export const think = async (kind, fields, onAnswer, signal) => {
  const helper = idle.pop() ?? (await start());
  if (signal?.aborted) {
    rest(helper);
    throw signal.reason;
  }
  const ended = new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  try {
    await Promise.race([post(helper, kind, fields, onAnswer), ended]);
    rest(helper);
  } catch (error) {
    if (signal?.aborted || helper.dead) helper.worker.terminate();
    else rest(helper);
    throw error;
  }
};

/**
 * The last answer of a search.
 * @param {string} kind @param {object} fields @param {AbortSignal} [signal] @returns {Promise<any>}
 */
export const thought = async (kind, fields, signal) => {
  let last = /** @type {any} */ (null);
  await think(
    kind,
    fields,
    (answer) => {
      last = answer;
    },
    signal,
  );
  return last;
};
