/**
 * Entering a move by taps. The rules list the legal moves, each with its taps, and the taps so far are compared with
 * their prefixes, so nothing here knows the games. All functions are pure.
 *
 * @typedef {import('../program/views.js').Tap} Tap
 * @typedef {import('../program/views.js').Step} Step
 * @typedef {{taps: Tap[], aim: number|null}} Spelling the taps so far, and a cell to be reached by a later tap
 * @typedef {{step: Step|null, candidates: Step[], choices: Tap[], cells: Set<number>, stage: string}} Stage
 */

/** @type {Spelling} */
export const NOTHING = { taps: [], aim: null };

const same = (/** @type {Tap} */ a, /** @type {Tap} */ b) =>
  a.stage === b.stage && a.label === b.label;

const begins = (/** @type {Step} */ step, /** @type {Tap[]} */ taps) =>
  taps.every((tap, i) => step.taps[i] !== undefined && same(step.taps[i], tap));

const hits = (
  /** @type {Step} */ step,
  /** @type {number} */ from,
  /** @type {number|null} */ aim,
) => aim === null || step.taps.slice(from).some((tap) => tap.cell === aim);

const distinct = (/** @type {Tap[]} */ taps) =>
  taps.filter((tap, i) => taps.findIndex((other) => same(other, tap)) === i);

/** The state of an entry. @param {Step[]} steps @param {Spelling} spelling @returns {Stage} */
export const stageOf = (steps, { taps, aim }) => {
  const n = taps.length;
  const candidates = steps.filter((step) => begins(step, taps) && hits(step, n, aim));
  const step = candidates.find((one) => one.taps.length === n) ?? null;
  const next = distinct(candidates.flatMap((one) => one.taps[n] ?? []));
  const choices = next.filter((tap) => tap.cell === null);
  const direct = next.flatMap((tap) => tap.cell ?? []);
  // While a choice without a cell is open, the cells after it can already be tapped.
  const later =
    choices.length > 0
      ? candidates.flatMap((one) => one.taps.slice(n).flatMap((tap) => tap.cell ?? []))
      : [];
  return {
    step: n > 0 ? step : null,
    candidates,
    choices,
    cells: new Set([...direct, ...later]),
    stage: next[0]?.stage ?? '',
  };
};

/** Makes the choices that have no alternative. @param {Step[]} steps @param {Spelling} spelling @returns {Spelling} */
const settle = (steps, spelling) => {
  const { step, candidates, choices } = stageOf(steps, spelling);
  const n = spelling.taps.length;
  if (n === 0 || step) return spelling;
  const next = distinct(candidates.flatMap((one) => one.taps[n] ?? []));
  const aimed = spelling.aim === null ? [] : next.filter((tap) => tap.cell === spelling.aim);
  const only =
    aimed.length === 1 ? aimed[0] : choices.length === 1 && next.length === 1 ? choices[0] : null;
  if (!only) return spelling;
  const aim = only.cell !== null && only.cell === spelling.aim ? null : spelling.aim;
  return settle(steps, { taps: [...spelling.taps, only], aim });
};

/**
 * Taps a cell; one that does not fit starts a new move or cancels.
 * @param {Step[]} steps @param {Spelling} spelling @param {number} cell @returns {Spelling}
 */
export const tapCell = (steps, spelling, cell) => {
  const n = spelling.taps.length;
  const { candidates, cells } = stageOf(steps, spelling);
  const direct = candidates.map((step) => step.taps[n]).find((tap) => tap?.cell === cell);
  if (direct) return settle(steps, { taps: [...spelling.taps, direct], aim: null });
  if (n > 0 && cells.has(cell)) return settle(steps, { ...spelling, aim: cell });
  if (spelling.taps[0]?.cell === cell || n === 0) return NOTHING;
  return tapCell(steps, NOTHING, cell);
};

/**
 * Makes a choice that has no cell.
 * @param {Step[]} steps @param {Spelling} spelling @param {Tap} tap @returns {Spelling}
 */
export const tapChoice = (steps, spelling, tap) =>
  settle(steps, { ...spelling, taps: [...spelling.taps, tap] });

/** Drags from one cell to another. @param {Step[]} steps @param {number} from @param {number} to @returns {Spelling} */
export const drag = (steps, from, to) => {
  const begun = tapCell(steps, NOTHING, from);
  if (from === to || begun.taps.length === 0) return begun;
  const reachable = stageOf(steps, begun).candidates.some((step) =>
    hits(step, begun.taps.length, to),
  );
  return reachable ? settle(steps, { ...begun, aim: to }) : begun;
};

/**
 * Undoes the last choice that had an alternative.
 * @param {Step[]} steps @param {Spelling} spelling @returns {Spelling}
 */
export const back = (steps, spelling) => {
  if (spelling.aim !== null) return { ...spelling, aim: null };
  for (let n = spelling.taps.length - 1; n > 0; n--) {
    const shorter = { taps: spelling.taps.slice(0, n), aim: null };
    if (settle(steps, shorter).taps.length === n) return shorter;
  }
  return NOTHING;
};

/**
 * The cells on which moves start, each with the number of its moves.
 * @param {Step[]} steps @returns {Map<number, number>}
 */
export const starts = (steps) => {
  const counts = new Map();
  for (const { taps } of steps)
    if (taps[0]?.cell != null) counts.set(taps[0].cell, (counts.get(taps[0].cell) ?? 0) + 1);
  return counts;
};

/**
 * The stages of the remaining moves, so that the progress of a turn can be shown.
 * @param {Step[]} steps @param {Spelling} spelling
 */
export const stageNames = (steps, spelling) => {
  const { candidates } = stageOf(steps, spelling);
  const longest = candidates.reduce(
    (/** @type {Tap[]} */ best, step) => (step.taps.length > best.length ? step.taps : best),
    [],
  );
  return longest.map((tap) => tap.stage);
};
