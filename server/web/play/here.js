/** Answers about the current position, which may have changed by the time they arrive. */
import { placeKey } from './making.js';

/**
 * Whether two places are the same.
 * @param {import('../program/views.js').Place} one @param {import('../program/views.js').Place} other
 */
export const isSame = (one, other) => placeKey(one) === placeKey(other);

/**
 * Finds something out about the current position and uses the answer at once. If the position has changed meanwhile,
 * the answer or error is dropped.
 * @template A, U @param {() => import('../program/views.js').Place} here
 * @param {(place: import('../program/views.js').Place) => Promise<A>} find
 * @param {(answer: A) => U} use @returns {Promise<Awaited<U>|null>}
 */
export const aboutHere = async (here, find, use) => {
  const place = here();
  try {
    const answer = await find(place);
    if (!isSame(place, here())) return null;
    return await use(answer);
  } catch (error) {
    if (isSame(place, here())) throw error;
    return null;
  }
};
