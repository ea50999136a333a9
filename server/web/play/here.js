/** What is found out about the position that is looked at, which may be another one by then. */
import { placeKey } from './making.js';

/**
 * Whether two places are the same.
 * @param {import('../program/views.js').Place} one @param {import('../program/views.js').Place} other
 */
export const isSame = (one, other) => placeKey(one) === placeKey(other);

/**
 * Uses an answer about the position that is looked at, at the moment it comes. If another one is looked at by then,
 * it is dropped, and so is an error.
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
