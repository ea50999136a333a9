import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOTHING, tapCell, tapChoice } from '../web/play/gesture.js';
import * as making from '../web/play/making.js';
import { NONE } from '../web/play/premove.js';

const tap = (stage, label, cell = null) => ({ stage, label, cell });
const trace = (travels, placed = null) => ({ placed, travels });

/** A stack on a1 that is split in two ways and goes right or down, and an empty cell c3. */
const steps = ['2', '1+1'].flatMap((parts) =>
  ['right', 'down'].map((way, i) => ({
    text: `a1${parts}${way}`,
    taps: [tap('stack', 'a1', 0), tap('parts', parts), tap('direction', way, 1 + i)],
    trace: trace(
      parts.split('+').map((height, n) => ({ from: 0, to: 1 + i + 2 * n, height: +height })),
    ),
    ends: true,
  })),
);
const place = { text: 'c3', taps: [tap('piece', 'c3', 8)], trace: trace([], 8), ends: true };
const view = (text, more = {}) => ({
  text,
  steps: [...steps, place],
  in_turn: false,
  last: [],
  ...more,
});
const at = (more = {}) => {
  const here = view('start');
  return { ...making.EMPTY, place: { game: 'g' }, current: true, base: here, view: here, ...more };
};

const words = {
  idle: () => 'Black to move',
  onWay: (turn) => `${turn} waits`,
  task: () => '',
};

test('a turn is spelled stage by stage, and the card says where it stands', () => {
  const none = at();
  assert.equal(making.title(none, true, words), 'Choose a stack or an empty cell');
  const stack = at({ spelling: tapCell(none.view.steps, NOTHING, 0) });
  assert.equal(making.title(stack, true, words), 'Split the stack');
  assert.equal(making.spokenStage(stack.view, stack.spelling), 'Split the stack: 2, 1+1');
  assert.deepEqual(
    making.stagesOf(stack, true).done.map(({ label }) => label),
    ['a1'],
  );
  assert.deepEqual(making.stagesOf(stack, true).ahead, ['parts', 'direction']);
  assert.deepEqual(making.stagesOf(stack, false), { done: [], ahead: [] });
});

test('a reader who may not play sees no marks, and the status instead', () => {
  const { marks, placing } = making.marksOf(at(), false);
  assert.equal(placing, false);
  assert.deepEqual(
    [marks.selected, marks.targets.size, marks.grab.size, marks.faint.size],
    [null, 0, 0, 0],
  );
  assert.equal(marks.says(0), '');
  assert.equal(making.title(at(), false, words), 'Black to move');
});

test('cells say what can be done with them', () => {
  const { marks } = making.marksOf(at(), true);
  assert.equal(marks.says(0), '4 legal moves');
  assert.equal(marks.says(5), '');
  assert.deepEqual([...marks.faint], [8]);
  const begun = making.marksOf(at({ spelling: tapCell(steps, NOTHING, 0) }), true).marks;
  assert.equal(begun.says(0), 'selected');
  assert.equal(begun.says(1), 'legal target');
  assert.equal(begun.selected, 0);
});

test('a choice that is pointed at lands in every direction, each cell once', () => {
  const begun = at({ spelling: tapCell(steps, NOTHING, 0) });
  const landed = making.landings(begun, tap('parts', '1+1'));
  assert.deepEqual(landed, [
    { to: 1, height: 1 },
    { to: 3, height: 1 },
    { to: 2, height: 1 },
    { to: 4, height: 1 },
  ]);
});

test('a turn on its way, a board that is late, and one chosen ahead come before anything else', () => {
  const ahead = { ...NONE, chosen: place };
  assert.equal(making.title(at({ ahead }), true, words), 'c3 will be played next');
  assert.equal(making.title(at({ ahead, late: 1 }), true, words), 'Fetching the rules…');
  const sending = { text: 'c3', from: '' };
  assert.equal(making.title(at({ ahead, late: 1, sending }), true, words), 'c3 waits');
});

