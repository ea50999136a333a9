/**
 * A turn that is chosen while the other side thinks, and played as soon as it may be. Only where a turn is one tap or
 * two: more would be chosen for a board that nobody has seen. Pure, but for the steps it asks for.
 */
import { NOTHING, stageOf, tapCell } from './gesture.js';

/**
 * @typedef {import('../program/views.js').Step} Step
 * @typedef {{steps: Step[], spelling: import('./gesture.js').Spelling, chosen: Step|null}} Premove
 */

/** @type {Premove} */
export const NONE = { steps: [], spelling: NOTHING, chosen: null };

/** The steps that may be chosen ahead. @param {Step[]} steps */
export const short = (steps) =>
  steps.filter(
    ({ taps, ends }) => ends && taps.length <= 2 && taps.every(({ cell }) => cell !== null),
  );

/** A tap: it chooses, or takes back what was chosen. @param {Premove} now @param {number} cell @returns {Premove} */
export const tapped = (now, cell) => {
  if (now.chosen) return { ...now, spelling: NOTHING, chosen: null };
  const spelling = tapCell(now.steps, now.spelling, cell);
  const { step, candidates } = stageOf(now.steps, spelling);
  return step && candidates.length === 1
    ? { ...now, spelling: NOTHING, chosen: step }
    : { ...now, spelling };
};

/**
 * The turn that can be played now; nothing where the board has made it impossible.
 * @param {Premove} now @param {Step[]} steps
 */
export const due = ({ chosen }, steps) =>
  (chosen && steps.find(({ text, ends }) => ends && text === chosen.text)?.text) ?? null;
