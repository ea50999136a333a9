import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NONE, due, short, tapped } from '../web/play/premove.js';

const tap = (stage, label, cell) => ({ stage, label, cell });
const step = (text, ...cells) => ({
  text,
  ends: true,
  trace: { placed: null, travels: [] },
  taps: cells.map((cell, i) => tap(i === 0 ? 'from' : 'to', String(cell), cell)),
});
const steps = [step('a-b', 1, 2), step('a-c', 1, 3), step('d', 4)];

test('a turn of two taps is chosen by two taps, and taken back by a third', () => {
  const one = tapped({ ...NONE, steps }, 1);
  assert.equal(one.chosen, null);
  const two = tapped(one, 3);
  assert.equal(two.chosen?.text, 'a-c');
  assert.equal(tapped(two, 5).chosen, null);
});

test('a turn of one tap is chosen at once', () => {
  assert.equal(tapped({ ...NONE, steps }, 4).chosen?.text, 'd');
});

test('what the board has made impossible is not played', () => {
  const chosen = tapped({ ...NONE, steps }, 4);
  assert.equal(due(chosen, steps), 'd');
  assert.equal(due(chosen, [step('a-b', 1, 2)]), null);
  assert.equal(due(NONE, steps), null);
});

test('turns of more stages, with words to choose, or that go on are not chosen ahead', () => {
  const long = { ...step('e', 1, 2, 3) };
  const worded = { ...step('f', 1), taps: [tap('from', '1', 1), tap('parts', '2', null)] };
  const half = { ...step('g', 1), ends: false };
  assert.deepEqual(short([...steps, long, worded, half]), steps);
});
