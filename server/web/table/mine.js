/** The games in this browser's list, and their boards as last seen. */
import { fileAt, gameAt, playAt } from '../address.js';
import { forever, keysOf, read, write } from '../common/storage.js';
import { outboxOf } from '../connection/commands.js';
import { forgetDeviceGame } from './device.js';
import { hold, letGo } from './seats.js';

/** @typedef {{id: string, game: string, invite?: string, invited?: string, at: number, over?: boolean, ended?:
 *   string, names?: string, device?: boolean}} Mine
 *   `invite` is the secret for a friend, `invited` one received from a friend; other secrets are stored elsewhere;
 *   `device` marks local games; `ended` is the result in words */

const GAME = 'quadrille.game.';

/** How many finished games are remembered. */
const MOST_FINISHED = 60;

/** The games, most recent first. @returns {Mine[]} */
export const myGames = () =>
  keysOf(forever, GAME)
    .map((key) => read(key, null))
    .filter(Boolean)
    .sort((a, b) => b.at - a.at);

/** @param {string} id @returns {Mine|undefined} */
export const myGame = (id) => read(GAME + id, undefined);

/** Adds or updates a game in the list. @param {{id: string} & Partial<Mine>} change */
export const rememberGame = (change) => {
  const kept = write(GAME + change.id, {
    game: '',
    at: Date.now(),
    ...myGame(change.id),
    ...change,
  });
  // Running games are never dropped to make room.
  const finished = myGames().filter(({ over }) => over);
  for (const { id } of finished.slice(MOST_FINISHED)) forgetGame(id);
  return kept;
};

/** The saved boards of local games, which theme.js shows before anything else is loaded. */
const BOARD = 'quadrille.board.';

/** How many boards are saved, most recently seen first: a board takes as much space as the rest of its game. */
const MOST_BOARDS = 12;

/** The version that drew a board; another version may draw it differently. */
const BY = new URL(fileAt('.')).pathname;

/**
 * Saves the board of a game for the next visit.
 * @param {string} id @param {{view: import('../program/views.js').View, place: import('../program/views.js').Place,
 *   flipped: boolean}} shown
 * @param {string} words the prompt below the board
 */
export const rememberBoard = (id, { view: { svg, ...view }, place, flipped }, words) => {
  const [width, height] = view.size;
  const wide = width > 1.05 * height;
  const at = Date.now();
  const kept = write(BOARD + id, { svg, wide, words, by: BY, view, place, flipped, at });
  const boards = keysOf(forever, BOARD).map((key) => ({ key, at: read(key, {}).at ?? 0 }));
  boards.sort((one, other) => other.at - one.at);
  for (const { key } of boards.slice(MOST_BOARDS)) forever.removeItem(key);
  return kept;
};

/** The saved view of a game, if it was drawn by this version. @param {string} id */
export const viewOf = (id) => {
  const { svg, by, view, place, flipped } = read(BOARD + id, {});
  return by === BY ? { request: { ...place, flipped }, view: { ...view, svg } } : null;
};

/** The saved board of a game. @param {string} id @returns {{svg: string, wide: boolean}|undefined} */
export const boardOf = (id) => read(BOARD + id, undefined);

/** The path of a game in the list. @param {Mine} game */
export const addressOfGame = ({ id, device }) => (device ? playAt(id) : gameAt(id));

/** @param {string} id */
export const forgetGame = (id) => {
  forgetDeviceGame(forever, id);
  forever.removeItem(GAME + id);
  forever.removeItem(BOARD + id);
  letGo(forever, id);
  // Commands that have not been sent are useless without the seat.
  for (const key of keysOf(forever, outboxOf(id))) forever.removeItem(key);
};

/** Migrates from versions that kept all games in one list, each with a secret. */
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
