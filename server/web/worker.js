/**
 * A Worker: requests to the rules and the engine arrive as messages, and answers are sent as they are found. The
 * engine's data files arrive the same way, once it has asked for them.
 */
import { createProgram } from './program/wasi.js';

/** @type {ReturnType<typeof createProgram>} */
let run;

const onError = (/** @type {string} */ words) => console.error(words);

addEventListener('message', ({ data }) => {
  if (data.module) {
    run = createProgram(data.module);
    return;
  }
  const { number, request, part, bytes } = data;
  try {
    const code = part
      ? run({ args: ['part', part], input: bytes, onLine: () => {}, onError })
      : run({ input: request, onLine: (answer) => postMessage({ number, answer }), onError });
    postMessage(
      code === 0
        ? { number, done: true }
        : { number, failed: part ? `${part} was refused` : `exited with code ${code}` },
    );
  } catch (error) {
    postMessage({ number, failed: String(error) });
  }
});
