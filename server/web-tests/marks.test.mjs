import assert from 'node:assert/strict';
import test from 'node:test';
import { layout, outline } from '../web/board/grid.js';
import { drawMarks } from '../web/board/marks.js';
import { classes } from './drawn.mjs';

/** Three rows of four cells, 40 apart. */
const cells = Array.from({ length: 12 }, (_, i) => ({
  at: [20 + 40 * (i % 4), 20 + 40 * Math.floor(i / 4)],
}));
const view = { cells };
const pitch = { width: 40, height: 40 };
const none = { occupied: () => false, cursor: null };

test('a target is a dot on an empty cell and a ring below a piece', () => {
  const occupied = (cell) => cell === 2;
  const marks = { selected: 0, targets: new Set([0, 1, 2]) };
  const { below, above } = drawMarks(marks, view, pitch, { occupied, cursor: null });
  assert.deepEqual(classes(below), ['selected', 'ring']);
  assert.deepEqual(classes(above), ['dot']);
  assert.deepEqual([above[0].attributes.cx, above[0].attributes.cy], ['60', '20']);
});

test('the first cell can be selected, and a cursor off the board is not drawn', () => {
  assert.deepEqual(classes(drawMarks({ selected: 0 }, view, pitch, none).below), ['selected']);
  assert.deepEqual(drawMarks({ selected: null }, view, pitch, none).below, []);
  assert.deepEqual(drawMarks({}, view, pitch, { ...none, cursor: 99 }).above, []);
  assert.deepEqual(classes(drawMarks({}, view, pitch, { ...none, cursor: 0 }).above), ['cursor']);
});

test('an arrow leads to the farthest landing, with a bead for each of several parts', () => {
  const parts = [
    { to: 1, height: 2 },
    { to: 3, height: 1 },
    { to: 2, height: 4 },
  ];
  const { below, above } = drawMarks({ hints: [{ from: 0, parts }] }, view, pitch, none);
  assert.deepEqual(classes(below), ['hint  casing', 'hint']);
  assert.ok(below[1].attributes.d.includes('L131,20'), 'its tip is 9 short of cell 3');
  const figures = above.filter(({ tag }) => tag === 'text').map(({ children }) => children[0]);
  assert.deepEqual(figures, ['2', '1', '4']);
  const alone = drawMarks({ hints: [{ from: 0, parts: [parts[0]] }] }, view, pitch, none);
  assert.deepEqual(alone.above, []);
});

test('a bead stands aside where it would hide a figure', () => {
  const at = (occupied) => {
    const marks = { ghosts: [{ to: 5, height: 1 }] };
    const [bead] = drawMarks(marks, view, pitch, { ...none, occupied }).above;
    return [Number(bead.attributes.cx), Number(bead.attributes.cy)];
  };
  assert.deepEqual(
    at(() => false),
    [60, 60],
  );
  assert.deepEqual(
    at(() => true),
    [72, 60 - 14.4],
  );
});

test('threats and premoves are distinguished from hints', () => {
  const marks = { hints: [{ place: 0 }], later: [{ place: 1 }], threat: true };
  const kinds = classes(drawMarks(marks, view, pitch, none).above);
  assert.deepEqual(kinds, [
    'hint later spot',
    'hint later plus',
    'hint threat spot',
    'hint threat plus',
  ]);
});

test('rows are read from top to bottom, whatever the order of the cells', () => {
  const plan = layout({ cells: [cells[4], cells[1], cells[0], cells[5]] });
  assert.deepEqual(plan, {
    rows: [
      [2, 1],
      [0, 3],
    ],
    width: 40,
    height: 40,
  });
});

test('a cell is a hexagon where rows lie closer than columns', () => {
  const corners = (pitch) => outline([0, 0], pitch, 2).match(/[hvl]/g).length;
  assert.equal(corners({ width: 40, height: 40 }), 3);
  assert.equal(corners({ width: 40, height: 34.6 }), 5);
});
