import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as game from '../web/game/gamestate.js';
import { EMPTY } from '../web/connection/outbox.js';

const asks = {
  draw: 'offers a draw.',
  undo: 'asks to take back a turn.',
  rematch: 'asks for a rematch.',
};
const info = { id: 'g', name: 'Game', players: ['Black', 'White'] };
const people = [
  { kind: 'person', name: 'Ann' },
  { kind: 'open', name: 'Bob', joined: true },
];
const against = [{ kind: 'person' }, { kind: 'level', level: 3 }];
const played = (more = {}) => ({
  ...{ id: 'x', seq: 4, board_seq: 4, game: 'g', options: {}, start: '… 1', seats: people },
  ...{ turns: ['a', 'b'], turn: 1, result: null, offer: null, rematch: null, clocks: null },
  ...more,
});
const at = (you, more = {}, state = {}) => ({
  ...game.begun(
    { id: 'x', info, asks, embed: false, device: false },
    { game: played(more), seat: you && { token: 't', you, invitation: false }, note: '' },
  ),
  ...state,
});
const waits = (what) => ({
  commands: [
    { name: 'n', what, fields: {}, at: 0, phase: 'waiting', own: true, tries: 0, after: 0 },
  ],
});
const seen = (state, box = EMPTY) =>
  Object.entries(game.controls(state, box))
    .filter(([, { hidden }]) => !hidden)
    .map(([name]) => name);

test('a seat turns the board, and only its own turn of an unfinished game may be played', () => {
  assert.equal(at([2]).flipped, true);
  assert.equal(at([1, 2]).flipped, false);
  assert.equal(game.mayPlay(at([1])), true);
  assert.equal(game.mayPlay(at([2])), false);
  assert.equal(game.mayPlay(at([1], {}, { ply: 1 })), false);
  assert.equal(game.mayPlay(at([1], { result: { winner: 1, reason: 'rules' } })), false);
  assert.equal(game.mayPlay(at([1], { seats: [people[0], { kind: 'open' }] })), false);
});

test('a premove is for the player who waits, not for watchers and not for two at one screen', () => {
  assert.equal(game.premover(at([2])), 2);
  assert.equal(game.premover(at([1])), null);
  assert.equal(game.premover(at(null)), null);
  assert.equal(game.premover(at([1, 2], { turn: 2 })), null);
  assert.equal(game.premover(at([2], {}, { ply: 0 })), null);
});

test('watchers are offered no moves, no offers and no field to type in', () => {
  assert.deepEqual(seen(at(null)), ['back', 'on', 'analyse']);
});

test('against a computer no draw is offered, and the game can be analysed when it is over', () => {
  assert.deepEqual(seen(at([1], { seats: against })), [
    'back',
    'on',
    'hint',
    'undo',
    'resign',
    'type',
  ]);
  assert.deepEqual(seen(at([1], { seats: against, result: { winner: 1, reason: 'rules' } })), [
    ...['back', 'on', 'rematch', 'review', 'analyse'],
  ]);
});

test('what waits to be sent is not asked for again', () => {
  assert.equal(game.controls(at([1]), EMPTY).undo.disabled, false);
  assert.equal(game.controls(at([1]), waits('undo')).undo.busy, true);
  assert.equal(game.controls(at([1], { club: { rated: false } }), EMPTY).undo.hidden, false);
  assert.equal(game.controls(at([1], { club: { rated: true } }), EMPTY).undo.hidden, true);
  assert.equal(game.controls(at([1]), waits('resign')).resign.disabled, true);
  const asked = at([1], { result: { winner: 2, reason: 'rules' }, rematch: { seat: 1 } });
  assert.deepEqual(game.controls(asked, EMPTY).rematch, {
    ...{ hidden: false, disabled: true, label: 'Rematch asked' },
  });
});

test('an invited friend is not told to wait for a friend', () => {
  const open = [people[0], { kind: 'open' }];
  const seat = { token: 't', you: [2], invitation: true };
  const invited = at(null, { seats: open }, { seat });
  assert.equal(game.nameOf(invited, 2), 'White');
  assert.equal(game.nameOf(at([1], { seats: open }), 2), 'Waiting for a friend');
  assert.deepEqual(game.noticeOf(invited, EMPTY, undefined), { kind: 'join', joining: false });
  assert.equal(game.sits(invited), false);
  assert.deepEqual(seen(invited), ['back', 'on']);
});

test('a rematch is asked in the notice until it is put off, and watchers are led to it', () => {
  const over = { result: { winner: 1, reason: 'rules' } };
  const asked = { ...over, rematch: { seat: 2 } };
  assert.equal(game.noticeOf(at([1], asked), EMPTY)?.open.kind, 'rematch');
  assert.equal(game.noticeOf(at([1], asked), waits('rematch'))?.answering, true);
  assert.equal(game.noticeOf(at([1], asked, { putOff: true }), EMPTY), null);
  const next = { ...over, rematch: { id: 'next' } };
  assert.deepEqual(game.noticeOf(at(null, next), EMPTY), { kind: 'next', id: 'next' });
});

test('what a link was worth says where its reader is', () => {
  const note = 'This invitation has been used.';
  assert.equal(game.noticeOf(at(null, {}, { note }), EMPTY).text, `${note} You are watching.`);
  assert.equal(game.noticeOf(at(null), EMPTY), null);
});

