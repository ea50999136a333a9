/**
 * The keys of players that a browser keeps: of who plays here now, of who did before, and one that was sent to the server
 * and is not answered yet. A key is kept before it is sent, since whoever loses it loses the player.
 *
 * @typedef {{id: string, name: string, key: string}} Me
 * @typedef {{key: string, name?: string, from?: string}} Pending `name` is wanted by somebody new; `from` is the key that is
 *   to be replaced
 */
import { keysOf, readFrom, writeTo } from '../common/storage.js';

const PLAYER = 'quadrille.player';
const EARLIER = 'quadrille.players';
const PENDING = 'quadrille.pending';

/** How many players a browser remembers who do not play now. */
const MOST = 12;

const put = (/** @type {Storage} */ storage, /** @type {string} */ key, /** @type {any} */ value) =>
  writeTo(storage, key, JSON.stringify(value));

/** The player at this browser. @param {Storage} storage @returns {Me|null} */
export const current = (storage) => readFrom(storage, PLAYER, null);

/** Who has played here before, and can again. @param {Storage} storage @returns {Me[]} */
export const earlier = (storage) => readFrom(storage, EARLIER, []);

const seatsOf = (/** @type {Storage} */ storage, /** @type {string} */ key) =>
  keysOf(storage, 'quadrille.seat.').filter((seat) => storage.getItem(seat) === key);

/**
 * Somebody plays here from now on. Who did before is kept, with their seats; of the same player with another key the seats
 * get that one. Says whether the browser can keep it.
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

/** Forgets a player with everything that could play as them. @param {Storage} storage @param {Me} player */
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

/** What is not answered yet. @param {Storage} storage @returns {Pending|null} */
export const pending = (storage) => readFrom(storage, PENDING, null);

/**
 * The key to send: the one that was sent before for the same, or a fresh one, which is kept first. Nothing where the browser
 * keeps nothing: then nothing may be sent.
 * @param {Storage} storage @param {{name?: string, from?: string}} what @param {() => string} fresh
 */
export const propose = (storage, { name, from }, fresh) => {
  const before = pending(storage);
  if (before && before.name === name && before.from === from) return before.key;
  const key = fresh();
  return put(storage, PENDING, { key, name, from }) ? key : null;
};

/** It is answered. @param {Storage} storage */
export const answered = (storage) => storage.removeItem(PENDING);

/**
 * Finds out what became of a key whose answer was lost.
 * @param {Storage} storage @param {(key: string) => Promise<{id: string, name: string}>} ask who has a key, refused with 401
 *   where nobody has
 */
export const resolve = async (storage, ask) => {
  const waits = pending(storage);
  if (!waits) return;
  try {
    const { id, name } = await ask(waits.key);
    if (become(storage, { id, name, key: waits.key })) answered(storage);
  } catch (error) {
    // Without an answer it stays as it is, and the next visit asks again.
    if (/** @type {any} */ (error).status === 401) answered(storage);
  }
};
