import assert from 'node:assert/strict';
import test from 'node:test';
import { createCommands, waitingFor } from '../web/connection/commands.js';
import { storage } from './storage.mjs';

const desk = (kept, who = '1') =>
  createCommands({ game: 'g', who, storage: kept, onChange: () => {}, now: () => 1_000 });

test('a page that is loaded again sends what was not answered, under the same name', () => {
  const kept = storage();
  desk(kept).give('move', { turn: 'c4', board_seq: 3 });
  const again = desk(kept);
  const message = again.take();
  assert.equal(message.do, 'move');
  assert.equal(message.turn, 'c4');
  assert.equal(message.board_seq, 3);
  assert.equal(waitingFor(kept, 'g'), 1);
  again.answered({ type: 'ack', command: message.command });
  assert.equal(waitingFor(kept, 'g'), 0);
  assert.equal(desk(kept).take(), null);
});

test('a command lost in a crash between sending and the answer is sent again', () => {
  const kept = storage();
  const before = desk(kept);
  before.give('move', { turn: 'c4' });
  const first = before.take();
  assert.deepEqual(desk(kept).take(), first);
});

test('the seats of one game in one browser do not send for each other', () => {
  const kept = storage();
  desk(kept, '1').give('move', { turn: 'c4' });
  assert.equal(desk(kept, '2').take(), null);
});

test("two pages of a seat know each other's commands, and an answer to one ends it for both", async () => {
  const kept = storage();
  const [here, there] = [desk(kept), desk(kept)];
  const answer = here.give('move', { turn: 'c4' });
  const [key] = [kept.key(0)];
  there.stored({ key, newValue: kept.getItem(key) });
  const [mine, theirs] = [here.take(), there.take()];
  assert.deepEqual(mine, theirs);
  const followed = there.answerTo(mine.command);
  here.answered({ type: 'ack', command: mine.command });
  await answer;
  there.stored({ key, newValue: null });
  await followed;
  assert.equal(there.box().commands.length, 0);
});

test('a refusal reaches the page on which the command was given even if another page had the answer first', async () => {
  const kept = storage();
  const [here, there] = [desk(kept), desk(kept)];
  const answer = here.give('move', { turn: 'c4' });
  const [key] = [kept.key(0)];
  there.stored({ key, newValue: kept.getItem(key) });
  const { command } = here.take();
  there.answered({ type: 'refused', command, status: 409, error: 'the game is over' });
  here.stored({ key, newValue: null });
  assert.equal(here.box().commands.length, 1, 'it still waits for its own answer');
  here.answered({ type: 'refused', command, status: 409, error: 'the game is over' });
  await assert.rejects(answer, /over/);
  assert.equal(here.box().commands[0].reason, 'the game is over');
});

test('malformed entries in the storage are removed', () => {
  const kept = storage(new Map([['quadrille.outbox.g.1.x', '{']]));
  assert.equal(desk(kept).take(), null);
  assert.equal(kept.length, 0);
});

test('a browser that keeps nothing still sends', () => {
  const full = {
    ...storage(),
    setItem: () => {
      throw new Error('full');
    },
  };
  const one = desk(full);
  one.give('resign');
  assert.equal(one.take().do, 'resign');
});

test('an answer that comes twice, or for an unknown command, changes nothing', () => {
  const one = desk(storage());
  one.give('resign');
  const { command } = one.take();
  one.answered({ type: 'ack', command });
  one.answered({ type: 'ack', command });
  one.answered({ type: 'refused', command: 'unknown', status: 409, error: 'no' });
  assert.equal(one.box().commands.length, 0);
});
