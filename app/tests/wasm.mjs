// Runs the program of the pages as their Worker does. With arguments it is given them; without, each line of
// standard input is a request, and an empty line follows its answers.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { createProgram } from '../../server/web/wasi.js';

const file = new URL('../../server/web/quadrille.wasm.gz', import.meta.url);
const run = createProgram(new WebAssembly.Module(gunzipSync(readFileSync(file))));
const args = process.argv.slice(2);
const print = (line) => process.stdout.write(`${line}\n`);
if (args.length > 0) process.exitCode = run({ args, onLine: print });
else {
  for (const input of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
    run({ input, onLine: print });
    print('');
  }
}
