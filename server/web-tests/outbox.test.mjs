import assert from 'node:assert/strict';
import test from 'node:test';
import * as outbox from '../web/connection/outbox.js';

const wish = (name, at, what = 'move') => ({ name, what, fields: { turn: name }, at });
const REFUSAL = { status: 409, error: 'the board has changed', field: 'board_seq' };

test('a command stays in the box until it is acknowledged', () => {
  let box = outbox.enqueue(outbox.EMPTY, wish('a', 1));
  box = outbox.sent(box, 'a');
  assert.equal(outbox.pendingTurn(box)?.phase, 'sent');
  box = outbox.acknowledged(box, 'a');
  assert.deepEqual(box.commands, []);
});

test('what was sent on a connection that is lost is due again', () => {
  let box = outbox.sent(outbox.enqueue(outbox.EMPTY, wish('a', 1)), 'a');
  assert.equal(outbox.due(box, 10), null, 'an answer is awaited');
  box = outbox.reconnected(box);
  assert.equal(outbox.due(box, 10)?.name, 'a');
});

test('commands go one at a time in the order in which they were given', () => {
  let box = outbox.enqueue(outbox.EMPTY, wish('later', 2));
  box = outbox.enqueue(box, wish('sooner', 1));
  assert.equal(outbox.due(box, 10)?.name, 'sooner');
  box = outbox.sent(box, 'sooner');
  assert.equal(outbox.due(box, 10), null);
  box = outbox.acknowledged(box, 'sooner');
  assert.equal(outbox.due(box, 10)?.name, 'later');
});

test('a refusal is kept with its reason and does not hold up what follows', () => {
  let box = outbox.enqueue(outbox.enqueue(outbox.EMPTY, wish('a', 1)), wish('b', 2, 'resign'));
  box = outbox.refused(outbox.sent(box, 'a'), 'a', REFUSAL, 10);
  assert.equal(outbox.find(box, 'a')?.reason, REFUSAL.error);
  assert.equal(outbox.pendingTurn(box), null);
  assert.equal(outbox.due(box, 10)?.name, 'b');
  assert.equal(outbox.find(outbox.moved(box), 'a'), undefined);
});

test('"not now" is not a refusal: the command waits and is tried again after a pause', () => {
  let box = outbox.sent(outbox.enqueue(outbox.EMPTY, wish('a', 1)), 'a');
  box = outbox.refused(box, 'a', { status: 503, error: 'the server is stopping' }, 1000);
  assert.equal(outbox.pendingTurn(box)?.phase, 'waiting');
  assert.equal(outbox.due(box, 1000), null);
  assert.equal(outbox.due(box, 1000 + 60_000)?.name, 'a');
});

test('a server with an internal error is asked only a few times', () => {
  let box = outbox.enqueue(outbox.EMPTY, wish('a', 1));
  for (let i = 0; i < 10; i++)
    box = outbox.refused(outbox.sent(box, 'a'), 'a', { status: 500, error: 'internal error' }, 0);
  assert.equal(outbox.find(box, 'a')?.phase, 'refused');
});

test('the same command put in twice is one', () => {
  const box = outbox.enqueue(outbox.enqueue(outbox.EMPTY, wish('a', 1)), wish('a', 1), false);
  assert.equal(box.commands.length, 1);
  assert.equal(box.commands[0].own, true);
});

test('an answer to another page ends its commands but not those given here', () => {
  const box = outbox.enqueue(outbox.enqueue(outbox.EMPTY, wish('own', 1)), wish('other', 2), false);
  assert.equal(outbox.find(outbox.answeredElsewhere(box, 'own'), 'own')?.name, 'own');
  assert.equal(outbox.find(outbox.answeredElsewhere(box, 'other'), 'other'), undefined);
});

test('what was kept reads back, and anything else is no command', () => {
  assert.deepEqual(outbox.read(outbox.written(wish('a', 1))), wish('a', 1));
  for (const text of [
    null,
    '',
    '{',
    'null',
    '[]',
    '{"name":1}',
    '{"name":"a","what":"move","fields":null,"at":1}',
    '{"name":"a","what":"move","fields":{},"at":"x"}',
  ]) {
    assert.equal(outbox.read(text), null, String(text));
  }
});
