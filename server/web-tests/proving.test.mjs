import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromHere, grouped, signOf, signs, valueWords } from '../web/pages/proving.js';

const NAMES = ['White', 'Black'];
const value = (turn, winner, within = null) => ({ turn, winner, within });
const step = (text, cell) => ({ text, taps: [{ stage: 'piece', label: text, cell }] });

test('a value that nobody knows is neither a draw nor a win', () => {
  assert.equal(valueWords(value('a', null), NAMES), 'open');
  assert.equal(valueWords(value('a', 'draw'), NAMES), 'nobody can force a win');
  assert.equal(valueWords(value('a', 2, 1), NAMES), 'Black wins in 1 turn at most');
  assert.equal(valueWords(value('a', 1, 12), NAMES), 'White wins in 12 turns at most');
  assert.equal(valueWords(value('a', 1, 0), NAMES), 'White has won');
  assert.equal(valueWords(value('a', 2), NAMES), 'Black wins');
  assert.deepEqual(
    [value('a', null), value('a', 'draw'), value('a', 2, 7), value('a', 2)].map(signOf),
    ['?', '=', '7', '+'],
  );
});

test('turns are counted from the position, as its own value is: whoever wins by a turn needs that turn, too', () => {
  const turns = [value('c3', 1, 18), value('a1', 2, 26), value('b2', 1), value('d1', 'draw')];
  const within = (mover) => turns.map((one) => fromHere(one, mover).within);
  assert.deepEqual(within(1), [19, 26, null, null]);
  assert.deepEqual(within(2), [18, 27, null, null]);
});

test('the best turns of whoever moves come first: a quick win, then what is open, a draw, a late loss', () => {
  const values = [
    value('a', 2, 3),
    value('b', 'draw'),
    value('c', 1, 9),
    value('d', null),
    value('e', 2, 8),
    value('f', 1, 4),
    value('g', 2, 3),
  ];
  const turns = (mover) =>
    grouped(values, mover).map((group) => group.map(({ turn }) => turn).join(''));
  assert.deepEqual(turns(1), ['f', 'c', 'd', 'b', 'e', 'ag']);
  assert.deepEqual(turns(2), ['ag', 'e', 'd', 'b', 'c', 'f']);
});

test('a cell with several turns shows the best of them, and one of which nothing is known shows nothing', () => {
  const steps = [step('a1-b3', 0), step('a1-c2', 0), step('b1-c3', 1), step('c1-d3', 2)];
  const values = [value('a1-b3', 2, 5), value('a1-c2', 2, 9), value('b1-c3', 2, 4)];
  assert.deepEqual(
    signs(steps, values, 1).map(({ cell, value: { within } }) => [cell, within]),
    [
      [0, 9],
      [1, 4],
    ],
  );
});
