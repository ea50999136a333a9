import assert from 'node:assert/strict';
import test from 'node:test';
import './page.mjs';
import './storage.mjs';

const { createReview } = await import('../web/analysis/review.js');

const TURNS = ['a1', 'f6', 'b1'];
const entry = (ply, more = {}) => ({
  ...{ ply, of: 3, score: 0, win_in: null, bar: 500, best: ['c3', 'd4'], loss: 0, mistake: null },
  ...more,
});
const LOST = { bar: 900, loss: 300, mistake: 'blunder' };
const WHOLE = [entry(0), entry(1), entry(2, LOST), entry(3, { bar: 900 })];

/** A review whose engine answers when the test says so. */
const reviewOf = (saved, turns = TURNS) => {
  const told = { kept: [], played: [], tried: [] };
  const runs = [];
  const review = createReview({
    players: ['Ann', 'Ben'],
    sides: ['X', 'O'],
    first: 1,
    saved,
    place: () => ({ game: 'g', turns: told.turns ?? turns }),
    think: (fields, hear, signal) =>
      new Promise((done, fail) => {
        runs.push({ fields, hear, done });
        signal.addEventListener('abort', () => fail(new Error('stopped')));
      }),
    onGo: () => {},
    onChange: () => {},
    onKeep: (entries) => told.kept.push(entries),
    onTry: (ply) => told.tried.push(ply),
    onAnswered: () => {},
    onPlay: (ply, line) => told.played.push(line),
    onHint: () => {},
    mayHint: () => true,
  });
  const part = (id) => review.element.find(id) ?? review.card.find(id);
  return { review, told, runs, part };
};
const settled = () => new Promise((resolve) => setTimeout(resolve));

test('a review is kept when it is complete, and one that was interrupted can be restarted', async () => {
  const { review, told, runs, part } = reviewOf(undefined);
  review.go();
  assert.equal(part('review-start').hidden, true);
  for (const one of WHOLE.toReversed().slice(0, 2)) runs[0].hear(one);
  assert.deepEqual(told.kept, [], 'half a review is kept');
  for (const one of WHOLE.slice(0, 2)) runs[0].hear(one);
  runs[0].done();
  await settled();
  assert.deepEqual(told.kept, [WHOLE]);
  assert.match(part('tally').textContent, /Ann: accuracy 100 %/);

  const half = reviewOf(WHOLE.slice(2));
  half.review.show(-1);
  assert.equal(half.part('review-start').hidden, false);
  assert.equal(half.part('tally').textContent, '', 'an accuracy of the end alone');
  assert.equal(half.review.entries().length, 0, 'as if there were one');
});

test('what is shown is not found, however late the try is judged', async () => {
  const { review, told, runs, part } = reviewOf(WHOLE);
  review.show(2);
  part('retry').click();
  const judged = review.judge('e5');
  assert.match(part('moment-words').textContent, /Looking at e5/);
  part('moment-show').click();
  assert.deepEqual(told.played, [['c3', 'd4']]);
  const before = told.tried.length;
  runs[0].hear(entry(2, { of: 2 }));
  runs[0].done();
  await judged;
  assert.match(part('mistakes').textContent, /Shown/);
  assert.doesNotMatch(part('mistakes').textContent, /Found/);
  assert.equal(told.tried.length, before, 'the board goes back while the answer is played out');
});

test('a review goes with the turns that it is about', async () => {
  const { review, told } = reviewOf(WHOLE);
  told.turns = [...TURNS, 'c1'];
  review.check();
  assert.equal(review.entries().length, 4, 'more turns at the end change nothing');
  told.turns = ['a1', 'c3'];
  review.check();
  assert.equal(review.entries().length, 0);
  assert.deepEqual(told.kept, [undefined]);
});

test('a review of turns that are gone is stopped', async () => {
  const { review, told, runs, part } = reviewOf(undefined);
  review.go();
  runs[0].hear(WHOLE[3]);
  told.turns = [];
  review.check();
  await settled();
  assert.equal(review.entries().length, 0);
  assert.equal(part('review-progress').hidden, true);
});
