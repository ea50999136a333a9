/** What the browser remembers: taste, and the games of its owner. */
import { gameAt, playAt } from './address.js';
import { forgetDeviceGame } from './device.js';
import { hold, letGo } from './seats.js';

/** What stands in for a storage that the browser denies: it lasts as long as the page. @returns {Storage} */
const passing = () => {
  const kept = new Map();
  return /** @type {any} */ ({
    get length() {
      return kept.size;
    },
    key: (/** @type {number} */ i) => [...kept.keys()][i] ?? null,
    getItem: (/** @type {string} */ key) => kept.get(key) ?? null,
    setItem: () => {
      throw new Error('nothing is kept');
    },
    removeItem: (/** @type {string} */ key) => kept.delete(key),
  });
};

const storageOr = (/** @type {() => Storage} */ get) => {
  try {
    const storage = get();
    storage.getItem('quadrille.prefs');
    return storage;
  } catch {
    return passing();
  }
};

/** Kept for all pages. */
export const forever = storageOr(() => localStorage);
/** Kept for one tab. */
export const forTab = storageOr(() => sessionStorage);

const read = (/** @type {string} */ key, /** @type {any} */ otherwise) => {
  try {
    return JSON.parse(forever.getItem(key) ?? 'null') ?? otherwise;
  } catch {
    return otherwise;
  }
};

const write = (/** @type {string} */ key, /** @type {any} */ value) => {
  try {
    forever.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
};

/** @typedef {{theme: 'auto'|'light'|'dark', sound: boolean, coordinates: boolean, confirm: 'auto'|'always'|'never', name: string}} Prefs */

/** @type {Prefs} */
const DEFAULTS = { theme: 'auto', sound: true, coordinates: true, confirm: 'auto', name: '' };

/** @returns {Prefs} */
export const prefs = () => ({ ...DEFAULTS, ...read('quadrille.prefs', {}) });

/** @param {Partial<Prefs>} change */
export const setPrefs = (change) => {
  write('quadrille.prefs', { ...prefs(), ...change });
  applyPrefs();
  document.dispatchEvent(new CustomEvent('prefs'));
};

export const applyPrefs = () => {
  const { theme, coordinates } = prefs();
  document.documentElement.dataset.theme = theme;
  document.documentElement.classList.toggle('no-coordinates', !coordinates);
};

/** @typedef {{id: string, game: string, invite?: string, invited?: string, at: number, over?: boolean, names?: string, device?: boolean}} Mine
 *   `invite` is for a friend, `invited` came from one; the secrets of seats lie apart; `device` is kept here alone */

const GAME = 'quadrille.game.';

/** How many finished games are remembered. */
const MOST_FINISHED = 60;

const keys = () => Array.from({ length: forever.length }, (_, i) => forever.key(i) ?? '');

/** My games, the latest first. @returns {Mine[]} */
export const myGames = () =>
  keys()
    .filter((key) => key.startsWith(GAME))
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
  for (const old of myGames()
    .filter((game) => game.over)
    .slice(MOST_FINISHED))
    forgetGame(old.id);
  return kept;
};

/** What the board of a game on this device looks like: theme.js shows it before anything else is there. */
const BOARD = 'quadrille.board.';

/** The version that draws boards; another one may draw them otherwise. */
const BY = new URL('.', import.meta.url).pathname;

/**
 * Keeps the board of a game for its next opening.
 * @param {string} id @param {{view: import('./api.js').View, place: import('./api.js').Place, flipped: boolean}} shown
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

/** The board of a game as it was left. @param {string} id @returns {string|undefined} */
export const boardOf = (id) => read(BOARD + id, undefined)?.svg;

/** The address of a game of mine. @param {Mine} game */
export const addressOfGame = ({ id, device }) => (device ? playAt(id) : gameAt(id));

/** @param {string} id */
export const forgetGame = (id) => {
  forgetDeviceGame(forever, id);
  forever.removeItem(GAME + id);
  forever.removeItem(BOARD + id);
  letGo(forever, id);
  // What still waits to be sent could not be without the seat.
  for (const key of keys().filter((one) => one.startsWith(`quadrille.outbox.${id}.`)))
    forever.removeItem(key);
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

/** Analyses by the address of their start. @param {string} key */
export const savedTree = (key) => read('quadrille.analysis', {})[key];

const MOST_TREES = 40;

/** @param {string} key @param {any} tree */
export const saveTree = (key, tree) => {
  const { [key]: _, ...rest } = read('quadrille.analysis', {});
  const kept = Object.entries(rest).slice(-MOST_TREES);
  return write('quadrille.analysis', { ...Object.fromEntries(kept), [key]: tree });
};

/** The last things chosen on a form. @param {string} key @param {any} otherwise */
export const remembered = (key, otherwise) => read(`quadrille.${key}`, otherwise);
/** @param {string} key @param {any} value */
export const remember = (key, value) => write(`quadrille.${key}`, value);

/** Whether motion is unwelcome. */
export const reducedMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
/** Whether fingers do the pointing. */
export const touch = () => matchMedia('(pointer: coarse)').matches;
