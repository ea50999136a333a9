import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createReferee, deviceGame, flagged, makeDeviceGame } from '../web/device.js';
import { storage } from './storage.mjs';

// A game in which a turn is any letter, `end` ends it, and `no` is against the rules.
const view = async ({ turns = [], position }) => {
  if (turns.includes('no')) throw Object.assign(new Error('`no` is not a move'), { status: 422 });
  const over = turns.at(-1) === 'end' || position === 'over 1';
  return {
    game: 'g',
    options: {},
    text: over ? 'over 1' : 'open 1',
    turns,
    over,
    winner: over ? 1 : null,
    in_turn: turns.at(-1) === 'part',
    turn: 1,
  };
};

const person = { kind: 'person' };
const computer = { kind: 'level', level: 3 };

/** A referee over a storage, a clock that the test moves, and computers that the test answers for. */
const table = (seats, clock = { kind: 'none' }) => {
  const kept = storage();
  const id = makeDeviceGame(kept, {
    game: 'g',
    options: {},
    start: 'open 1',
    turn: 1,
    seats,
    clock,
  });
  const world = { kept, id, time: 1_000, events: [], asked: [] };
  const turn = (fields, signal) =>
    new Promise((resolve, reject) => {
      world.asked.push({ fields, signal, answer: (text) => resolve({ turn: text }) });
      signal.addEventListener('abort', () => reject(new Error('stopped')));
    });
  const means = { view, turn, now: () => world.time, sleep: async () => {} };
  world.referee = createReferee({
    id,
    storage: kept,
    means,
    onEvent: (event) => world.events.push(event),
  });
  world.game = () => deviceGame(kept, id);
  return world;
};

const settled = () =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

test('a turn is kept before it is told', async () => {
  const { referee, game, events } = table([person, person]);
  await referee.give('move', { turn: 'a' });
  assert.deepEqual(game().turns, ['a']);
  assert.deepEqual(
    events.map(({ kind, seat, turn, seq }) => [kind, seat, turn, seq]),
    [['move', 1, 'a', 2]],
  );
  assert.equal(game().turn, 2);
});

test('what is against the rules, or only a part, is refused and changes nothing', async () => {
  const { referee, game, events } = table([person, person]);
  await assert.rejects(referee.give('move', { turn: 'no' }), /not a move/);
  await assert.rejects(referee.give('move', { turn: 'part' }), /part of a turn/);
  assert.deepEqual([game().turns, events], [[], []]);
});

test('a turn that was meant for another board is refused', async () => {
  const { referee, game } = table([person, person]);
  const { board_seq: old } = game();
  await referee.give('move', { turn: 'a', board_seq: old });
  await assert.rejects(referee.give('move', { turn: 'b', board_seq: old }), /changed meanwhile/);
  assert.deepEqual(game().turns, ['a']);
});

test('the computer answers once this page leads, and never before', async () => {
  const world = table([computer, person]);
  await settled();
  assert.equal(world.asked.length, 0);
  world.referee.lead();
  assert.deepEqual(world.asked[0].fields.player, { kind: 'level', level: 3 });
  world.asked[0].answer('x');
  await settled();
  assert.deepEqual(world.game().turns, ['x']);
  assert.equal(world.asked.length, 1);
  await world.referee.give('move', { turn: 'a' });
  assert.equal(world.asked.length, 2);
});

test('undo while the computer thinks stops it and takes one turn back, later two', async () => {
  const world = table([person, computer]);
  world.referee.lead();
  await world.referee.give('move', { turn: 'a' });
  await world.referee.give('undo', {});
  assert.ok(world.asked[0].signal.aborted);
  assert.deepEqual(world.game().turns, []);
  await world.referee.give('move', { turn: 'b' });
  world.asked[1].answer('y');
  await settled();
  assert.deepEqual(world.game().turns, ['b', 'y']);
  await world.referee.give('undo', {});
  assert.deepEqual(world.game().turns, []);
  await assert.rejects(world.referee.give('undo', {}), /nothing to take back/);
});

test('a game that is over has its result, and a rematch changes sides', async () => {
  const world = table([person, computer]);
  await world.referee.give('move', { turn: 'end' });
  assert.deepEqual(world.game().result, { winner: 1, reason: 'rules' });
  await assert.rejects(world.referee.give('move', { turn: 'a' }), /over/);
  await world.referee.give('rematch', {});
  const next = deviceGame(world.kept, world.events.at(-1).id);
  assert.deepEqual(
    next.seats.map(({ kind }) => kind),
    ['level', 'person'],
  );
});

test('whoever resigns has lost', async () => {
  const world = table([computer, person]);
  await world.referee.give('resign', {});
  assert.deepEqual(world.game().result, { winner: 1, reason: 'resigned' });
});

test('a clock runs from the first turn on, and ends the game', async () => {
  const world = table([person, person], { kind: 'time', seconds: 10, increment: 2 });
  world.time += 60_000;
  assert.equal(flagged(world.game(), world.time), null);
  await world.referee.give('move', { turn: 'a' });
  world.time += 4_000;
  await world.referee.give('move', { turn: 'b' });
  assert.deepEqual(world.game().clocks.left, [10_000, 8_000]);
  world.time += 9_999;
  world.referee.tick();
  assert.equal(world.game().result, null);
  world.time += 1;
  world.referee.tick();
  assert.deepEqual(world.game().result, { winner: 2, reason: 'time' });
});

test('a clock stands while no page is open', async () => {
  const world = table([person, person], { kind: 'time', seconds: 10, increment: 0 });
  await world.referee.give('move', { turn: 'a' });
  world.time += 3_600_000;
  world.referee.resume();
  assert.equal(flagged(world.game(), world.time), null);
});
