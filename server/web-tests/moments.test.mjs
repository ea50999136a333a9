import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  accuracy,
  counted,
  gaveAway,
  graded,
  lost,
  moverOf,
  reason,
  verdict,
} from '../web/analysis/moments.js';

const entry = (ply, bar, more = {}) => ({
  ply,
  of: 3,
  score: bar - 500,
  win_in: null,
  bar,
  best: ['c3'],
  loss: ply === 0 ? null : 0,
  mistake: null,
  ...more,
});

const blunder = { loss: 400, mistake: 'blunder' };

test('turns are made in turn, whoever begins', () => {
  assert.deepEqual([moverOf(1, 1), moverOf(2, 1), moverOf(1, 2), moverOf(2, 2)], [1, 2, 2, 1]);
});

test('accuracy is full where nothing is given away, and falls with what is', () => {
  const game = [entry(0, 500), entry(1, 500), entry(2, 900, blunder), entry(3, 890, { loss: 5 })];
  assert.equal(accuracy(game, 1, 1), 98);
  assert.equal(accuracy(game, 2, 1), 20);
  assert.equal(counted(game, 2, 1), '1 blunder');
  assert.equal(counted(game, 1, 1), 'no mistakes');
  assert.equal(accuracy([entry(0, 500)], 1, 1), null);
});

test('what the second player loses is what the first gains', () => {
  const game = [entry(0, 500), entry(1, 500), entry(2, 900, blunder)];
  assert.equal(lost(game, game[2], 1), 0.4);
  assert.equal(gaveAway(game, game[2], 1), 'It gave away 40 % of the chance to win.');
  const won = { ...game[2], win_in: 3 };
  assert.equal(gaveAway(game, won, 1), 'With it the game was lost by force.');
});

test('the mark of a mistake agrees with the chance that it gave away', () => {
  const sizes = (after, more) =>
    graded([entry(0, 500), entry(1, after, { ...blunder, ...more })], 1).map(
      ({ mistake }) => mistake,
    );
  assert.deepEqual(sizes(490), [null, 'inaccuracy'], '1 % is no blunder');
  assert.deepEqual(sizes(350), [null, 'mistake']);
  assert.deepEqual(sizes(100, { mistake: 'inaccuracy' }), [null, 'blunder'], '40 % is one');
  assert.deepEqual(sizes(490, { mistake: null }), [null, null]);
});

test('a proof and an estimate are not compared', () => {
  const game = [entry(0, 0, { win_in: -9 }), entry(1, 870, { loss: 60, mistake: 'inaccuracy' })];
  assert.equal(lost(game, game[1], 2), null);
  assert.equal(graded(game, 2)[1].mistake, 'inaccuracy');
  assert.equal(gaveAway(game, game[1], 2), 'A win was proved before it, but not after it.');
  const both = [game[0], entry(1, 1000, { ...blunder, win_in: 8 })];
  assert.equal(graded(both, 2)[1].mistake, 'blunder');
});

test('a question tells nothing of its answer', () => {
  const why = { kind: 'missed', text: 'c3 wins at once.', line: ['c3'] };
  const game = [entry(0, 500), entry(1, 300, { ...blunder, why })];
  assert.ok(!gaveAway(game, game[1], 1).includes('c3'));
  assert.equal(reason(game, game[1], ['X', 'O']), 'c3 wins at once.');
  const plain = { ...game[1], why: null };
  assert.equal(
    reason([game[0], plain], plain, ['X', 'O']),
    'With c3: about even. As played: O is better.',
  );
});

test('the mistake itself is never called good, and a smaller one is no answer either', () => {
  const mistake = entry(1, 300, blunder);
  const say = (turn, judged = null) => verdict(mistake, 'a1', turn, judged);
  assert.deepEqual([say('a1').good, say('a1').open], [false, true]);
  assert.deepEqual([say('a1', entry(1, 500)).good, say('c3').good], [false, true]);
  assert.equal(say('b2', entry(1, 500)).good, true);
  assert.equal(say('b2', entry(1, 400, { loss: 100, mistake: 'inaccuracy' })).good, false);
  assert.match(say('b2', entry(1, 300, blunder)).text, /does not help/);
  assert.deepEqual([say('b2').good, say('b2').open], [false, true]);
});
