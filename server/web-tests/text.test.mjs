import assert from 'node:assert/strict';
import test from 'node:test';
import * as text from '../web/common/text.js';

const MINUTE = 60_000;

test('a clock shows tenths below ten seconds, hours above one, days above a day', () => {
  const shown = [-5, 0, 9_940, 9_999, 10_000, 59_001, 3_600_000, 3_599_001, 86_400_000, 97_200_000];
  const expected = ['0.0', '0.0', '10.0', '10.0', '0:10', '1:00', '1:00:00', '1:00:00', '1 d 0 h'];
  assert.deepEqual(shown.map(text.clockText), [...expected, '1 d 3 h']);
});

test('a clock is named by its minutes, seconds, increment or days', () => {
  const named = (clock) => text.clockName(clock);
  assert.equal(named(null), 'no clock');
  assert.equal(named({ kind: 'none' }), 'no clock');
  assert.equal(named({ kind: 'days', days: 1 }), '1 day a turn');
  assert.equal(named({ kind: 'time', seconds: 90, increment: 3 }), '1.5 min + 3 s');
  assert.equal(named({ kind: 'time', seconds: 30, increment: 0 }), '30 s');
});

test('a score is written from the first player, whoever is to move', () => {
  assert.equal(text.scoreText({ score: 34, win_in: null }, 1), '+0.34');
  assert.equal(text.scoreText({ score: 34, win_in: null }, 2), '−0.34');
  assert.equal(text.scoreText({ score: 9999, win_in: 3 }, 2), '−#3');
  assert.equal(text.scoreText({ score: -9999, win_in: -3 }, 2), '+#3');
});

test('a score is read out with the name of the better player', () => {
  const words = (score, turn, winIn = null) =>
    text.scoreWords({ score, win_in: winIn }, turn, ['Ann', 'Bob']);
  assert.equal(words(24, 1), 'about even');
  assert.equal(words(50, 2), 'Bob is slightly better');
  assert.equal(words(-299, 2), 'Ann is better');
  assert.equal(words(300, 1), 'Ann is winning');
  assert.equal(words(0, 2, 1), 'Bob wins in 1 turn');
  assert.equal(words(0, 2, -2), 'Ann wins in 2 turns');
});

test('the bar is the share of the first player', () => {
  assert.equal(text.share({ bar: 700 }, 1), 0.7);
  assert.equal(text.share({ bar: 700 }, 2), 0.3);
});

test('ages are given in minutes, hours below two days, then days', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_000_000_000_000 });
  const ago = (minutes) => text.ago(1_000_000_000_000 - minutes * MINUTE);
  assert.deepEqual([0, 1, 59, 60, 47 * 60, 48 * 60].map(ago), [
    'just now',
    '1 min ago',
    '59 min ago',
    '1 h ago',
    '47 h ago',
    '2 days ago',
  ]);
});

test('numbers, plurals and names of options read as words', () => {
  assert.equal(text.filled('{who} has {n} of {n}', { who: 'Ann', n: 3 }), 'Ann has 3 of 3');
  assert.equal(text.plural(1, 'move'), '1 move');
  assert.equal(text.plural(0, 'reply', 'replies'), '0 replies');
  assert.equal(text.spaced('min_parts-of'), 'min parts of');
  assert.equal(text.capital(''), '');
});