test('a turn of this page is shown by the board, others when they take long', () => {
  const told = { kind: 'connected', words: '' };
  const state = at([1], {}, { told });
  assert.deepEqual(game.waiting(state, waits('move'), 10_000), []);
  assert.deepEqual(game.waiting(state, waits('resign'), 100), []);
  assert.equal(game.waiting(state, waits('resign'), 10_000)[0].phase, 'waiting');
  const away = { ...state, told: { kind: 'offline', words: '' } };
  assert.equal(game.waiting(away, waits('resign'), 100).length, 1);
});

test('a turn of another page is shown here while its board is the same', () => {
  const foreign = (board) => ({
    commands: [
      { ...waits('move').commands[0], own: false, fields: { turn: 'c', board_seq: board } },
    ],
  });
  assert.equal(game.turnToAdopt(at([1]), foreign(4))?.fields.turn, 'c');
  assert.equal(game.turnToAdopt(at([1]), foreign(3)), null);
  assert.equal(game.turnToAdopt(at([1], {}, { adopted: new Set(['n']) }), foreign(4)), null);
  assert.equal(game.turnToAdopt(at([1]), waits('move')), null);
});

test('a seat tells name, colour, count and who is away', () => {
  const view = {
    players: [
      { tint: 'dark', count: '3 pieces', reserve: 2 },
      { tint: 'light', count: '1 piece', reserve: null },
    ],
  };
  const state = at([1], {}, { presence: { seats: [false, false], watchers: 0 } });
  assert.deepEqual(game.seatOf(state, 1, view), {
    ...{
      name: 'Ann (you)',
      about: 'Black · 3 pieces, 2 in hand',
      tint: 'dark',
      turn: true,
      winner: false,
    },
  });
  const { about } = game.seatOf(state, 2, view);
  assert.equal(about, 'White · offline · 1 piece');
  assert.equal(
    game.seatOf(at([1], { seats: [{ kind: 'person' }, people[1]] }), 1, null).name,
    'You',
  );
});

test('while nothing is to be done, the prompt is a whole sentence', () => {
  assert.equal(game.idleWords(at([1], {}, { ply: 1 }), ''), 'Turn 1 of 2');
  assert.equal(game.idleWords(at([2]), ''), 'Ann to move');
  const open = { seats: [people[0], { kind: 'open', name: null, joined: false }] };
  assert.equal(game.idleWords(at([1], open), ''), 'Waiting for a friend to join');
  assert.equal(game.controls(at([1], open), EMPTY).type.hidden, true, 'nothing to type yet');
  const computer = { seats: against, turn: 2 };
  assert.equal(game.idleWords(at([1], computer), ''), 'Level 3 is thinking');
  assert.equal(
    game.idleWords(at([1], computer, { stuck: 'no more memory' }), ''),
    'Level 3 to move',
  );
  const won = { result: { winner: 1, reason: 'resigned' }, ending: 'Ann has won by resignation' };
  assert.equal(game.idleWords(at([1], won), 'red has won'), 'Ann has won by resignation');
  const byRules = { result: { winner: 1, reason: 'rules' }, ending: 'Ann has won' };
  assert.equal(game.idleWords(at([1], byRules), 'red has a row'), 'Red has a row');
  assert.equal(game.idleWords(at([1], byRules), ''), 'Ann has won');
});

test('whoever plays hears at the end whether it was won, in a word that names no colour', () => {
  const ended = (winner) => ({ result: { winner, reason: 'rules' } });
  assert.equal(game.outcome(at([1], ended(1))), 'You have won.');
  assert.equal(game.outcome(at([2], ended(1))), 'You have lost.');
  for (const state of [at([1, 2], ended(1)), at(null, ended(1)), at([1], ended('draw')), at([1])])
    assert.equal(game.outcome(state), '');
});

test('what happens together is announced together', () => {
  const first = game.announcedWith(at(null), 'Bob plays a.', 10_000);
  const state = at(null, {}, { announced: first });
  assert.equal(game.announcedWith(state, 'Over.', 10_300).words, 'Bob plays a. Over.');
  assert.equal(game.announcedWith(state, 'Over.', 12_000).words, 'Over.');
});

test('page and server disagree when the server knows less, or another board', () => {
  assert.equal(game.differs(at(null), { seq: 4, board_seq: 4 }), false);
  assert.equal(game.differs(at(null), { seq: 3 }), true);
  assert.equal(game.differs(at(null), { seq: 4, board_seq: 2 }), true);
  assert.equal(game.differs(at(null), { seq: 6, board_seq: 6 }), false);
});

test('two people are not helped by the engine, unless they share a screen without a clock', () => {
  const clocks = { left: [1, 1], running: 1, at: 0 };
  const here = { device: true };
  const helped = (you, more, state) => seen(at(you, more, state)).includes('hint');
  assert.equal(helped([1]), false);
  assert.equal(helped([1], { clocks }), false);
  assert.equal(helped([1, 2]), false);
  assert.equal(helped([1, 2], { clocks }, here), false);
  assert.equal(helped([1, 2], {}, here), true);
  assert.equal(helped([1], { seats: against, clocks }), true);
});

test('a game can be called off until both have moved in it, whatever it began with', () => {
  assert.equal(game.controls(at([1], { turns: ['a'] }), EMPTY).resign.label, 'Call off');
  assert.equal(game.controls(at([1]), EMPTY).resign.label, 'Resign');
  assert.equal(game.controls(at([1], { began: 1 }), EMPTY).resign.label, 'Call off');
  assert.equal(game.controls(at([1], { began: 0 }), EMPTY).resign.label, 'Resign');
});
