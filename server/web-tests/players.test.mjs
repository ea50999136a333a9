import assert from 'node:assert/strict';
import test from 'node:test';
import { storage } from './storage.mjs';

globalThis.localStorage = storage();
globalThis.sessionStorage = storage();
const keys = await import('../web/club/keys.js');

const ann = { id: 'ann', name: 'Ann', key: 'pk-ann' };
const ben = { id: 'ben', name: 'Ben', key: 'pk-ben' };
const refusal = (status) => Object.assign(new Error('refused'), { status });

test('a player who switches to another can switch back, with their seats', () => {
  const kept = storage(new Map([['quadrille.seat.g.1', ann.key]]));
  keys.become(kept, ann);
  keys.become(kept, ben);
  assert.deepEqual(keys.current(kept), ben);
  assert.deepEqual(keys.earlier(kept), [ann]);
  assert.equal(kept.getItem('quadrille.seat.g.1'), ann.key);
  keys.become(kept, ann);
  assert.deepEqual([keys.current(kept), keys.earlier(kept)], [ann, [ben]]);
});

test('a key that is replaced takes its seats along, and no other ones', () => {
  const seats = [
    ['quadrille.seat.g.1', ann.key],
    ['quadrille.seat.h.2', 'guest'],
  ];
  const kept = storage(new Map(seats));
  keys.become(kept, ann);
  keys.become(kept, { ...ann, key: 'pk-new' });
  assert.equal(kept.getItem('quadrille.seat.g.1'), 'pk-new');
  assert.equal(kept.getItem('quadrille.seat.h.2'), 'guest');
  assert.deepEqual(keys.earlier(kept), []);
});

test('what is forgotten leaves no trace', () => {
  const all = new Map([
    ['quadrille.seat.g.1', ann.key],
    ['quadrille.seat.h.2', 'guest'],
  ]);
  const kept = storage(all);
  keys.become(kept, ann);
  keys.propose(kept, { from: ann.key }, () => 'pk-next');
  keys.leave(kept, ann);
  assert.ok(![...all.values()].some((value) => /pk-/.test(value)), [...all.values()].join(' '));
  assert.equal(kept.getItem('quadrille.seat.h.2'), 'guest');
});

test('a key is kept before it is sent, and the same request sends the same one', () => {
  const kept = storage();
  const first = keys.propose(kept, { name: 'Ann' }, () => 'pk-one');
  assert.equal(keys.pending(kept).key, first);
  assert.equal(
    keys.propose(kept, { name: 'Ann' }, () => 'pk-two'),
    'pk-one',
  );
  assert.equal(
    keys.propose(kept, { name: 'Ben' }, () => 'pk-two'),
    'pk-two',
  );
  const full = { ...storage(), setItem: () => assert.fail() };
  assert.equal(
    keys.propose(full, { name: 'Ann' }, () => 'pk'),
    null,
  );
});

test('a lost answer loses no player', async () => {
  for (const from of [undefined, ann.key]) {
    const kept = storage();
    if (from) keys.become(kept, ann);
    keys.propose(kept, from ? { from } : { name: 'Ann' }, () => 'pk-new');
    const lost = async () => {
      throw refusal(0);
    };
    await keys.resolve(kept, lost);
    assert.ok(keys.pending(kept), 'nothing is known yet');
    await keys.resolve(kept, async () => ({ id: 'ann', name: 'Ann' }));
    assert.deepEqual(keys.current(kept), { ...ann, key: 'pk-new' });
    assert.equal(keys.pending(kept), null);
  }
  const kept = storage();
  keys.become(kept, ann);
  keys.propose(kept, { from: ann.key }, () => 'pk-new');
  await keys.resolve(kept, async () => {
    throw refusal(401);
  });
  assert.deepEqual([keys.current(kept), keys.pending(kept)], [ann, null]);
});
