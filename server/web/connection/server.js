/** Requests to the server. */
import { below } from '../address.js';
import { Refused } from '../common/refused.js';
import { reach, sleep } from './reach.js';

/** The timeout of a request. */
const ANSWER_WITHIN = 8_000;

/** Errors that mean "not now" rather than a refusal. */
const isAway = (/** @type {any} */ error) =>
  error instanceof Refused && [0, 502, 503, 504].includes(error.status);

/** The error for a request without an answer. */
const unanswered = () => {
  reach.lost();
  return new Refused(0, 'the server does not answer');
};

/** @param {string} path @param {string|null|undefined} token @param {any} [body] @param {string} [method] */
const request = async (path, token, body, method = body === undefined ? 'GET' : 'POST') => {
  /** @type {Record<string, string>} */
  const headers = {};
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (token) headers.authorization = `Bearer ${token}`;
  let response;
  try {
    response = await fetch(below(`api/${path}`), {
      method,
      headers,
      signal: AbortSignal.timeout(ANSWER_WITHIN),
      body: body && JSON.stringify(body),
    });
  } catch {
    throw unanswered();
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

/** The body of an answer; a truncated one counts as no answer. @param {Promise<Response>} asked */
const bodyOf = async (asked) => {
  const response = await asked;
  try {
    const body = await response.json();
    reach.found();
    return body;
  } catch {
    throw unanswered();
  }
};

/** @param {string} path @param {string|null} [token] */
export const getJson = (path, token) => bodyOf(request(path, token));
/** @param {string} path @param {any} body @param {string|null} [token] */
export const postJson = (path, body, token) => bodyOf(request(path, token, body));

/** @param {string} path @param {string} token */
export const deleteJson = (path, token) => bodyOf(request(path, token, undefined, 'DELETE'));

/**
 * Repeats a request until it is answered, waiting while the server is away.
 * @template T @param {() => Promise<T>} ask safe to repeat @returns {Promise<T>}
 */
export const patient = async (ask) => {
  for (let tries = 0; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      const tooMany = /** @type {any} */ (error).status === 429;
      if (!isAway(error) && !tooMany) throw error;
      // Others may be answered while this request is not, so wait a while in any case.
      await Promise.all([reach.back(), sleep(tooMany ? 1_500 : Math.min(2_000, 100 * 2 ** tries))]);
    }
  }
};
