/**
 * Premoves: a turn chosen while the opponent is thinking, and played as soon as it is legal. Only turns of one or two
 * taps, since longer ones would depend on a position that nobody has seen yet. Pure, but for the steps it asks for.
 */
import { NOTHING, stageOf, tapCell } from './gesture.js';

/**
 * @typedef {import('../program/views.js').Step} Step
 * @typedef {{steps: Step[], spelling: import('./gesture.js').Spelling, chosen: Step|null}} Premove
 */

/** @type {Premove} */
export const NONE = { steps: [], spelling: NOTHING, chosen: null };

/** The moves that can be chosen as a premove. @param {Step[]} steps */
export const short = (steps) =>
  steps.filter(
    ({ taps, ends }) => ends && taps.length <= 2 && taps.every(({ cell }) => cell !== null),
  );

/** A tap: continues the choice, or cancels the premove. @param {Premove} now @param {number} cell @returns {Premove} */
export const tapped = (now, cell) => {
  if (now.chosen) return { ...now, spelling: NOTHING, chosen: null };
  const spelling = tapCell(now.steps, now.spelling, cell);
  const { step, candidates } = stageOf(now.steps, spelling);
  return step && candidates.length === 1
    ? { ...now, spelling: NOTHING, chosen: step }
    : { ...now, spelling };
};

/**
 * The premove, if it is legal now.
 * @param {Premove} now @param {Step[]} steps
 */
export const due = ({ chosen }, steps) =>
  (chosen && steps.find(({ text, ends }) => ends && text === chosen.text)?.text) ?? null;
