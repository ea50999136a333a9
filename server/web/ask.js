/**
 * Asks rules and engine, which run beside the page: nothing here needs a server once the program has been fetched.
 * What the rules know is answered by one Worker in turn; each thought has a Worker of its own, which is ended when
 * nobody wants the thought any more.
 */
import { Refused } from './refused.js';
import { reach } from './reach.js';

/** @type {Record<string, number>} */
const STATUS = { 'not-understood': 400, 'not-there': 404, 'against-the-rules': 422, 'too-much': 422 };

const fetchProgram = async () => {
  for (;;) {
    try {
      const answer = await fetch(new URL('./quadrille.wasm', import.meta.url));
      if (!answer.ok) throw new Error(`the program was answered with ${answer.status}`);
      // Not every host knows what kind of file it is.
      const known = answer.headers.get('content-type') === 'application/wasm';
      return await (known ? WebAssembly.compileStreaming(answer) : WebAssembly.compile(await answer.arrayBuffer()));
    } catch (error) {
      // A file that came but is no program will not be one the next time.
      if (error instanceof WebAssembly.CompileError) throw error;
      reach.lost();
      await reach.back();
    }
  }
};

/** @type {Promise<WebAssembly.Module>|null} */
let program = null;

/**
 * @typedef {{number: number, onAnswer: (answer: any) => void, resolve: () => void, reject: (error: Error) => void}} Asked
 * @typedef {{worker: Worker, asked: Map<number, Asked>}} Helper
 */

let count = 0;

/** @returns {Promise<Helper>} */
const start = async () => {
  const module = await (program ??= fetchProgram());
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  /** @type {Helper} */
  const helper = { worker, asked: new Map() };
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
    for (const one of helper.asked.values()) one.reject(new Error('the rules could not be loaded'));
    helper.asked.clear();
    if (helper === rules?.helper) rules = null;
  });
  worker.postMessage({ module });
  return helper;
};

/** @param {Helper} helper @param {string} ask @param {object} fields @param {(answer: any) => void} onAnswer @returns {Promise<void>} */
const post = (helper, ask, fields, onAnswer) => new Promise((resolve, reject) => {
  const number = ++count;
  helper.asked.set(number, {
    number,
    resolve,
    reject,
    onAnswer: ({ id: _, ...answer }) => {
      if (answer.error === undefined) onAnswer(answer);
      else reject(new Refused(STATUS[answer.kind] ?? 422, answer.error, answer.field));
    },
  });
  helper.worker.postMessage({ number, request: JSON.stringify({ ...fields, ask }) });
});

/** @type {{helper: Helper|null, started: Promise<Helper>}|null} */
let rules = null;

const ofRules = () => {
  if (!rules) {
    const mine = { helper: /** @type {Helper|null} */ (null), started: start() };
    mine.started.then((helper) => { mine.helper = helper; }, () => { if (rules === mine) rules = null; });
    rules = mine;
  }
  return rules.started;
};

/** What the rules say, which takes no thought. @param {string} kind @param {object} [fields] @returns {Promise<any>} */
export const ask = async (kind, fields = {}) => {
  let last = /** @type {any} */ (null);
  await post(await ofRules(), kind, fields, (answer) => { last = answer; });
  return last;
};

/** Workers that have thought and may think again. @type {Helper[]} */
const idle = [];

/**
 * Lets the engine think, and tells what it finds on the way. It ends at once when the signal says so.
 * @param {string} kind @param {object} fields @param {(answer: any) => void} onAnswer @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
export const think = async (kind, fields, onAnswer, signal) => {
  const helper = idle.pop() ?? await start();
  if (signal?.aborted) {
    idle.push(helper);
    throw signal.reason;
  }
  const ended = new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  try {
    await Promise.race([post(helper, kind, fields, onAnswer), ended]);
    idle.push(helper);
  } catch (error) {
    if (signal?.aborted) helper.worker.terminate();
    else idle.push(helper);
    throw error;
  }
};

/** The last answer of a thought. @param {string} kind @param {object} fields @param {AbortSignal} [signal] @returns {Promise<any>} */
export const thought = async (kind, fields, signal) => {
  let last = /** @type {any} */ (null);
  await think(kind, fields, (answer) => { last = answer; }, signal);
  return last;
};
