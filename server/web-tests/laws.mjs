// Checks that what the pages keep in JavaScript means what the crate `table` means. Reads cases as lines of JSON, prints
// how many there were, and ends with 1 at the first that differs.
import assert from 'node:assert/strict';
import { createInterface } from 'node:readline';
import { clockText } from '../web/common/text.js';
import { NOTHING, back, drag, stageOf, tapCell, tapChoice } from '../web/play/gesture.js';
import { NONE, due, short, tapped } from '../web/play/premove.js';
import { children, emptyTree, mainLine, turnsOf } from '../web/analysis/tree.js';
import { after } from '../web/table/live.js';

/** What the board says is added by whoever draws it. */
const NOT_FOLDED = ['ending'];

const told = (game) =>
  Object.fromEntries(Object.entries(game).filter(([name]) => !NOT_FOLDED.includes(name)));

const spelled = (steps, now, { tap, choose, stage, drag: ends }) => {
  if (tap !== undefined) return tapCell(steps, now, tap);
  if (ends) return drag(steps, ...ends);
  if (choose === undefined) return back(steps, now);
  const choice = stageOf(steps, now).choices.find(
    (one) => one.label === choose && one.stage === stage,
  );
  assert.ok(choice, `${choose} cannot be chosen`);
  return tapChoice(steps, now, choice);
};

const LAWS = {
  fold: ({ game, events, after: expected }) =>
    assert.deepEqual(told(events.reduce(after, game)), told(expected)),
  taps: ({ steps, do: done, after: expected }) => {
    assert.equal(done.length, expected.length);
    let now = NOTHING;
    done.forEach((one, i) => {
      now = spelled(steps, now, one);
      const { cells, step } = stageOf(steps, now);
      const seen = {
        taps: now.taps.map(({ label }) => label),
        aim: now.aim,
        cells: [...cells].sort((a, b) => a - b),
        step: step?.text ?? null,
      };
      assert.deepEqual(seen, expected[i], `after ${JSON.stringify(one)}, number ${i}`);
    });
  },
  ahead: ({ steps, taps, chosen, after: later }) => {
    let now = { ...NONE, steps: short(steps) };
    taps.forEach((cell, i) => {
      now = tapped(now, cell);
      assert.equal(now.chosen?.text ?? null, chosen[i], `after tap ${i}`);
    });
    assert.equal(due(now, later.steps), later.due);
  },
  tree: ({ nodes, at, line, choices, main }) => {
    const tree = { ...emptyTree('gekitai', ''), nodes };
    assert.deepEqual(turnsOf(tree, at), line);
    assert.deepEqual(
      mainLine(tree).map((node) => nodes[node].turn),
      main,
    );
    assert.equal(at === null ? 1 : children(tree, nodes[at].after).length, choices);
  },
  clock: ({ left, text }) => assert.equal(clockText(left), text),
};

let count = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const [[law, given]] = Object.entries(JSON.parse(line));
  try {
    LAWS[law](given);
  } catch (error) {
    console.log(`case ${count}, ${law}: ${error.message}\n${line}`);
    process.exit(1);
  }
  count += 1;
}
console.log(count);
