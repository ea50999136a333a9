import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLOCKS, clockOf, isForHere, requestOf } from '../web/pages/newrequest.js';

const info = {
  id: 'g',
  players: ['Black', 'White'],
  options: [
    { name: 'size', values: [4, 5], default: 4 },
    { name: 'ko', values: ['on', 'off'], default: 'on' },
  ],
};
const form = { mode: 'computer', one: 'level:3', two: 'seed:old', clock: 'none', name: ' Ann ' };

test('a game against the computer has the reader on the side that was chosen', () => {
  const me = { kind: 'person', name: 'Ann' };
  const level = { kind: 'level', level: 3 };
  assert.deepEqual(requestOf(info, form, null, true).seats, [me, level]);
  assert.deepEqual(requestOf(info, form, null, false).seats, [level, me]);
});

test('people at one screen share it, computers have no clock', () => {
  const screen = requestOf(info, { ...form, mode: 'screen', clock: '60+1' }, null, true);
  assert.equal(screen.shared, true);
  assert.deepEqual(screen.clock, { kind: 'time', seconds: 60, increment: 1 });
  const watch = requestOf(info, { ...form, mode: 'watch', clock: '60+1' }, null, true);
  assert.deepEqual(watch.clock, { kind: 'none' });
  assert.deepEqual(watch.seats[1], { kind: 'seed', player: 'old' });
});

test('only options that differ from the rules are asked for, in their own type, and none with a position', () => {
  const chosen = { ...form, 'option.size': '5', 'option.ko': 'on' };
  assert.deepEqual(requestOf(info, chosen, null, true).options, { size: 5 });
  const set = requestOf(info, chosen, '4/4/4/4 1', true);
  assert.equal('options' in set, false);
  assert.equal(set.position, '4/4/4/4 1');
});

test('every clock of the form is one, and only days and friends by link need a server', () => {
  for (const [value] of CLOCKS)
    assert.equal(isForHere('computer', clockOf(value)), !value.startsWith('d'), value);
  assert.equal(isForHere('link', clockOf('none')), false);
});
