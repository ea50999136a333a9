import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';

const SCRIPT = new URL('laws.mjs', import.meta.url).pathname;
const check = (...cases) => {
  const input = cases.map((one) => `${JSON.stringify(one)}\n`).join('');
  const { status, stdout } = spawnSync(process.execPath, [SCRIPT], { input, encoding: 'utf8' });
  return { status, said: stdout.trim() };
};

const seats = [
  { kind: 'person', name: 'Ann', joined: true },
  { kind: 'open', name: null, joined: false },
];
const game = { seq: 1, at: 0, board_seq: 1, start: '6/6 1', seats, turns: [], turn: 1 };
const joined = [seats[0], { kind: 'open', name: 'Ben', joined: true }];
const fold = {
  game: { ...game, offer: null, clocks: null, ending: null },
  events: [
    { seq: 2, kind: 'joined', seat: 2, name: 'Ben', at: 5 },
    { seq: 3, kind: 'move', seat: 1, turn: 'a1', at: 9 },
  ],
  after: {
    ...{ ...game, seq: 3, at: 9, board_seq: 3, seats: joined, turns: ['a1'], turn: 2 },
    ...{ offer: null, clocks: null, ending: 'is not compared' },
  },
};
const tap = (stage, label, cell = null) => ({ stage, label, cell });
const taps = {
  steps: [
    { text: 'a1:1-b1', taps: [tap('stack', 'a1', 0), tap('parts', '1'), tap('to', 'b1', 1)] },
    { text: 'a1:2-b1', taps: [tap('stack', 'a1', 0), tap('parts', '2'), tap('to', 'b1', 1)] },
  ],
  do: [{ tap: 0 }, { choose: '2', stage: 'parts' }, { back: true }, { drag: [0, 1] }],
  after: [
    { taps: ['a1'], aim: null, cells: [1], step: null },
    { taps: ['a1', '2'], aim: null, cells: [1], step: null },
    { taps: ['a1'], aim: null, cells: [1], step: null },
    { taps: ['a1'], aim: 1, cells: [1], step: null },
  ],
};
const clock = { left: 271_000, text: '4:31' };

test('cases that agree are counted', () => {
  assert.deepEqual(check({ fold }, { taps }, { clock }), { status: 0, said: '3' });
});

test('the first case that differs is reported', () => {
  const wrong = [
    { fold: { ...fold, after: { ...fold.after, turn: 1 } } },
    { taps: { ...taps, do: [{ tap: 1 }, ...taps.do.slice(1)] } },
    { clock: { ...clock, text: '4:32' } },
  ];
  for (const one of wrong) {
    const { status, said } = check({ clock }, one);
    assert.equal(status, 1);
    assert.match(said, /^case 1, /);
  }
});
