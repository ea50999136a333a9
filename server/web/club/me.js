/** Who sits at this browser: a player with a key, or a guest with a secret. Both stay in the browser's storage. */
import { gameAt } from '../address.js';
import { forever, read, write } from '../common/storage.js';
import { getJson } from '../connection/server.js';
import { rememberGame } from '../table/mine.js';
import { freshSecret, hold, whoOf } from '../table/seats.js';
import { current } from './keys.js';

const GUEST = 'quadrille.guest';

/** How the key of a player begins. */
export const PREFIX = 'pk-';

/** @param {Uint8Array<ArrayBuffer>} bytes */
const random = (bytes) => crypto.getRandomValues(bytes);

/** A new key. */
export const freshKey = () => PREFIX + freshSecret(/** @type {any} */ (random));

/** The player at this browser. */
export const me = () => current(forever);

/** What a guest is known by. */
const guest = () => {
  const known = read(GUEST, null);
  if (known) return known;
  const secret = freshSecret(/** @type {any} */ (random));
  write(GUEST, secret);
  return secret;
};

/** What shows the server who asks. */
export const token = () => me()?.key ?? guest();

/**
 * Takes the seat in a game that was arranged in the lobby, and goes there.
 * @param {string} id
 */
export const goTo = async (id) => {
  const own = token();
  const game = await getJson(`games/${id}`, own);
  hold(forever, id, whoOf(game.you), own);
  const names = game.seats.map((/** @type {any} */ seat) => seat.name ?? 'Guest').join(' – ');
  rememberGame({ id, game: game.game, names });
  location.href = gameAt(id);
};
