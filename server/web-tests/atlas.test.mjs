import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headsOf, inOrder, inTables, resultOf } from '../web/pages/atlas.js';

const row = (title, winner = 1, within = 9) => ({
  ...{ name: title, title, moves: [], position: `${title} 1`, winner, within, exact: false },
  ...{ nodes: 12_345, cpu_s: 1.5, stored: 6789, bytes: 23_456, check_cpu_s: 0.2 },
});
const info = { id: 'game', name: 'Game', players: ['White', 'Black'] };

test('boards are in the order of the numbers in their titles', () => {
  const titles = ['7×7, 10 men', '7×7, 9 men, odd', '5×5, 12 men', '7×7, 9 men'];
  assert.deepEqual(
    inOrder(titles.map((title) => row(title))).map(({ title }) => title),
    ['5×5, 12 men', '7×7, 9 men', '7×7, 9 men, odd', '7×7, 10 men'],
  );
});

test('a table for each kind of rules has a row for each size', () => {
  const titles = ['5×5, 3 men', '5×5, 4 men', '6×6, 4 men', '5×5, 3 men, odd'];
  const tables = inTables(titles.map((title) => row(title)));
  const shown = tables.map(({ caption, columns, rows }) => [
    caption,
    columns,
    rows.map(({ name, cells }) => [name, cells.map((cell) => cell?.title ?? null)]),
  ]);
  assert.deepEqual(shown, [
    [
      '',
      ['3 men', '4 men'],
      [
        ['5×5', ['5×5, 3 men', '5×5, 4 men']],
        ['6×6', [null, '6×6, 4 men']],
      ],
    ],
    ['odd', ['3 men'], [['5×5', ['5×5, 3 men, odd']]]],
  ]);
});

test('a board says who wins, exactly where that is known, and what it took', () => {
  const result = resultOf(info, row('5×5, 3 men'));
  assert.equal(result.says, 'White wins in 9 turns at most.');
  assert.equal(result.effort, '12,345 positions, 1.5 s of processor time');
  assert.equal(result.certificate.words, '6,789 positions, 23 KB, checked in 0.2 s');
  const exact = { ...row('5×5, 3 men', 2, 1), exact: true };
  assert.equal(resultOf(info, exact).says, 'Black wins in 1 turn.');
  const taken = { ...row('6×6, 8 men'), nodes: undefined, cpu_s: undefined };
  assert.equal(resultOf(info, taken).effort, null);
  const open = { ...row('8×8, 3 men', null, null), stored: undefined };
  assert.deepEqual([resultOf(info, open).says, resultOf(info, open).certificate], ['Open.', null]);
});

test('what all columns count is named once', () => {
  assert.deepEqual(headsOf(['3 markers', '4 markers']), { corner: 'Markers', names: ['3', '4'] });
  const plain = ['8 and 8', 'usual'];
  assert.deepEqual(headsOf(plain), { corner: '', names: plain });
});
