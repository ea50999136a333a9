/** Requests: to the rules beside the page, and to the server for what only it has. */
import { below, pageAt, toPath } from './address.js';
import { ask } from './ask.js';
import { reach, sleep } from './reach.js';
import { Refused } from './refused.js';

export { Refused };

/**
 * @typedef {{stage: string, label: string, cell: number|null}} Tap
 * @typedef {{from: number, to: number|null, height: number}} Travel
 * @typedef {{placed: number|null, travels: Travel[]}} Trace
 * @typedef {{text: string, taps: Tap[], trace: Trace, ends: boolean}} Step
 * @typedef {{name: string, at: [number, number], says: string}} Cell
 * @typedef {{name: string, tint: string, count: string, reserve: number|null}} Seat
 * @typedef {{game: string, options: object, position: object, text: string, turn: 1|2, over: boolean,
 *   winner: 1|2|'draw'|null, in_turn: boolean, status: string, count: number, round: number, svg: string,
 *   size: [number, number], cells: Cell[], players: [Seat, Seat], steps: Step[], turns: string[],
 *   last: Trace[], winning: number[], seed: {value: [number, number]}}} View
 * @typedef {{game: string, options?: object, position?: object|string|null, turns?: string[]}} Place
 * @typedef {{name: string, about: string, values: (string|number)[], default: string|number}} Option
 * @typedef {{id: string, name: string, tagline: string, players: [string, string], options: Option[],
 *   seeds: {id: string, name: string, about: string}[], brushes: {id: string, label: string}[],
 *   start: string, picture: string}} GameInfo
 * @typedef {{games: GameInfo[], levels: {number: number, name: string, about: string}[]}} Catalogue
 */

/** How long an answer may take. */
const ANSWER_WITHIN = 8_000;

/** What does not refuse a request but cannot answer it now. */
const isAway = (/** @type {any} */ error) =>
  error instanceof Refused && [0, 502, 503, 504].includes(error.status);

/** @param {string} path @param {{body?: any, token?: string|null, signal?: AbortSignal, within?: number}} [how] */
const request = async (path, { body, token, signal, within } = {}) => {
  /** @type {Record<string, string>} */
  const headers = {};
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (token) headers.authorization = `Bearer ${token}`;
  const limits = [signal, within ? AbortSignal.timeout(within) : undefined].filter(
    (one) => one !== undefined,
  );
  let response;
  try {
    response = await fetch(below(`api/${path}`), {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      signal:
        limits.length > 0 ? AbortSignal.any(/** @type {AbortSignal[]} */ (limits)) : undefined,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    reach.lost();
    throw new Refused(0, 'the server does not answer', undefined);
  }
  if (response.ok) return response;
  const reason = await response.json().catch(() => ({}));
  const refusal = new Refused(
    response.status,
    reason.error ?? `the server answered ${response.status}`,
    reason.field,
  );
  if (isAway(refusal)) reach.lost();
  else reach.found();
  throw refusal;
};

/** The body of an answer; one that breaks off was none. @param {Promise<Response>} asked */
const bodyOf = async (asked) => {
  const response = await asked;
  try {
    const body = await response.json();
    reach.found();
    return body;
  } catch {
    reach.lost();
    throw new Refused(0, 'the server does not answer', undefined);
  }
};

/** @param {string} path @param {string|null} [token] */
export const getJson = (path, token) => bodyOf(request(path, { token, within: ANSWER_WITHIN }));
/** @param {string} path @param {any} body @param {string|null} [token] */
export const postJson = (path, body, token) =>
  bodyOf(request(path, { body, token, within: ANSWER_WITHIN }));

/**
 * Asks until there is an answer: while the server is away, this waits for it to come back.
 * @template T @param {() => Promise<T>} ask safe to repeat @returns {Promise<T>}
 */
export const patient = async (ask) => {
  for (let tries = 0; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      const tooMany = /** @type {any} */ (error).status === 429;
      if (!isAway(error) && !tooMany) throw error;
      // Others may be answered while this is not: it gives them some time in any case.
      await Promise.all([reach.back(), sleep(tooMany ? 1_500 : Math.min(2_000, 100 * 2 ** tries))]);
    }
  }
};

/** @type {Promise<Catalogue>|null} */
let shelf = null;
/** What there is to play; asked for once. @type {() => Promise<Catalogue>} */
export const catalogue = () =>
  (shelf ??= fetch(new URL('./catalogue.json', import.meta.url)).then(
    (answer) => (answer.ok ? answer.json() : ask('catalogue')),
    () => ask('catalogue'),
  ));

/** @type {Map<string, Promise<View>>} */
const seen = new Map();
const MOST_SEEN = 200;

/** A position as it is shown; asked for once. @param {Place} place @param {boolean} flipped @returns {Promise<View>} */
export const view = (place, flipped = false) => {
  const body = { ...place, flipped };
  const key = JSON.stringify(body);
  const known = seen.get(key);
  if (known) return known;
  const asked = ask('view', body);
  asked.catch(() => seen.delete(key));
  seen.set(key, asked);
  if (seen.size > MOST_SEEN) seen.delete(/** @type {string} */ (seen.keys().next().value));
  return asked;
};

/** The address that asks how to play on from a position. @param {View} view */
export const playLink = (view) =>
  pageAt('', `?new=${view.game}&position=${encodeURIComponent(toPath(view.text))}`);
