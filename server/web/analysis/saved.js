/** Analyses that the browser keeps. */
import { read, write } from '../common/storage.js';

/** Analyses by the address of their start. @param {string} key */
export const savedTree = (key) => read('quadrille.analysis', {})[key];

const MOST_TREES = 40;

/** @param {string} key @param {any} tree */
export const saveTree = (key, tree) => {
  const { [key]: _, ...rest } = read('quadrille.analysis', {});
  const kept = Object.entries(rest).slice(-MOST_TREES);
  return write('quadrille.analysis', { ...Object.fromEntries(kept), [key]: tree });
};
