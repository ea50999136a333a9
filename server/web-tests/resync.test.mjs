import assert from 'node:assert/strict';
import test from 'node:test';
import { createResync, lastMover, missed } from '../web/game/resync.js';

/** A page whose server answers when the test says so. */
const page = () => {
  const world = { seq: 5, asked: [], taken: [] };
  world.resync = createResync({
    look: () => new Promise((answer) => world.asked.push(answer)),
    seq: () => world.seq,
    take: (game) => {
      world.seq = game.seq;
      world.taken.push(game.seq);
    },
  });
  return world;
};
const settled = () => new Promise((resolve) => setTimeout(resolve));

test('an answer that events have overtaken is not shown, and is asked for again', async () => {
  const world = page();
  world.resync();
  world.seq = 8;
  world.asked[0]({ seq: 7 });
  await settled();
  assert.deepEqual([world.taken, world.asked.length], [[], 2]);
  world.asked[1]({ seq: 8 });
  await settled();
  assert.deepEqual(world.taken, [8]);
});

test('however often a game is asked for, the last answer is the one that is seen', async () => {
  const world = page();
  for (let i = 0; i < 3; i += 1) world.resync();
  assert.equal(world.asked.length, 1);
  world.asked[0]({ seq: 6 });
  await settled();
  assert.equal(world.asked.length, 2);
  world.asked[1]({ seq: 7 });
  await settled();
  assert.deepEqual(world.taken, [6, 7]);
});

test('a server that has lost events is believed', async () => {
  const world = page();
  world.resync();
  world.asked[0]({ seq: 3 });
  await settled();
  assert.deepEqual(world.taken, [3]);
});

test('what no event told is known from both states', () => {
  const game = (turns, more = {}) => ({ turns, result: null, rematch: null, ...more });
  const nothing = { played: 0, undone: false, ended: false, next: undefined };
  assert.deepEqual(missed(game(['a']), game(['a'])), nothing);
  assert.deepEqual(missed(game(['a']), game(['a', 'b', 'c'])), { ...nothing, played: 2 });
  assert.deepEqual(missed(game(['a', 'b']), game(['a'])), { ...nothing, undone: true });
  const won = { result: { winner: 1, reason: 'rules' }, rematch: { id: 'x' } };
  const after = missed(game([]), game(['a'], won));
  assert.deepEqual(after, { played: 1, undone: false, ended: true, next: 'x' });
  assert.deepEqual([lastMover(game(['a']), 1), lastMover(game(['a']), 2)], [1, 2]);
});
