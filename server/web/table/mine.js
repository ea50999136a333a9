/** The games of this browser's owner, and their boards as they were last seen. */
import { fileAt, gameAt, playAt } from '../address.js';
import { forever, keysOf, read, write } from '../common/storage.js';
import { outboxOf } from '../connection/commands.js';
import { forgetDeviceGame } from './device.js';
import { hold, letGo } from './seats.js';

/** @typedef {{id: string, game: string, invite?: string, invited?: string, at: number, over?: boolean, ended?:
 *   string, names?: string, device?: boolean}} Mine
 *   `invite` is for a friend, `invited` came from one; the secrets of seats lie apart; `device` is kept here alone;
 *   `ended` says who has won */

const GAME = 'quadrille.game.';

/** How many finished games are remembered. */
const MOST_FINISHED = 60;

/** My games, the latest first. @returns {Mine[]} */
export const myGames = () =>
  keysOf(forever, GAME)
    .map((key) => read(key, null))
    .filter(Boolean)
    .sort((a, b) => b.at - a.at);

/** @param {string} id @returns {Mine|undefined} */
export const myGame = (id) => read(GAME + id, undefined);

/** Remembers something of a game of mine. @param {{id: string} & Partial<Mine>} change */
export const rememberGame = (change) => {
  const kept = write(GAME + change.id, {
    game: '',
    at: Date.now(),
    ...myGame(change.id),
    ...change,
  });
  // Games that go on are never forgotten to make room.
  const finished = myGames().filter(({ over }) => over);
  for (const { id } of finished.slice(MOST_FINISHED)) forgetGame(id);
  return kept;
};

/** What the board of a game on this device looks like: theme.js shows it before anything else is there. */
const BOARD = 'quadrille.board.';

/** The version that draws boards; another one may draw them otherwise. */
const BY = new URL(fileAt('.')).pathname;

/**
 * Keeps the board of a game for its next opening.
 * @param {string} id @param {{view: import('../program/views.js').View, place: import('../program/views.js').Place,
 *   flipped: boolean}} shown
 * @param {string} words what is asked of whoever sits there
 */
export const rememberBoard = (id, { view: { svg, ...view }, place, flipped }, words) => {
  const [width, height] = view.size;
  const wide = width > 1.05 * height;
  return write(BOARD + id, { svg, wide, words, by: BY, view, place, flipped });
};

/** What the board of a game shows, if this version has drawn it. @param {string} id */
export const viewOf = (id) => {
  const { svg, by, view, place, flipped } = read(BOARD + id, {});
  return by === BY ? { request: { ...place, flipped }, view: { ...view, svg } } : null;
};

/** The board of a game as it was left. @param {string} id @returns {{svg: string, wide: boolean}|undefined} */
export const boardOf = (id) => read(BOARD + id, undefined);

/** The address of a game of mine. @param {Mine} game */
export const addressOfGame = ({ id, device }) => (device ? playAt(id) : gameAt(id));

/** @param {string} id */
export const forgetGame = (id) => {
  forgetDeviceGame(forever, id);
  forever.removeItem(GAME + id);
  forever.removeItem(BOARD + id);
  letGo(forever, id);
  // What still waits to be sent could not be without the seat.
  for (const key of keysOf(forever, outboxOf(id))) forever.removeItem(key);
};

/** Games were once kept in one list, each with a secret. */
const bringOver = () => {
  const old = read('quadrille.games', null);
  if (!Array.isArray(old)) return;
  for (const { token, ...game } of old) {
    const kept = myGame(game.id) || write(GAME + game.id, game);
    if (!kept || (token && !hold(forever, game.id, '?', token))) return;
  }
  forever.removeItem('quadrille.games');
};
bringOver();
