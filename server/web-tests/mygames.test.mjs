import assert from 'node:assert/strict';
import test from 'node:test';
import './page.mjs';
import { storage } from './storage.mjs';

globalThis.localStorage = storage();
globalThis.sessionStorage = storage();
globalThis.addEventListener = () => {};
const { listed } = await import('../web/pages/mygames.js');
const { myGames, rememberGame } = await import('../web/table/mine.js');

test('a game that goes on is listed, however many were begun after it', () => {
  const finished = Array.from({ length: 40 }, (_, i) => ({ id: `f${i}`, at: 100 - i, over: true }));
  const { open, over } = listed([...finished, { id: 'old', at: 1 }]);
  assert.deepEqual(
    open.map(({ id }) => id),
    ['old'],
  );
  assert.equal(over.length, 24);
});

test('games are listed by when something last happened in them', () => {
  rememberGame({ id: 'a', game: 'g', at: 1 });
  rememberGame({ id: 'b', game: 'g', at: 2 });
  rememberGame({ id: 'a', at: 3 });
  assert.deepEqual(
    myGames().map(({ id }) => id),
    ['a', 'b'],
  );
});
