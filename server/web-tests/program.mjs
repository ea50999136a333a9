// The program of the pages, asked as their Worker asks it.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { createProgram } from '../web/program/wasi.js';

const packed = readFileSync(new URL('../web/quadrille.wasm.gz', import.meta.url));
const run = createProgram(new WebAssembly.Module(gunzipSync(packed)));

/** The answer; throws where the program refuses. */
export const ask = async (kind, fields) => {
  let last = null;
  run({
    input: JSON.stringify({ ...fields, ask: kind }),
    onLine: (line) => {
      last = JSON.parse(line);
    },
  });
  if (last.error) throw new Error(last.error);
  return last;
};
