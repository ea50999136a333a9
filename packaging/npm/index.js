/**
 * Rules, engine, puzzles and proofs of Quadrille in WebAssembly. Requests and answers are those of `quadrille query`
 * (docs/requests.md in the repository).
 */
import { createProgram } from './wasi.js';

/** Reads a file that lies beside this one, in Node as in a browser. */
const beside = async (name) => {
  const at = new URL(name, import.meta.url);
  if (at.protocol !== 'file:') {
    const answer = await fetch(at);
    if (!answer.ok) throw new Error(`${at} was answered with ${answer.status}`);
    return new Uint8Array(await answer.arrayBuffer());
  }
  // Bundlers for browsers must not look for it.
  const files = 'node:fs/promises';
  const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ files);
  return new Uint8Array(await readFile(at));
};

/** A request that was refused: `kind` says how, `field` which field is at fault. */
export class Refused extends Error {
  constructor({ error, kind, field }) {
    super(error);
    this.name = 'Refused';
    this.kind = kind;
    this.field = field;
  }
}

/** Loads the program. `read` may get the package's files from elsewhere. */
export const load = async ({ read = beside } = {}) => {
  const run = createProgram(await WebAssembly.compile(await read('quadrille.wasm')));
  const call = (how) => {
    const lines = [];
    let words = '';
    const code = run({ ...how, onLine: (line) => lines.push(line), onError: (line) => (words = line) });
    if (code !== 0) throw new Error(words || `the program ended with ${code}`);
    return lines;
  };
  /** All answers to a request; the engine's data files are read when they are first needed. */
  const stream = async (request) => {
    for (;;) {
      const answers = call({ input: JSON.stringify(request) }).map((line) => {
        const { id, ...answer } = JSON.parse(line);
        return request.id === undefined ? answer : { id, ...answer };
      });
      const refused = answers.find((answer) => 'error' in answer);
      if (!refused) return answers;
      if (refused.kind !== 'not-yet') throw new Refused(refused);
      for (const part of refused.needs) call({ args: ['part', part], input: await read(`parts/${part}`) });
    }
  };
  const ask = async (request) => (await stream(request)).at(-1);
  return { ask, stream, version: call({ args: ['version'] })[0] };
};