test('going back takes one stage at a time: the proposal, the spelling, the move before', () => {
  const first = view('first');
  const second = view('second', { in_turn: true });
  const spelling = tapChoice(steps, tapCell(steps, NOTHING, 0), tap('parts', '2'));
  const draft = [{ text: 'c3', view: first, taps: place.taps }];
  let now = at({
    view: view('third'),
    draft,
    proposal: { text: 'c3a12right', cell: 1, before: second, spelling },
    error: 'no',
  });
  const back = () => {
    now = { ...now, ...making.stepBack(now) };
    return now;
  };
  assert.equal(back().view, second);
  assert.equal(now.proposal, null);
  assert.equal(now.error, '');
  assert.deepEqual(
    now.spelling.taps.map(({ label }) => label),
    ['a1'],
  );
  assert.deepEqual(back().spelling, NOTHING);
  assert.equal(now.view, second);
  assert.equal(back().view, first);
  assert.deepEqual(now.draft, []);
  assert.equal(making.stepBack(now), null);
});

test('a turn that is on its way cannot be taken back or cleared, one chosen ahead can', () => {
  const sending = at({ sending: { text: 'c3', from: '' }, spelling: tapCell(steps, NOTHING, 0) });
  assert.equal(making.stepBack(sending), null);
  assert.deepEqual(making.cleared(sending), {});
  assert.deepEqual(making.stepBack({ ...sending, ahead: { ...NONE, chosen: place } }), {
    ahead: NONE,
  });
});

test('clearing repairs the board only where it is the one of the place', () => {
  const base = view('base');
  const now = at({ base, view: view('tried'), spelling: tapCell(steps, NOTHING, 0) });
  assert.equal(making.cleared(now).view, base);
  assert.equal('view' in making.cleared({ ...now, current: false }), false);
});

test('another place forgets what was made, but a turn that goes on there and one on its way stay', () => {
  const draft = [{ text: 'c3', view: view('first'), taps: place.taps }];
  const now = at({
    view: view('half', { in_turn: true }),
    draft,
    error: 'no',
    hints: [{ place: 8 }],
  });
  const other = making.moved(now, { game: 'g', turns: ['d4'] }, false, true);
  assert.deepEqual([other.same, other.goesOn], [false, false]);
  assert.deepEqual([other.change.draft, other.change.hints, other.change.error], [[], [], '']);
  const on = making.moved(now, { game: 'g', turns: ['c3d4'] }, false, false);
  assert.equal(on.goesOn, true);
  assert.equal('draft' in on.change, false);
  assert.equal('error' in on.change, false);
  const sending = { ...now, sending: { text: 'c3', from: '' } };
  assert.equal(
    'proposal' in making.moved(sending, { game: 'g', turns: ['d4'] }, false, true).change,
    false,
  );
  assert.equal(making.moved(now, { game: 'g' }, true, true).same, true);
});

test('of a turn in the making only the latest move has not been seen', () => {
  const [a, b] = [trace([], 1), trace([], 2)];
  const draft = [{ text: 'a', view: view('a'), taps: [] }];
  assert.deepEqual(making.unseen(at({ draft }), view('x', { last: [a, b] })), [b]);
  assert.deepEqual(making.unseen(at(), view('x', { last: [a, b] })), [a, b]);
});

test('all parts of a stack lie on one arrow, and a placement is drawn without what it pushes', () => {
  const parts = [
    { from: 0, to: 1, height: 2 },
    { from: 0, to: 2, height: 1 },
  ];
  assert.deepEqual(making.arrows([trace([...parts, { from: 0, to: null, height: 1 }])]), [
    { from: 0, parts },
  ]);
  assert.deepEqual(making.arrows([trace(parts, 8)]), [{ place: 8 }]);
});

test('what is drawn on a board goes when it is drawn again, and with the position', () => {
  const [arrow, circle] = [
    { from: 1, to: 2 },
    { from: 3, to: 3 },
  ];
  const draw = (now, one) => ({ ...now, ...making.sketched(now, one) });
  const both = draw(draw(making.EMPTY, arrow), circle);
  assert.deepEqual(both.sketch, [arrow, circle]);
  assert.deepEqual(draw(both, arrow).sketch, [circle]);
  const place = { game: 'g', turns: ['a'] };
  assert.deepEqual(making.moved(both, place, false, true).change.sketch, []);
  const same = making.moved({ ...both, place }, place, true, true).change;
  assert.ok(!('sketch' in same), 'the board that is turned round keeps it');
});
