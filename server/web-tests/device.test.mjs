import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDevice, deviceGame, makeDeviceGame, openDeviceGame } from '../web/table/device.js';
import { ask } from './program.mjs';
import { storage } from './storage.mjs';

const person = { kind: 'person' };
const computer = { kind: 'level', level: 3 };
const NEARLY_WON = 'xx4/6/6/6/6/oo4 1';

/** A game over a storage, with a clock that the test moves and computers that the test answers for. */
const table = async (seats, { clock = { kind: 'none' }, start = '', game = 'gekitai' } = {}) => {
  const kept = storage();
  const world = { kept, time: 1_000, events: [], asked: [], stuck: [], pauses: [] };
  const means = {
    table: (fields) => ask('table', fields),
    turn: (fields, signal) =>
      new Promise((resolve, reject) => {
        const answer = (text) => resolve({ turn: text });
        world.asked.push({ fields, signal, answer, fail: (words) => reject(new Error(words)) });
        signal.addEventListener('abort', () => reject(new Error('stopped')));
      }),
    now: () => world.time,
    sleep: async (ms) => {
      world.pauses.push(ms);
    },
  };
  const id = await makeDeviceGame(kept, means, { game, options: {}, start, seats, clock });
  world.device = createDevice({
    id,
    storage: kept,
    means,
    onEvent: (event) => world.events.push(event),
    onStuck: (reason) => world.stuck.push(reason),
  });
  world.game = () => deviceGame(kept, id);
  return world;
};

const settled = () =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

test('a turn is stored before it is announced', async () => {
  const { device, game, events } = await table([person, person]);
  await device.give('move', { turn: 'c3' });
  assert.deepEqual(game().turns, ['c3']);
  assert.deepEqual(
    events.map(({ kind, seat, turn, seq }) => [kind, seat, turn, seq]),
    [['move', 1, 'c3', 2]],
  );
  assert.equal(game().turn, 2);
});

test('what is against the rules, or for another board, is refused and changes nothing', async () => {
  const { device, game, events } = await table([person, person]);
  await assert.rejects(device.give('move', { turn: 'z9' }), /z9/);
  assert.deepEqual([game().turns, events], [[], []]);
  const { board_seq: old } = game();
  await device.give('move', { turn: 'c3', board_seq: old });
  await assert.rejects(device.give('move', { turn: 'd4', board_seq: old }), /board has changed/);
  assert.deepEqual(game().turns, ['c3']);
});

test('a command is judged by what another page has played meanwhile', async () => {
  const world = await table([person, person]);
  const resigned = world.device.give('resign', { seat: 2 });
  const { table: other } = await ask('table', {
    table: world.game(),
    command: { do: 'move', turn: 'c3', seat: 1 },
    now: world.time,
  });
  world.kept.setItem(`quadrille.device.${other.id}`, JSON.stringify(other));
  await resigned;
  assert.deepEqual(world.game().turns, ['c3']);
  assert.deepEqual(world.game().result, { winner: 1, reason: 'resigned' });
});

test('the computer answers once this page leads, and never before', async () => {
  const world = await table([computer, person]);
  await settled();
  assert.equal(world.asked.length, 0);
  world.device.lead();
  assert.deepEqual(world.asked[0].fields.player, { kind: 'level', level: 3 });
  world.asked[0].answer('c3');
  await settled();
  assert.deepEqual(world.game().turns, ['c3']);
  assert.equal(world.asked.length, 1);
  await world.device.give('move', { turn: 'd4' });
  assert.equal(world.asked.length, 2);
});

test('a computer that cannot play is asked a few times with growing pauses, then the page says so', async () => {
  const world = await table([computer, person]);
  world.device.lead();
  for (let tries = 0; tries < 4; tries++) {
    world.asked.at(-1).fail('the rules could not be loaded');
    await settled();
  }
  assert.equal(world.asked.length, 4);
  assert.deepEqual(world.stuck, ['the rules could not be loaded']);
  const between = world.pauses.filter((ms) => ms !== 350);
  assert.deepEqual(between, [1_400, 5_600, 22_400]);
  world.device.again();
  world.asked[4].answer('c3');
  await settled();
  assert.deepEqual([world.game().turns, world.stuck.at(-1)], [['c3'], null]);
});

test('undo while the computer thinks stops it and takes one turn back, later two', async () => {
  const world = await table([person, computer]);
  world.device.lead();
  await world.device.give('move', { turn: 'c3' });
  await world.device.give('undo', {});
  assert.ok(world.asked[0].signal.aborted);
  assert.deepEqual(world.game().turns, []);
  await world.device.give('move', { turn: 'd4' });
  world.asked[1].answer('f6');
  await settled();
  assert.deepEqual(world.game().turns, ['d4', 'f6']);
  await world.device.give('undo', {});
  assert.deepEqual(world.game().turns, []);
  await assert.rejects(world.device.give('undo', {}), /to take back/);
});

