import assert from 'node:assert/strict';
import test from 'node:test';
import { travel } from '../web/board/travel.js';

const view = { cells: [{ at: [0, 0] }, { at: [40, 0] }, { at: [80, 0] }] };

/** A drawing with a piece in some cells; every motion is noted in `log`. */
const drawing = (name, cells, log) => {
  const piece = (cell, ghost = '') => ({
    cell,
    parentNode: { insertBefore: () => {} },
    removeAttribute: () => {},
    cloneNode: () => piece(cell, 'ghost '),
    remove: () => {},
    animate: (frames, { delay }) => {
      const moves = frames.map(({ transform, opacity }) => transform ?? `opacity ${opacity}`);
      log.push([`${ghost}${name} ${cell}`, delay, ...moves]);
      return { finished: Promise.resolve() };
    },
  });
  const all = cells.map((cell) => piece(cell));
  const asked = (selector) => Number(selector.match(/\d+/)[0]);
  return {
    append: () => {},
    querySelectorAll: (selector) => all.filter(({ cell }) => cell === asked(selector)),
  };
};

const motions = (before, after, traces) => {
  const log = [];
  travel(drawing('fresh', after, log), drawing('before', before, log), view, traces);
  return log;
};

test('a piece that moves by itself hops from where it was', () => {
  const log = motions([0], [2], [{ placed: null, travels: [{ from: 0, to: 2, height: 1 }] }]);
  const frames = ['translate(-80px, 0px)', 'translate(-40px, -16px)', 'none'];
  assert.deepEqual(log, [['fresh 2', 0, ...frames]]);
});

test('a pushed piece slides once the new one has nearly come down', () => {
  const log = motions([1], [0, 2], [{ placed: 0, travels: [{ from: 1, to: 2, height: 1 }] }]);
  assert.deepEqual(log, [
    ['fresh 0', 0, 'translate(0px, -14px)', 'none'],
    ['fresh 2', 60, 'translate(-40px, 0px)', 'none'],
  ]);
});

test('what is pushed off the board leaves away from what pushed it', () => {
  const log = motions([1], [0], [{ placed: 0, travels: [{ from: 1, to: null, height: 1 }] }]);
  assert.deepEqual(log.at(-1), ['ghost before 1', 60, 'none', 'translate(40px, 0px)']);
});

test('what is captured stays until the other has come, and later moves wait', () => {
  const step = (from, to) => ({ placed: null, travels: [{ from, to, height: 1 }] });
  const log = motions([0, 1], [1, 2], [step(0, 1), step(1, 2)]);
  assert.deepEqual(log[0], ['ghost before 1', 0, 'opacity 1', 'opacity 1', 'opacity 0']);
  assert.equal(log.at(-1)[1], 180);
});
