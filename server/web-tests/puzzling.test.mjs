import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BEGIN,
  again,
  isClean,
  marksOf,
  mayTry,
  nextOpen,
  note,
  ofTheDay,
  rate,
  ratingText,
  standingOf,
  task,
  verdict,
} from '../web/pages/puzzling.js';
import { storage } from './storage.mjs';

const puzzles = Array.from({ length: 7 }, (_, i) => ({
  number: i + 1,
  position: `p${i + 1}`,
  turns: 2,
  rating: i,
}));

test('help does not undo a solution without help, which replaces one with help', () => {
  const kept = storage();
  note(kept, 'g', 'p1', 'helped');
  assert.deepEqual(marksOf(kept, 'g'), { p1: 'helped' });
  note(kept, 'g', 'p1', 'solved');
  note(kept, 'g', 'p1', 'helped');
  assert.deepEqual(marksOf(kept, 'g'), { p1: 'solved' });
  assert.deepEqual(marksOf(kept, 'other'), {});
});

test('damaged notes count as none', () => {
  const kept = storage();
  kept.setItem('quadrille.puzzles.g', '{');
  assert.deepEqual(marksOf(kept, 'g'), {});
});

test('the next puzzle is the next that was not solved, then the next hundred, then the first', () => {
  const marks = { p1: 'solved', p3: 'solved', p7: 'solved', p4: 'helped' };
  assert.equal(nextOpen(puzzles, marks, 0, 7), 2);
  assert.equal(nextOpen(puzzles, marks, 2, 7), 4);
  assert.equal(nextOpen(puzzles, marks, 6, 7), 1);
  assert.equal(nextOpen(puzzles, marks, 6, 300), 8);
});

test('what is solved at once lifts the rating and the streak, and what is not ends it', () => {
  const kept = storage();
  const puzzle = { ...puzzles[0], rating: 1500 };
  assert.equal(ratingText(standingOf(kept, 'g')), '1500?');
  rate(kept, 'g', puzzle, true);
  const { was, now } = rate(kept, 'g', puzzle, true);
  assert.deepEqual([now.streak, now.best, now.played], [2, 2, 2]);
  assert.ok(now.rating.rating > was.rating.rating && was.rating.rating > 1500);
  const after = rate(kept, 'g', puzzle, false).now;
  assert.deepEqual([after.streak, after.best], [0, 2]);
  assert.ok(after.rating.rating < now.rating.rating);
  assert.deepEqual(standingOf(kept, 'g'), after);
  assert.equal(standingOf(kept, 'other').played, 0);
});

test('a new player is rated like the first puzzle, so that one puzzle does not move a rating by 600', () => {
  for (const solved of [true, false]) {
    const { was, now } = rate(storage(), 'g', { ...puzzles[0], rating: 800 }, solved);
    assert.equal(was.rating.rating, 800);
    assert.ok(Math.abs(now.rating.rating - 800) < 200, `${now.rating.rating}`);
  }
});

test('solved is only what was solved without help and without a wrong turn', () => {
  const done = { ...BEGIN, turns: ['a'], progress: 'solved' };
  assert.equal(isClean(done), true);
  assert.equal(isClean({ ...done, erred: true }), false);
  assert.equal(isClean({ ...done, helped: true }), false);
  assert.equal(isClean({ ...done, progress: 'right' }), false);
});

test('the puzzles of the days visit all of them, one game after another', () => {
  const games = [
    { game: 'a', count: 100 },
    { game: 'b', count: 37 },
  ];
  const seen = new Set();
  for (let day = 0; day < 2 * 100; day++) {
    const { game, number } = ofTheDay(games, new Date(2026, 0, 1 + day));
    assert.ok(number >= 1 && number <= (game === 'a' ? 100 : 37));
    seen.add(`${game}${number}`);
  }
  assert.equal(seen.size, 137);
});

test('a try says what has become of it, and how far it is', () => {
  const puzzle = { number: 1, position: 'p', turns: 3, rating: 1 };
  const said = (more) => verdict({ ...BEGIN, ...more }, puzzle, 'White');
  assert.equal(task(puzzle, 'Black'), 'Black to move and win in 3 turns.');
  assert.equal(task({ ...puzzle, turns: 1 }, 'Black'), 'Black to move and win this turn.');
  assert.equal(said({}), '');
  assert.equal(said({ turns: ['a'], progress: 'right', busy: true }), 'White defends…');
  assert.equal(said({ turns: ['a', 'b'], progress: 'right' }), 'Right. 2 turns to go.');
  assert.equal(said({ turns: ['a'], progress: 'wrong' }), 'a does not win by force. Try again.');
  const refuted = said({ turns: ['a', 'b'], progress: 'wrong', refuted: 'b' });
  assert.equal(refuted, 'a does not win by force: White answers b. Try again.');
  assert.equal(said({ turns: ['a'], progress: 'solved', helped: true }), 'Solved, with help.');
  const erred = said({ turns: ['a'], progress: 'solved', erred: true });
  assert.equal(erred, 'Solved, after a wrong turn.');
  assert.equal(said({ turns: ['a', 'b'], ply: 1, progress: 'wrong' }), 'Turn 1 of 2');
});

test('nothing can be tried while the defence thinks, in the past, or when it is over', () => {
  assert.equal(mayTry(BEGIN), true);
  assert.equal(mayTry({ ...BEGIN, busy: true }), false);
  assert.equal(mayTry({ ...BEGIN, shown: true }), false);
  assert.equal(mayTry({ ...BEGIN, turns: ['a'], progress: 'late' }), false);
  assert.equal(mayTry({ ...BEGIN, turns: ['a', 'b'], progress: 'right', ply: 1 }), false);
});

test('help is remembered when one begins again', () => {
  const two = { ...BEGIN, turns: ['a', 'b'], helped: true, erred: true };
  assert.deepEqual(again(two), { ...BEGIN, helped: true, erred: true });
});
