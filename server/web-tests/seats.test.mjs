import assert from 'node:assert/strict';
import { webcrypto } from 'node:crypto';
import test from 'node:test';
import { join } from '../web/table/join.js';
import { decide, freshSecret, held, hold, proposal, proposed, whoOf } from '../web/table/seats.js';
import { storage } from './storage.mjs';

const fill = (bytes) => webcrypto.getRandomValues(bytes);
const seat = (token, you, invitation = false) => ({ token, you, invitation });
const refused = (status) => Object.assign(new Error(`answered ${status}`), { status });

test('each seat has a key of its own, and an unchecked secret moves there when it is checked', () => {
  const kept = storage();
  hold(kept, 'g', '?', 'old');
  hold(kept, 'g', '2', 'two');
  hold(kept, 'g', whoOf([1]), 'old');
  assert.deepEqual(held(kept, 'g'), [
    { who: '1', token: 'old' },
    { who: '2', token: 'two' },
  ]);
});

test('a link that the server does not know changes nothing', () => {
  const own = seat('mine', [1]);
  assert.deepEqual(decide({ link: null, own: [own], chosen: null }), { play: own, ask: [] });
});

test('a link to another seat asks, and so does a browser with two seats', () => {
  const [own, link] = [seat('mine', [1]), seat('other', [2])];
  assert.deepEqual(decide({ link, own: [own], chosen: null }).ask, [link, own]);
  assert.deepEqual(decide({ link: null, own: [own, link], chosen: null }).ask, [own, link]);
  assert.equal(
    decide({ link, own: [own], chosen: '1' }).play,
    null,
    'a link that was just opened is not passed over',
  );
});

test('what a tab has chosen holds after a reload', () => {
  const both = [seat('mine', [1]), seat('other', [2])];
  assert.equal(decide({ link: null, own: both, chosen: '2' }).play, both[1]);
});

test('the same seat by link and from the storage asks nothing', () => {
  const own = seat('mine', [1]);
  assert.deepEqual(decide({ link: seat('mine', [1]), own: [own], chosen: null }).ask, []);
});

test('secrets are 22 letters and digits, never the same', () => {
  const made = new Set(Array.from({ length: 500 }, () => freshSecret(fill)));
  assert.equal(made.size, 500);
  for (const one of made) assert.match(one, /^[0-9A-Za-z]{22}$/);
});

test('a join that is repeated after a reload proposes the same secret', () => {
  const kept = storage();
  const secret = proposal(kept, 'g', 'inv', fill);
  assert.equal(proposal(kept, 'g', 'inv', fill), secret);
  assert.notEqual(proposal(kept, 'g', 'another', fill), secret);
  assert.equal(proposed(kept, 'g')?.invitation, 'another');
});

/** A server with one open seat, whose answers get lost where told. */
const server = ({ losesJoin = 0, takenBy = null } = {}) => {
  const state = { token: takenBy ?? 'inv', joins: 0 };
  return {
    state,
    send: async ({ secret }, bearer) => {
      if (bearer !== state.token) throw refused(401);
      if (takenBy) throw refused(409);
      state.token = secret;
      state.joins++;
      if (losesJoin-- > 0) throw refused(0);
      return { token: secret, event: { seat: 2 } };
    },
    look: async (token) => {
      if (token !== state.token) throw refused(401);
      return { you: [2] };
    },
    back: async () => {},
  };
};

test("joining gives a seat with a secret of one's own", async () => {
  const { send, look, back } = server();
  const outcome = await join({
    invitation: 'inv',
    secret: 'own',
    name: 'Bob',
    command: 'c',
    send,
    look,
    back,
  });
  assert.deepEqual(outcome, { joined: { token: 'own', you: [2] } });
});

test('a join whose answer is lost is found to be done', async () => {
  const { send, look, back, state } = server({ losesJoin: 1 });
  const outcome = await join({
    invitation: 'inv',
    secret: 'own',
    name: 'Bob',
    command: 'c',
    send,
    look,
    back,
  });
  assert.deepEqual(outcome, { joined: { token: 'own', you: [2] } });
  assert.equal(state.joins, 1);
});

test('a seat that somebody else has taken is said to be taken', async () => {
  const { send, look, back } = server({ takenBy: 'theirs' });
  assert.deepEqual(
    await join({ invitation: 'inv', secret: 'own', name: 'Bob', command: 'c', send, look, back }),
    { taken: true },
  );
});

test('a refused name can be corrected', async () => {
  const send = async () => {
    throw refused(422);
  };
  const outcome = await join({
    invitation: 'inv',
    secret: 'own',
    name: 'x',
    command: 'c',
    send,
    look: async () => ({}),
    back: async () => {},
  });
  assert.equal(outcome.error.status, 422);
});
