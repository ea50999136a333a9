/** What the browser remembers: taste, and the games of its owner. */

const read = (/** @type {string} */ key, /** @type {any} */ otherwise) => {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') ?? otherwise;
  } catch {
    return otherwise;
  }
};

const write = (/** @type {string} */ key, /** @type {any} */ value) => {
  try {
    localStorage.setItem(key, JSON.stringify(value));
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

/** @typedef {{id: string, game: string, token?: string, invite?: string, at: number, over?: boolean, names?: string}} Mine */

/** My games, the latest first. @returns {Mine[]} */
export const myGames = () => read('quadrille.games', []);

/** @param {string} id */
export const myGame = (id) => myGames().find((game) => game.id === id);

/** Remembers something of a game of mine. @param {{id: string} & Partial<Mine>} change */
export const rememberGame = (change) => {
  const old = myGame(change.id);
  const rest = myGames().filter((game) => game.id !== change.id);
  return write('quadrille.games', [{ game: '', at: Date.now(), ...old, ...change }, ...rest].slice(0, 60));
};

/** @param {string} id */
export const forgetGame = (id) => write('quadrille.games', myGames().filter((game) => game.id !== id));

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

/** The theme that is seen now. */
export const reducedMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
/** Whether fingers do the pointing. */
export const touch = () => matchMedia('(pointer: coarse)').matches;
