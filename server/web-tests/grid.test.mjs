import assert from 'node:assert/strict';
import { test } from 'node:test';
import { neighbour } from '../web/board/grid.js';

/** A hexagon of seven cells: rows of two, three and two. */
const hexagon = {
  cells: [
    [30, 10],
    [50, 10],
    [20, 27],
    [40, 27],
    [60, 27],
    [30, 44],
    [50, 44],
  ].map((at) => ({ at })),
};
const [UP, DOWN, LEFT, RIGHT] = [
  [0, -1],
  [0, 1],
  [-1, 0],
  [1, 0],
];

test('down on a hexagon leads to the next row, and up leads back', () => {
  assert.equal(neighbour(hexagon, 0, DOWN), 3);
  assert.equal(neighbour(hexagon, 3, UP), 0);
  assert.equal(neighbour(hexagon, 3, DOWN), 6);
  assert.equal(neighbour(hexagon, 6, UP), 3);
});

test('left and right stay in their row, and no key leaves the board', () => {
  assert.equal(neighbour(hexagon, 2, RIGHT), 3);
  assert.equal(neighbour(hexagon, 2, LEFT), 2);
  assert.equal(neighbour(hexagon, 4, RIGHT), 4);
  assert.equal(neighbour(hexagon, 0, UP), 0);
  assert.equal(neighbour(hexagon, 5, DOWN), 5);
});

test('a neighbour in the next row is two keys away at most', () => {
  const reach = (from, keys) => keys.reduce((cell, way) => neighbour(hexagon, cell, way), from);
  assert.equal(reach(3, [UP, RIGHT]), 1);
  assert.equal(reach(3, [DOWN, LEFT]), 5);
});
