import assert from 'node:assert/strict';
import test from 'node:test';
import { NOTHING, back, drag, stageNames, stageOf, starts, tapCell } from '../web/play/gesture.js';

const tap = (stage, label, cell = null) => ({ stage, label, cell });
const from = (cell) => tap('piece', `c${cell}`, cell);
const to = (cell) => tap('target', `c${cell}`, cell);
const step = (...taps) => ({ text: taps.map(({ label }) => label).join(' '), taps });

/** From 0 one or two parts go to 1, two also to 2; from 5 one part goes to 6. */
const steps = [
  step(from(0), tap('parts', '1'), to(1)),
  step(from(0), tap('parts', '2'), to(1)),
  step(from(0), tap('parts', '2'), to(2)),
  step(from(5), tap('parts', '1'), to(6)),
];
const labels = ({ taps }) => taps.map(({ label }) => label);

test('cells behind a choice of words can be aimed at', () => {
  const begun = tapCell(steps, NOTHING, 0);
  const stage = stageOf(steps, begun);
  assert.deepEqual(
    stage.choices.map(({ label }) => label),
    ['1', '2'],
  );
  assert.deepEqual([...stage.cells].sort(), [1, 2]);
  assert.equal(stage.stage, 'parts');
});

test('aiming at a cell makes the only choice that leads there', () => {
  const aimed = tapCell(steps, tapCell(steps, NOTHING, 0), 2);
  assert.deepEqual(labels(aimed), ['c0', '2', 'c2']);
  assert.equal(stageOf(steps, aimed).step, steps[2]);
  const open = tapCell(steps, tapCell(steps, NOTHING, 0), 1);
  assert.deepEqual([labels(open), open.aim], [['c0'], 1], 'two choices lead there');
});

test('a choice without alternatives is made automatically', () => {
  assert.deepEqual(labels(tapCell(steps, NOTHING, 5)), ['c5', '1']);
});

test('the first cell again takes back, another first cell begins anew, any other clears', () => {
  const begun = tapCell(steps, NOTHING, 0);
  assert.deepEqual(tapCell(steps, begun, 0), NOTHING);
  assert.deepEqual(labels(tapCell(steps, begun, 5)), ['c5', '1']);
  assert.deepEqual(tapCell(steps, begun, 9), NOTHING);
});

test('a drag makes a turn where only one leads there, and else holds the piece', () => {
  assert.deepEqual(labels(drag(steps, 0, 2)), ['c0', '2', 'c2']);
  assert.deepEqual(drag(steps, 0, 9), { taps: [from(0)], aim: null });
  assert.deepEqual(drag(steps, 0, 0), { taps: [from(0)], aim: null });
  assert.deepEqual(drag(steps, 9, 0), NOTHING);
});

test('going back also undoes automatic choices', () => {
  assert.deepEqual(back(steps, { taps: [from(5), tap('parts', '1')], aim: null }), NOTHING);
  assert.deepEqual(labels(back(steps, { taps: steps[1].taps, aim: null })), ['c0', '2']);
  assert.deepEqual(back(steps, { taps: [from(0)], aim: 1 }), { taps: [from(0)], aim: null });
});

test('first cells are counted by their moves, and stages named by the longest', () => {
  assert.deepEqual(
    [...starts(steps)],
    [
      [0, 3],
      [5, 1],
    ],
  );
  assert.deepEqual(stageNames(steps, NOTHING), ['piece', 'parts', 'target']);
});
