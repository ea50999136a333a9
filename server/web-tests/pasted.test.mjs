import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judged, kindOf, recordText } from '../web/analysis/pasted.js';

test('records, JSON and lines are told apart by their form, and name their game or do not', () => {
  assert.deepEqual(kindOf('[Event "x"]\n[Game "gekitai"]\n\n1. c3'), {
    kind: 'record',
    game: 'gekitai',
  });
  assert.deepEqual(kindOf('1. c3 d4 2. a1'), { kind: 'record', game: null });
  assert.deepEqual(kindOf('{ a comment } 1. c3'), { kind: 'record', game: null });
  assert.deepEqual(kindOf('{"game": "gekitai", "board": []}'), { kind: 'json', game: 'gekitai' });
  assert.deepEqual(kindOf('{\n "board": []}'), { kind: 'json', game: null });
  assert.deepEqual(kindOf('6/6/6/2x3/6/6 2'), { kind: 'line', game: null });
  assert.deepEqual(kindOf('6/6/6/2x3/6/6;both=draw 1'), { kind: 'line', game: null });
});

test('turns without numbers are a record, and a Prolog term is a position in one line', () => {
  assert.deepEqual(kindOf('c3 d4 a1'), { kind: 'turns', game: null });
  assert.deepEqual(kindOf('c1-d3'), { kind: 'turns', game: null });
  assert.deepEqual(kindOf('a2-se:123@c4 d1-e:6@b2'), { kind: 'turns', game: null });
  assert.equal(kindOf('gamestate([[0,6,0]],1)').kind, 'line');
  assert.equal(kindOf('[[empty,\n plyr1], [plyr2, empty]]').kind, 'line');
  assert.equal(kindOf('[w,[[0]],[[0]]]').kind, 'line');
  assert.equal(kindOf('Board = [[x,o]]').kind, 'line');
  assert.equal(kindOf('[Game "gekitai"]').kind, 'record');
});

test('SGF is told by its bracket, and names its game or does not', () => {
  assert.deepEqual(kindOf('(;FF[4]GM[gekitai];B[c3];W[d4])'), { kind: 'sgf', game: 'gekitai' });
  assert.deepEqual(kindOf('( ;\nB[c3])'), { kind: 'sgf', game: null });
});

test('a record is read with its game and a result, and only commas between turns go', async () => {
  const { ask } = await import('./program.mjs');
  const read = (text, game, untold) => ask('tree', { record: recordText(text, game, untold) });
  const turns = ({ nodes }) => nodes.map(({ turn }) => turn);
  assert.deepEqual(turns(await read('c3, d4,e2', 'gekitai', true)), ['c3', 'd4', 'e2']);
  const told = '[Game "gekitai"]\n[Event "Ulm, 1908"]\n\n1. c3 { well, well } d4';
  const tree = await read(told, 'gekitai', false);
  assert.deepEqual(tree.tags, [['Event', 'Ulm, 1908']]);
  assert.match(tree.nodes[0].comment, /well, well/);
  const sgf = '(;FF[4]GM[gekitai]C[a, b];B[c3];W[d4])';
  assert.deepEqual(turns(await read(sgf, 'gekitai', false)), ['c3', 'd4']);
  const untold = await read('(;B[c3];W[d4])', 'gekitai', true);
  assert.deepEqual([untold.game, turns(untold)], ['gekitai', ['c3', 'd4']]);
});

const [a, b, c] = [{ name: 'A' }, { name: 'B' }, { name: 'C' }];
const open = () => '/there';

test('a text of one game leads there, whatever is wrong with it in the others', () => {
  const readings = [
    { info: a, reason: 'no' },
    { info: b, open },
    { info: c, reason: 'no' },
  ];
  assert.equal(judged(readings, a).open, open);
});

test('a text of several games is asked about, unless one of them is meant', () => {
  const readings = [
    { info: a, open },
    { info: b, open: () => '/b' },
    { info: c, reason: 'no' },
  ];
  assert.deepEqual(
    judged(readings, null).ask.map(({ info }) => info.name),
    ['A', 'B'],
  );
  assert.equal(judged(readings, b).open(), '/b');
});

test('a text of no game is asked about, and one reason that all have is told at once', () => {
  const readings = [
    { info: a, reason: 'no player' },
    { info: b, reason: 'unknown cell' },
  ];
  assert.equal(judged(readings, null).ask.length, 2);
  const same = [
    { info: a, reason: 'no player' },
    { info: b, reason: 'no player' },
  ];
  assert.deepEqual(judged(same, null), { wrong: 'no player' });
  assert.deepEqual(judged([{ info: a, reason: 'line 3' }], null), { wrong: 'line 3' });
});
