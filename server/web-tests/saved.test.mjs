import assert from 'node:assert/strict';
import test from 'node:test';
import { storage } from './storage.mjs';

const kept = new Map([
  ['quadrille.analysis', JSON.stringify({ 'gekitai/': { tree: { nodes: [1] } } })],
]);
const written = [];
globalThis.localStorage = {
  ...storage(kept),
  get length() {
    return kept.size;
  },
  setItem: (key, value) => {
    written.push(key);
    kept.set(key, value);
  },
};
globalThis.sessionStorage = storage();
const { savedTree, saveTree } = await import('../web/analysis/saved.js');

test('analyses of an older version are brought over', () => {
  assert.deepEqual(savedTree('gekitai/').tree, { nodes: [1] });
  assert.ok(!kept.has('quadrille.analysis'));
});

test('a turn writes its own analysis and no other', () => {
  saveTree('a', { tree: 1 });
  saveTree('b', { tree: 2 });
  written.length = 0;
  saveTree('a', { tree: 3 });
  assert.deepEqual(written, ['quadrille.analysis/a']);
  assert.equal(savedTree('a').tree, 3);
  assert.equal(savedTree('b').tree, 2);
});

test('forty analyses are kept, and the one that was left longest ago goes first', () => {
  for (let i = 0; i < 50; i += 1) saveTree(`n${i}`, { tree: i });
  const all = [...kept.keys()].filter((key) => key.startsWith('quadrille.analysis/'));
  assert.equal(all.length, 40);
  assert.equal(savedTree('n49').tree, 49);
  assert.equal(savedTree('a'), undefined);
});
