import assert from 'node:assert/strict';
import test from 'node:test';
import { after, canBeGiven } from '../web/table/live.js';
import { announcement, headline, progress, question } from '../web/game/notices.js';

const person = (name = null) => ({ kind: 'person', name, joined: true });
const start = {
  id: 'g',
  seq: 1,
  board_seq: 1,
  game: 'any',
  options: {},
  start: '6/6 1',
  seats: [person('Ann'), person('Bob')],
  shared: false,
  clock: { kind: 'none' },
  turns: [],
  turn: 1,
  result: null,
  offer: null,
  rematch: null,
  clocks: null,
};
const fold = (events, game = start) =>
  events.reduce((state, event, i) => after(state, { ...event, seq: game.seq + 1 + i }), game);
const move = (seat, turn) => ({ kind: 'move', seat, turn });
const asking = (player, kind) => `${start.seats[player - 1].name}: ${kind}`;

test('an offer outlives a move of its maker and ends with a move of the other', () => {
  const offered = fold([{ kind: 'offer', seat: 1, offer: 'draw' }, move(1, 'a1')]);
  assert.deepEqual(offered.offer, { kind: 'draw', seat: 1 });
  assert.equal(fold([move(2, 'b1')], offered).offer, null);
});

test('an offer ends with an answer, a turn taken back and the result', () => {
  const offer = { kind: 'offer', seat: 1, offer: 'undo' };
  for (const end of [
    { kind: 'declined', seat: 2 },
    { kind: 'undone', seat: 2, turns: 0 },
    { kind: 'result', winner: 1, reason: 'resigned' },
  ]) {
    assert.equal(fold([move(1, 'a1'), offer, end]).offer, null, end.kind);
  }
});

test('only moves and turns taken back change the number of the board', () => {
  const game = fold([
    move(1, 'a1'),
    { kind: 'offer', seat: 1, offer: 'undo' },
    { kind: 'paused', from: 1, to: 2 },
    { kind: 'joined', seat: 2, name: 'B' },
  ]);
  assert.deepEqual([game.seq, game.board_seq], [5, 2]);
  assert.equal(fold([{ kind: 'declined', seat: 2, at: 77 }], game).at, 77);
  assert.deepEqual(fold([{ kind: 'undone', seat: 2, turns: 0 }], game).board_seq, 6);
});

test('a player who joins without a name has none, and one who moves has joined', () => {
  const open = { ...start, seats: [person('Ann'), { kind: 'open', name: null, joined: false }] };
  const joined = fold(
    [
      { kind: 'joined', seat: 2, name: 'Bob' },
      { kind: 'joined', seat: 2, name: null },
    ],
    open,
  );
  assert.deepEqual(joined.seats[1], { kind: 'open', name: null, joined: true });
  assert.equal(fold([move(1, 'a1'), move(2, 'b1')], open).seats[1].joined, true);
});

test('an offer is a question to the opponent alone, in the title, too', () => {
  const game = fold([{ kind: 'offer', seat: 1, offer: 'draw' }]);
  assert.deepEqual(question(game, [2], asking), {
    kind: 'offer',
    text: 'Ann: draw',
    short: 'Draw offered',
  });
  assert.equal(question(game, [1], asking)?.kind, 'asked');
  assert.equal(question(game, [], asking)?.text, 'Ann: draw');
  assert.equal(headline(game, [2], asking, false), 'Draw offered – ');
  assert.equal(headline(game, [1], asking, true), 'Your turn – ');
});

test('offers, answers and rematches are announced with a sound to the players concerned', () => {
  const offer = { kind: 'offer', seat: 1, offer: 'undo', words: 'Ann asks to take back a turn.' };
  assert.deepEqual(announcement(offer, [2]), { words: offer.words, sound: 'offer' });
  assert.deepEqual(announcement(offer, []), { words: offer.words, sound: null });
  assert.deepEqual(announcement(offer, [1]), { words: 'Asked to take back a turn.', sound: null });
  const declined = { kind: 'declined', seat: 2, words: 'Bob declines.' };
  assert.equal(announcement(declined, [2]), null, 'who declines is not told');
  assert.deepEqual(announcement(declined, [1]), { words: 'Bob declines.', sound: 'offer' });
  const rematch = { kind: 'rematch', seat: 2, words: 'Bob asks for a rematch.' };
  const over = fold([{ kind: 'result', winner: 1, reason: 'resigned' }, rematch]);
  assert.equal(announcement(rematch, [1])?.words, 'Bob asks for a rematch.');
  assert.equal(question(over, [1], asking)?.kind, 'rematch');
  assert.equal(announcement({ ...rematch, id: 'abcdefgh' }, [1]), null);
});

test('a result brings the words for how the game ended', () => {
  const words = 'Ann has won by resignation.';
  const over = fold([{ kind: 'result', winner: 1, reason: 'resigned', words }]);
  assert.equal(over.ending, 'Ann has won by resignation');
});

test('a command says how far it has come', () => {
  const command = { what: 'move', fields: { turn: 'c4' }, phase: 'waiting' };
  assert.equal(progress(command, true), 'Turn c4 waits to be sent');
  assert.equal(progress({ ...command, phase: 'sent' }, true), 'Sending turn c4…');
  assert.equal(
    progress({ ...command, phase: 'sent' }, false),
    'Turn c4 waits to be sent',
    'nobody knows whether it arrived',
  );
  assert.equal(
    progress(
      {
        what: 'offer-draw',
        fields: {},
        phase: 'refused',
        reason: 'you have offered a draw already',
      },
      true,
    ),
    'Your draw offer was refused: you have offered a draw already',
  );
});

test('a game of this browser is handed to a server only if nothing is lost', () => {
  const ended = (reason, winner = 1) => ({ ...start, result: { winner, reason } });
  assert.ok(canBeGiven(start));
  assert.ok(!canBeGiven({ ...start, clocks: { left: [1, 1], running: 1, at: 0 } }), 'its clocks');
  for (const reason of ['rules', 'repetition', 'resigned'])
    assert.ok(canBeGiven(ended(reason)), reason);
  assert.ok(!canBeGiven(ended('time')), 'a loss on time would go on');
  assert.ok(!canBeGiven(ended('agreed', 'draw')));
  assert.ok(canBeGiven({ ...ended('agreed', 'draw'), shared: true }));
});
