/**
 * Players' keys in this browser: of the current player, of earlier ones, and one that was sent to the server but not
 * answered yet. A key is stored before it is sent, since losing it would mean losing the player.
 *
 * @typedef {{id: string, name: string, key: string}} Me
 * @typedef {{key: string, name?: string, from?: string}} Pending `name` for a new player; `from` is the key to replace
 */
import { keysOf, readFrom, writeTo } from '../common/storage.js';

const PLAYER = 'quadrille.player';
const EARLIER = 'quadrille.players';
const PENDING = 'quadrille.pending';

/** How many earlier players are remembered. */
const MOST = 12;

const put = (/** @type {Storage} */ storage, /** @type {string} */ key, /** @type {any} */ value) =>
  writeTo(storage, key, JSON.stringify(value));

/** The current player. @param {Storage} storage @returns {Me|null} */
export const current = (storage) => readFrom(storage, PLAYER, null);

/** Players who used this browser before and can do so again. @param {Storage} storage @returns {Me[]} */
export const earlier = (storage) => readFrom(storage, EARLIER, []);

const seatsOf = (/** @type {Storage} */ storage, /** @type {string} */ key) =>
  keysOf(storage, 'quadrille.seat.').filter((seat) => storage.getItem(seat) === key);

/**
 * Makes somebody the current player. The previous one is remembered with their seats; for the same player with a new
 * key, the seats are moved to that key. Returns whether the browser could store it.
 * @param {Storage} storage @param {Me} player
 */
export const become = (storage, player) => {
  const before = current(storage);
  const others = earlier(storage).filter(({ id }) => id !== player.id);
  if (before && before.id !== player.id) others.unshift(before);
  if (!put(storage, EARLIER, others.slice(0, MOST)) || !put(storage, PLAYER, player)) return false;
  if (before?.id === player.id && before.key !== player.key)
    for (const seat of seatsOf(storage, before.key)) storage.setItem(seat, player.key);
  return true;
};

/** Forgets a player, with everything that could act as them. @param {Storage} storage @param {Me} player */
export const leave = (storage, player) => {
  if (current(storage)?.id === player.id) storage.removeItem(PLAYER);
  put(
    storage,
    EARLIER,
    earlier(storage).filter(({ id }) => id !== player.id),
  );
  const waits = pending(storage);
  const keys = [player.key, ...(waits?.from === player.key ? [waits.key] : [])];
  for (const key of keys) for (const seat of seatsOf(storage, key)) storage.removeItem(seat);
  if (waits?.from === player.key) storage.removeItem(PENDING);
};

/** The request that has not been answered yet. @param {Storage} storage @returns {Pending|null} */
export const pending = (storage) => readFrom(storage, PENDING, null);

/**
 * The key to send: the one sent in an earlier attempt, or a fresh one, which is stored first. Null if the browser
 * cannot store it: then nothing may be sent.
 * @param {Storage} storage @param {{name?: string, from?: string}} what @param {() => string} fresh
 */
export const propose = (storage, { name, from }, fresh) => {
  const before = pending(storage);
  if (before && before.name === name && before.from === from) return before.key;
  const key = fresh();
  return put(storage, PENDING, { key, name, from }) ? key : null;
};

/** The request was answered. @param {Storage} storage */
export const answered = (storage) => storage.removeItem(PENDING);

/**
 * Finds out what became of a key whose request got no answer.
 * @param {Storage} storage @param {(key: string) => Promise<{id: string, name: string}>} ask looks up the player with a
 *   key, and is refused with 401 if there is none
 */
export const resolve = async (storage, ask) => {
  const waits = pending(storage);
  if (!waits) return;
  try {
    const { id, name } = await ask(waits.key);
    if (become(storage, { id, name, key: waits.key })) answered(storage);
  } catch (error) {
    // If there is no answer either, the next visit asks again.
    if (/** @type {any} */ (error).status === 401) answered(storage);
  }
};
