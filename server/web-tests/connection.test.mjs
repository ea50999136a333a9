import assert from 'node:assert/strict';
import test from 'node:test';
import { TICK, initial, step, told } from '../web/connection/connection.js';

/** Drives the machine along a made-up network and notes every order with its time. */
const drive = ({ opens = true, answers = () => true } = {}) => {
  let now = 0;
  let state = initial(now);
  const orders = [];
  const happen = (type, code) => {
    const [next, given] = step(state, { type, code }, now, 0.5);
    state = next;
    for (const order of given) {
      orders.push([order, now]);
      if (order === 'connect' && opens) {
        happen('opened');
        happen('greeted');
      }
      if (order === 'ping' && answers(now)) happen('answer');
    }
  };
  const pass = (ms, tick = TICK) => {
    for (const end = now + ms; now < end;) {
      now += tick;
      happen('tick');
    }
  };
  return {
    happen,
    pass,
    orders,
    at: () => now,
    state: () => state,
    told: () => told(state),
    set: (change) => {
      ({ opens = opens, answers = answers } = change);
    },
  };
};

test('a dead connection is noticed within ten seconds, whenever it dies', () => {
  for (let died = 0; died < 12_000; died += TICK) {
    const one = drive({ answers: (now) => now <= died });
    one.happen('start');
    one.pass(60_000);
    const drop = one.orders.find(([order]) => order === 'drop');
    assert.ok(drop && drop[1] - died <= 10_000, `died at ${died}, noticed at ${drop?.[1]}`);
    assert.ok(
      one.orders.some(([order, at]) => order === 'connect' && at >= drop[1]),
      'and connects again',
    );
  }
});

test('a quiet connection that answers is left alone', () => {
  const one = drive();
  one.happen('start');
  one.pass(600_000);
  assert.equal(one.orders.filter(([order]) => order === 'connect').length, 1);
  assert.equal(one.told().kind, 'connected');
});

test('a connection that does not open is given up and tried again, at most some five seconds later', () => {
  const one = drive({ opens: false });
  one.happen('start');
  one.pass(120_000);
  const tries = one.orders.filter(([order]) => order === 'connect').map(([, at]) => at);
  const gaps = tries.slice(1).map((at, i) => at - tries[i]);
  assert.ok(tries.length > 8 && Math.max(...gaps) <= 6_000 + 5_000 + TICK, String(gaps));
});

test('a refused connection is tried again with growing pauses that stay below some five seconds', () => {
  const one = drive({ opens: false });
  one.happen('start');
  const tries = () => one.orders.filter(([order]) => order === 'connect').length;
  for (let i = 0; i < 12; i++) {
    const before = [one.at(), tries()];
    one.happen('closed', 1006);
    while (tries() === before[1]) one.pass(TICK);
    assert.ok(one.at() - before[0] <= 5_000 + TICK, `${one.at() - before[0]} ms`);
  }
});

test('coming online or becoming visible again connects at once', () => {
  for (const news of ['online', 'shown', 'requests-answered']) {
    const one = drive({ opens: false });
    one.happen('start');
    for (let i = 0; i < 8; i++) {
      one.happen('closed', 1006);
      one.pass(20_000);
    }
    one.happen('closed', 1006);
    one.set({ opens: true });
    one.happen(news);
    assert.equal(one.told().kind, 'connected', news);
  }
});

test('after a sleep the connection must show at once that it lives', () => {
  const one = drive({ answers: (now) => now < 10_000 });
  one.happen('start');
  one.pass(10_000);
  one.pass(3_600_000, 3_600_000);
  const woke = one.at();
  one.pass(5_000);
  const drop = one.orders.find(([order]) => order === 'drop');
  assert.ok(drop && drop[1] - woke <= 3_000, `dropped at ${drop?.[1]}, woke at ${woke}`);
});

test('a page whose timers run once a minute still notices a dead connection', () => {
  const one = drive({ answers: (now) => now < 10_000 });
  one.happen('start');
  one.pass(10_000);
  one.pass(180_000, 60_000);
  assert.ok(one.orders.some(([order]) => order === 'drop'));
});

test('each state has its words, which end with it', () => {
  const one = drive();
  assert.equal(one.told().kind, 'connecting');
  one.happen('start');
  assert.equal(one.told().kind, 'connected');
  one.set({ opens: false });
  one.happen('restart');
  one.happen('closed', 1012);
  assert.equal(one.told().kind, 'restarting');
  one.set({ opens: true });
  one.pass(6_000);
  assert.equal(one.told().kind, 'connected');
  one.set({ opens: false });
  one.happen('closed', 1006);
  assert.equal(one.told().kind, 'reconnecting');
  one.happen('offline');
  assert.equal(one.told().kind, 'offline');
  one.set({ opens: true });
  one.happen('online');
  assert.equal(one.told().kind, 'connected');
});

test('a page whose requests are not answered is not connected', () => {
  const one = drive();
  one.happen('start');
  one.happen('requests-fail');
  assert.notEqual(one.told().kind, 'connected');
  one.happen('requests-answered');
  assert.equal(one.told().kind, 'connected');
});

test('a page that has exceeded a limit comes back slowly', () => {
  const one = drive({ opens: false });
  one.happen('start');
  one.happen('closed', 1008);
  const closed = one.at();
  one.pass(10_000);
  const next = one.orders.filter(([order]) => order === 'connect')[1];
  assert.ok(next[1] - closed >= 2_500, String(next));
});
