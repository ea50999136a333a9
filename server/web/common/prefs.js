/** The user's preferences, and the capabilities of the device. */
import { read, write } from './storage.js';

/**
 * @typedef {{theme: 'auto'|'light'|'dark', sound: boolean, coordinates: boolean, confirm: 'auto'|'always'|'never',
 *   board: 'paper'|'wood'|'sea'|'plain', size: 'full'|'medium'|'small', name: string}} Prefs
 */

/** @type {Prefs} */
const DEFAULTS = {
  theme: 'auto',
  sound: true,
  coordinates: true,
  confirm: 'auto',
  board: 'paper',
  size: 'full',
  name: '',
};

/** @returns {Prefs} */
export const prefs = () => ({ ...DEFAULTS, ...read('quadrille.prefs', {}) });

/** @param {Partial<Prefs>} change */
export const setPrefs = (change) => {
  write('quadrille.prefs', { ...prefs(), ...change });
  applyPrefs();
  document.dispatchEvent(new CustomEvent('prefs'));
};

export const applyPrefs = () => {
  const { theme, coordinates, board, size } = prefs();
  Object.assign(document.documentElement.dataset, { theme, board, size });
  document.documentElement.classList.toggle('no-coordinates', !coordinates);
};

/** Whether the user prefers reduced motion. */
export const reducedMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
/** Whether the main pointer is a finger. */
export const touch = () => matchMedia('(pointer: coarse)').matches;
