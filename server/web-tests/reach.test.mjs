import assert from 'node:assert/strict';
import test from 'node:test';
import { createReach } from '../web/connection/reach.js';

const never = () => new Promise(() => {});
const soon = () => Promise.resolve();

test('everybody who waits is notified when a probe is answered, and shares one search', async () => {
  let probes = 0;
  const reach = createReach({ probe: async () => ++probes >= 3, sleep: soon });
  const seen = [];
  reach.watch((answering) => seen.push(answering));
  reach.lost();
  reach.lost();
  await Promise.all([reach.back(), reach.back()]);
  assert.equal(probes, 3);
  assert.deepEqual(seen, [false, true]);
});

test('a request that is answered ends the search', async () => {
  const reach = createReach({ probe: never, sleep: soon });
  reach.lost();
  const back = reach.back();
  reach.found();
  await back;
  assert.equal(reach.answering(), true);
});

test('a hint that the network is back ends the pause', async () => {
  const reach = createReach({ probe: async () => true, sleep: never });
  reach.lost();
  const back = reach.back();
  await soon();
  reach.hurry();
  await back;
});

test('nobody waits for a server that answers', async () => {
  await createReach({ probe: never, sleep: never }).back();
});
