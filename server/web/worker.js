/** A Worker: requests to rules and engine come in as messages, answers go out as they are found. */
import { createProgram } from './wasi.js';

/** @type {ReturnType<typeof createProgram>} */
let run;

addEventListener('message', ({ data }) => {
  if (data.module) {
    run = createProgram(data.module);
    return;
  }
  const { number, request } = data;
  try {
    run({ input: request, onLine: (answer) => postMessage({ number, answer }), onError: (words) => console.error(words) });
    postMessage({ number, done: true });
  } catch (error) {
    postMessage({ number, failed: String(error) });
  }
});
