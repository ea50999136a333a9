/** Requests about games and positions, with a cache. */
import { fileAt, pageAt, toPath } from '../address.js';
import { ask, fetchFile } from './ask.js';

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
 *   last: Trace[], said?: string|null, winning: number[], seed: {value: [number, number]}}} View
 * @typedef {{game: string, options?: object, position?: object|string|null, turns?: string[]}} Place
 * @typedef {{name: string, about: string, values: (string|number)[], default: string|number}} Option
 * @typedef {{id: string, name: string, tagline: string, players: [string, string], options: Option[],
 *   seeds: {id: string, name: string, about: string}[], brushes: {id: string, label: string}[],
 *   start: string, picture: string}} GameInfo
 * @typedef {{draw: string, undo: string, rematch: string}} Asks the predicates for players who ask for something
 * @typedef {{games: GameInfo[], levels: {number: number, name: string, about: string}[], asks: Asks,
 *   greetings: {word: string, text: string}[]}} Catalogue
 */

/** @type {Promise<Catalogue>|null} */
let shelf = null;
/** The games and levels; requested once. @type {() => Promise<Catalogue>} */
export const catalogue = () =>
  (shelf ??= fetchFile('catalogue.json', async (answer) => {
    const { games, ...more } = await answer.json();
    return { ...more, games: games.map(withCover) };
  }));

/** A game whose cover refers to the right file. @param {GameInfo} info @returns {GameInfo} */
const withCover = ({ picture, ...info }) => ({
  ...info,
  // A plain string could contain replacement patterns such as `$&`.
  picture: picture.replace('covers.svg', () => fileAt('covers.svg')),
});

/** All games, and the one with this id, if it exists. @param {string} id */
export const gameOf = async (id) => {
  const { games, asks } = await catalogue();
  return { games, asks, info: games.find((one) => one.id === id) };
};

/** @type {Map<string, Promise<View>>} */
const seen = new Map();
const MOST_SEEN = 200;

/** A position for display; requested once. @param {Place} place @param {boolean} flipped @returns {Promise<View>} */
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

/**
 * What the last turn did, in words that can be followed without the board; just its text if another position is shown.
 * @param {View|null|undefined} shown @param {string[]} turns @returns {string}
 */
export const saidOf = (shown, turns) =>
  (shown?.turns.length === turns.length && shown.said) || (turns.at(-1) ?? '');

/** The path that opens the new-game dialog with a position. @param {View} view */
export const playLink = (view) =>
  pageAt('', `?new=${view.game}&position=${encodeURIComponent(toPath(view.text))}`);
