// Runs the program of the pages as their Worker does. The engine's data files are handed over first, as NAME=FILE up to
// `--`. With further arguments it is given those; without, each line of standard input is a request, and an empty line
// follows its answers.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { createProgram } from '../../server/web/program/wasi.js';

const file = new URL('../../server/web/quadrille.wasm.gz', import.meta.url);
const run = createProgram(new WebAssembly.Module(gunzipSync(readFileSync(file))));
const print = (line) => process.stdout.write(`${line}\n`);
const words = process.argv.slice(2);
const parts = words.slice(0, words.indexOf('--'));
const args = words.slice(parts.length + 1);
for (const part of parts) {
  const [name, path] = part.split('=');
  const code = run({
    args: ['part', name],
    input: readFileSync(path),
    onLine: print,
    onError: (line) => console.error(line),
  });
  if (code !== 0) process.exit(code);
}
if (args.length > 0) process.exitCode = run({ args, onLine: print });
else {
  for (const input of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
    run({ input, onLine: print });
    print('');
  }
}
