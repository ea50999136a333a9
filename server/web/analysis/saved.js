/** Analyses that the browser keeps, each under a key of its own, so that a turn writes no other one. */
import { forever, keysOf, read, write } from '../common/storage.js';

const TREE = 'quadrille.analysis/';

/** An analysis by the address of its start. @param {string} key */
export const savedTree = (key) => read(TREE + key, undefined);

const MOST_TREES = 40;

/** @param {string} key @param {any} tree */
export const saveTree = (key, tree) => {
  const isNew = forever.getItem(TREE + key) === null;
  const kept = write(TREE + key, { ...tree, at: Date.now() });
  if (kept && isNew) forgetOldest();
  return kept;
};

const forgetOldest = () => {
  const trees = keysOf(forever, TREE).map((key) => ({ key, at: read(key, {}).at ?? 0 }));
  trees.sort((one, other) => other.at - one.at);
  for (const { key } of trees.slice(MOST_TREES)) forever.removeItem(key);
};

/** Analyses were once kept together. */
const bringOver = () => {
  const old = read('quadrille.analysis', null);
  if (!old) return;
  // First there has to be room for them.
  forever.removeItem('quadrille.analysis');
  for (const [key, tree] of Object.entries(old)) saveTree(key, tree);
};
bringOver();
