import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addLine, emptyTree, withComment } from '../web/tree.js';
import { lineAfter, numberOf } from '../web/variations.js';

/** A line as text: numbers where they are written, variations in brackets. */
const written = (tree, line = lineAfter(tree, null, 0)) =>
  line
    .map(({ node, ply, numbered, variations }) => {
      const number = ply % 2 === 0 || numbered ? `${numberOf(ply)} ` : '';
      const rivals = variations.map((one) => ` (${written(tree, one)})`).join('');
      return `${number}${tree.nodes[node].turn}${rivals}`;
    })
    .join(' ');

test('a line without variations numbers every second turn', () => {
  const { tree } = addLine(emptyTree('g', '… 1'), null, ['a', 'b', 'c']);
  assert.equal(written(tree), '1. a b 2. c');
});

test('a variation stands behind the turn it replaces, and the number is said again after it', () => {
  const first = addLine(emptyTree('g', '… 1'), null, ['a', 'b', 'c', 'd']);
  const { tree } = addLine(first.tree, 0, ['x', 'y']);
  assert.equal(written(tree), '1. a b (1… x 2. y) 2. c d');
  const deeper = addLine(tree, 4, ['z']).tree;
  assert.equal(written(deeper), '1. a b (1… x 2. y (2. z)) 2. c d');
});

test('the number is said again after a comment', () => {
  const { tree } = addLine(emptyTree('g', '… 1'), null, ['a', 'b']);
  assert.equal(written(withComment(tree, 0, 'why?')), '1. a 1… b');
});
