import assert from 'node:assert/strict';
import test from 'node:test';
import * as trees from '../web/analysis/tree.js';

const node = (turn, after) => ({ turn, after, comment: '', glyph: '' });

/** A main line `a b c`, `x y` instead of `b`, and `z` instead of `y`. */
const tree = {
  ...trees.emptyTree('g', 's'),
  nodes: [node('a', null), node('b', 0), node('x', 0), node('y', 2), node('z', 2), node('c', 1)],
};
const turns = (nodes) => nodes.map((one) => tree.nodes[one].turn).join(' ');

test('the main line takes the first turn at every branch', () => {
  assert.equal(turns(trees.mainLine(tree)), 'a b c');
  assert.equal(turns(trees.lineFrom(tree, 2)), 'y');
  assert.deepEqual(trees.turnsOf(tree, 4), ['a', 'x', 'z']);
  assert.deepEqual(trees.turnsOf(tree, null), []);
  assert.ok(trees.isMain(tree, 5) && !trees.isMain(tree, 2) && trees.isMain(tree, null));
});

test('rivals are next to each other, and the ends stay where they are', () => {
  assert.equal(trees.sibling(tree, 1, 1), 2);
  assert.equal(trees.sibling(tree, 2, -1), 1);
  assert.equal(trees.sibling(tree, 2, 1), 2);
  assert.equal(trees.sibling(tree, null, 1), null);
});

test('comments belong to a turn, or to the whole before the first', () => {
  const said = trees.withComment(trees.withComment(tree, 5, 'good'), null, 'a game');
  assert.deepEqual(
    [5, null, 1].map((one) => trees.commentOf(said, one)),
    ['good', 'a game', ''],
  );
});
