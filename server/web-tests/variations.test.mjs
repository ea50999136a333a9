import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyTree, withComment } from '../web/analysis/tree.js';
import { lineAfter, numberOf } from '../web/analysis/variations.js';

/** A line as text: numbers where they are written, variations in brackets. */
const written = (tree, line = lineAfter(tree, null, 0)) =>
  line
    .map(({ node, ply, numbered, variations }) => {
      const number = ply % 2 === 0 || numbered ? `${numberOf(ply)} ` : '';
      const rivals = variations.map((one) => ` (${written(tree, one)})`).join('');
      return `${number}${tree.nodes[node].turn}${rivals}`;
    })
    .join(' ');

/** A tree of turns, each with the number of the one that it follows. */
const treeOf = (...turns) => ({
  ...emptyTree('g', '… 1'),
  nodes: turns.map(([turn, after]) => ({ turn, after, comment: '', glyph: '' })),
});

test('a line without variations numbers every second turn', () => {
  assert.equal(written(treeOf(['a', null], ['b', 0], ['c', 1])), '1. a b 2. c');
});

test('a variation follows the turn it replaces, and the number is repeated after it', () => {
  const turns = [
    ...[
      ['a', null],
      ['b', 0],
      ['c', 1],
      ['d', 2],
    ],
    ...[
      ['x', 0],
      ['y', 4],
    ],
  ];
  assert.equal(written(treeOf(...turns)), '1. a b (1… x 2. y) 2. c d');
  assert.equal(written(treeOf(...turns, ['z', 4])), '1. a b (1… x 2. y (2. z)) 2. c d');
});

test('the number is repeated after a comment', () => {
  const tree = withComment(treeOf(['a', null], ['b', 0]), 0, 'why?');
  assert.equal(written(tree), '1. a 1… b');
});
