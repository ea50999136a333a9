import assert from 'node:assert/strict';
import test from 'node:test';
import { leftNow } from '../web/game/clock.js';

const clocks = { left: [10_000, 8_000], running: 2, at: 5_000 };

test('only the running clock counts, by the time of its keeper', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 6_000 });
  assert.equal(leftNow(clocks, 1, 0), 10_000);
  assert.equal(leftNow(clocks, 2, 0), 7_000);
  assert.equal(leftNow(clocks, 2, 500), 6_500);
  assert.equal(leftNow({ ...clocks, running: null }, 2, 0), 8_000);
});

test('a clock neither gains time nor falls below zero', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_000 });
  assert.equal(leftNow(clocks, 2, 0), 8_000, 'its message is from the future');
  assert.equal(leftNow(clocks, 2, 60_000), 0);
  assert.equal(leftNow(null, 1, 0), null);
});
