/** The identity at this browser: a player with a key, or a guest with a secret, both kept in its storage. */
import { gameAt } from '../address.js';
import { forever, read, write } from '../common/storage.js';
import { getJson } from '../connection/server.js';
import { rememberGame } from '../table/mine.js';
import { freshSecret, hold, whoOf } from '../table/seats.js';
import { current } from './keys.js';

const GUEST = 'quadrille.guest';

/** The prefix of players' keys. */
export const PREFIX = 'pk-';

/** @param {Uint8Array<ArrayBuffer>} bytes */
const random = (bytes) => crypto.getRandomValues(bytes);

export const freshKey = () => PREFIX + freshSecret(/** @type {any} */ (random));

/** The current player. */
export const me = () => current(forever);

/** The guest's secret. */
const guest = () => {
  const known = read(GUEST, null);
  if (known) return known;
  const secret = freshSecret(/** @type {any} */ (random));
  write(GUEST, secret);
  return secret;
};

/** The token that identifies the sender to the server. */
export const token = () => me()?.key ?? guest();

/**
 * Takes the seat in a game arranged in the lobby, and opens it.
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
