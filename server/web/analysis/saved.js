/** Saved analyses, each under its own key, so that a turn rewrites only one of them. */
import { forever, keysOf, read, write } from '../common/storage.js';

const TREE = 'quadrille.analysis/';

/** A saved analysis, by the address of its start. @param {string} key */
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

/** Migrates from versions that kept all analyses under one key. */
const bringOver = () => {
  const old = read('quadrille.analysis', null);
  if (!old) return;
  // Make room for them first.
  forever.removeItem('quadrille.analysis');
  for (const [key, tree] of Object.entries(old)) saveTree(key, tree);
};
bringOver();
