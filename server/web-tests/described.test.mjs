import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byPieces, byRows, byThreats } from '../web/play/described.js';
import { ask } from './program.mjs';

const view = (game, position) => ask('view', { game, position });

test('a board is described by rows and by pieces, without its empty cells', async () => {
  const seen = await view('gekitai', '6/1x4/6/o2x2/6/6 1');
  assert.deepEqual(byRows(seen), [
    'empty',
    'b2, X marker',
    'empty',
    'a4, O marker; d4, X marker',
    'empty',
    'empty',
  ]);
  assert.deepEqual(byPieces(seen), ['X marker: b2, d4', 'O marker: a4']);
});

test('a board without pieces says so', async () => {
  assert.deepEqual(byPieces(await view('gekitai', '6/6/6/6/6/6 1')), ['No pieces']);
});

test('an empty goal is no piece', async () => {
  const seen = await view('jeson-mor', '4n/5/5/5/N4 1');
  assert.deepEqual(byPieces(seen), ['Black knight: e5', 'White knight: a1']);
});

test('threats of both sides are described, and so is their absence', () => {
  const side = (name, wins = null) => ({ name, wins });
  const told = (...sides) => byThreats(...sides).filter(Boolean);
  assert.deepEqual(told(side('X', 'c3'), side('O')), ['X can win at once, by c3.']);
  assert.deepEqual(told(side('X'), side('O', 'd4')), ['O threatens to win, by d4.']);
  assert.deepEqual(told(side('X'), side('O')), ['Nobody can win with the next turn.']);
});