test('a game that is over has its result, and a rematch changes sides', async () => {
  const world = await table([person, computer], { start: NEARLY_WON });
  await world.device.give('move', { turn: 'c1' });
  assert.deepEqual(world.game().result, { winner: 1, reason: 'rules' });
  assert.match(world.game().ending, /has won/);
  await assert.rejects(world.device.give('move', { turn: 'd4' }), /over/);
  await world.device.give('rematch', {});
  const next = deviceGame(world.kept, world.events.at(-1).id);
  assert.deepEqual(
    next.seats.map(({ kind, name }) => [kind, name]),
    [
      ['level', 'Level 3'],
      ['person', null],
    ],
  );
  assert.equal(next.start, NEARLY_WON);
});

test('a player who resigns has lost, and the event says so', async () => {
  const world = await table([computer, person]);
  await world.device.give('resign', {});
  assert.deepEqual(world.game().result, { winner: 1, reason: 'resigned' });
  assert.equal(world.events.at(-1).words, 'Level 3 has won by resignation.');
});

test('a clock runs from the first turn on, and ends the game', async () => {
  const clock = { kind: 'time', seconds: 10, increment: 2 };
  const world = await table([person, person], { clock });
  world.time += 60_000;
  await world.device.tick();
  await world.device.give('move', { turn: 'c3' });
  world.time += 4_000;
  await world.device.give('move', { turn: 'd4' });
  assert.deepEqual(world.game().clocks.left, [10_000, 8_000]);
  world.time += 9_999;
  await world.device.tick();
  assert.equal(world.game().result, null);
  world.time += 1;
  await assert.rejects(world.device.give('move', { turn: 'a1' }), /time is up/);
  assert.deepEqual(world.game().result, { winner: 2, reason: 'time' });
});

test('a clock stands while no page is open', async () => {
  const clock = { kind: 'time', seconds: 10, increment: 0 };
  const world = await table([person, person], { clock });
  await world.device.give('move', { turn: 'c3' });
  world.time += 3_600_000;
  world.device.lead();
  await world.device.tick();
  assert.equal(world.game().result, null);
  assert.equal(world.events.at(-1).clocks.left[1], 10_000);
});

test('a game stored by version 0.2 is opened, and says how it ended', async () => {
  const kept = storage();
  const old = {
    ...{ id: 'abcdefgh', seq: 3, board_seq: 2, game: 'gekitai', options: {} },
    ...{ start: '6/6/6/6/6/6 1', shared: false, clock: { kind: 'none' }, turns: ['c3'], turn: 2 },
    seats: [
      { kind: 'person', joined: true },
      { kind: 'level', level: 3, joined: true },
    ],
    ...{ result: { winner: 2, reason: 'resigned' }, offer: null, rematch: null, clocks: null },
  };
  kept.setItem('quadrille.device.abcdefgh', JSON.stringify(old));
  const game = await openDeviceGame(kept, (fields) => ask('table', fields), 'abcdefgh');
  assert.equal(game.ending, 'Level 3 has won by resignation');
  assert.deepEqual(deviceGame(kept, 'abcdefgh'), game);
});

test('a game that somebody has removed says so', async () => {
  const world = await table([person, person]);
  world.kept.setItem('quadrille.prefs', '{}');
  await world.device.give('move', { turn: 'c3' });
  world.kept.removeItem(`quadrille.device.${world.game().id}`);
  await assert.rejects(world.device.give('move', { turn: 'd4' }), /no longer keeps this game/);
  await world.device.tick();
  world.device.lead();
});

test('a game goes on though everything the browser kept was cleared', async () => {
  const world = await table([person, person]);
  await world.device.give('move', { turn: 'c3' });
  world.kept.removeItem(`quadrille.device.${world.game().id}`);
  assert.equal(world.kept.length, 0);
  await world.device.give('move', { turn: 'd4' });
  assert.deepEqual(world.game().turns, ['c3', 'd4']);
});

test('a full storage refuses the turn and says what to do, and the turn can be played again', async () => {
  const world = await table([person, person]);
  const { setItem } = world.kept;
  world.kept.setItem = () => {
    throw new DOMException('exceeded the quota', 'QuotaExceededError');
  };
  await assert.rejects(world.device.give('move', { turn: 'c3' }), /forget finished games/);
  assert.deepEqual([world.game().turns, world.events], [[], []]);
  world.kept.setItem = setItem;
  await world.device.give('move', { turn: 'c3' });
  assert.deepEqual(world.game().turns, ['c3']);
});
