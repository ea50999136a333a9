import assert from 'node:assert/strict';
import test from 'node:test';
import { storage } from './storage.mjs';

// What an older version has left: a list of games, one with a secret.
const kept = new Map([
  ['quadrille.games', JSON.stringify([{ id: 'old', game: 'g', at: 1, token: 'secret' }])],
  ['quadrille.prefs', '{"theme":"dark"}'],
]);
globalThis.localStorage = storage(kept);
globalThis.sessionStorage = storage();
const mine = await import('../web/table/mine.js');
const { prefs } = await import('../web/common/prefs.js');
const { read, remember, remembered, write } = await import('../web/common/storage.js');

test('games of an older version are brought over, each with its secret', () => {
  assert.deepEqual(mine.myGame('old'), { id: 'old', game: 'g', at: 1 });
  assert.equal(kept.get('quadrille.seat.old.?'), 'secret');
  assert.ok(!kept.has('quadrille.games'));
});

test('missing settings have their defaults, and what cannot be read counts as missing', () => {
  assert.deepEqual(prefs(), {
    theme: 'dark',
    sound: true,
    coordinates: true,
    confirm: 'auto',
    board: 'paper',
    size: 'full',
    name: '',
  });
  kept.set('quadrille.form', '{broken');
  assert.equal(remembered('form', 7), 7);
  assert.ok(remember('form', { a: 1 }));
  assert.deepEqual(remembered('form', 7), { a: 1 });
});

test('what is remembered of a game is added to what was, the latest game first', () => {
  mine.rememberGame({ id: 'one', game: 'g', at: 10 });
  mine.rememberGame({ id: 'one', names: 'Ann – Bob' });
  assert.deepEqual(mine.myGame('one'), { id: 'one', game: 'g', at: 10, names: 'Ann – Bob' });
  assert.deepEqual(
    mine.myGames().map(({ id }) => id),
    ['one', 'old'],
  );
});

test('of many finished games the oldest are forgotten, and none that goes on', () => {
  for (let at = 100; at < 170; at += 1) mine.rememberGame({ id: `g${at}`, at, over: true });
  const ids = mine.myGames().map(({ id }) => id);
  assert.equal(ids.filter((id) => id.startsWith('g')).length, 60);
  assert.ok(!ids.includes('g109') && ids.includes('g110') && ids.includes('one'));
});

test('a game is forgotten with its board, its seat and what waits to be sent', () => {
  for (const key of ['board.one', 'seat.one.1', 'outbox.one.1', 'outbox.other.1'])
    kept.set(`quadrille.${key}`, '"x"');
  mine.forgetGame('one');
  const left = [...kept.keys()].filter((key) => /\.(one|other)\b/.test(key));
  assert.deepEqual(left, ['quadrille.outbox.other.1']);
});

test('a kept board is used only by the version that drew it', () => {
  const view = { svg: '<svg/>', size: [200, 100], text: 't' };
  mine.rememberBoard('b', { view, place: { game: 'g' }, flipped: true }, 'Choose');
  assert.deepEqual(mine.viewOf('b'), { request: { game: 'g', flipped: true }, view });
  assert.equal(read('quadrille.board.b').wide, true);
  write('quadrille.board.b', { ...read('quadrille.board.b'), by: '/assets/other/' });
  assert.equal(mine.viewOf('b'), null);
  assert.equal(mine.boardOf('b')?.svg, '<svg/>');
});

test('boards of the games seen last are kept, and no more than are needed', () => {
  const view = { svg: '<svg/>', size: [10, 10], text: '' };
  for (let i = 0; i < 20; i += 1) {
    write(`quadrille.board.n${i}`, { svg: '<svg/>', at: i });
  }
  mine.rememberBoard('new', { view, place: { game: 'g' }, flipped: false }, '');
  const boards = [...kept.keys()].filter((key) => key.startsWith('quadrille.board.'));
  assert.equal(boards.length, 12);
  assert.ok(mine.boardOf('new') && mine.boardOf('n19'));
  assert.equal(mine.boardOf('n0'), undefined);
});
