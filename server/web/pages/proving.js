/**
 * What is known of turns, in words and as signs on a board. All functions are pure.
 *
 * @typedef {{turn: string, winner: 1|2|'draw'|null, within: number|null}} Value what a turn is worth: who wins and
 *   within how many own turns; nobody knows it where `winner` is null
 */
import { plural } from '../common/text.js';

/**
 * A value that counts from after its turn, counted from before it as the position's own is: whoever makes the turn
 * needs one more.
 * @param {Value} value @param {1|2} mover @returns {Value}
 */
export const fromHere = (value, mover) =>
  value.winner === mover && value.within !== null ? { ...value, within: value.within + 1 } : value;

/** What a value says. @param {Omit<Value, 'turn'>} value @param {[string, string]} names */
export const valueWords = ({ winner, within }, names) => {
  if (winner === null) return 'open';
  if (winner === 'draw') return 'nobody can force a win';
  const how =
    within === 0
      ? 'has won'
      : within === null
        ? 'wins'
        : `wins in ${plural(within, 'turn')} at most`;
  return `${names[winner - 1]} ${how}`;
};

/** How good a value is for whoever moves: the larger, the better. @param {Value} value @param {1|2} mover */
const worth = ({ winner, within }, mover) => {
  if (winner === null) return 0.5;
  if (winner === 'draw') return 0;
  const soon = 1000 - (within ?? 999);
  return winner === mover ? soon : -soon;
};

/** Turns of the same value together, the best first. @param {Value[]} values @param {1|2} mover @returns {Value[][]} */
export const grouped = (values, mover) => {
  const groups = /** @type {Map<number, Value[]>} */ (new Map());
  for (const value of values) {
    const key = worth(value, mover);
    groups.set(key, [...(groups.get(key) ?? []), value]);
  }
  return [...groups].sort(([a], [b]) => b - a).map(([, group]) => group);
};

/**
 * What stands at each cell that a turn begins with: the best of its turns.
 * @param {import('../program/views.js').Step[]} steps @param {Value[]} values @param {1|2} mover
 * @returns {{cell: number, value: Value}[]}
 */
export const signs = (steps, values, mover) => {
  const known = new Map(values.map((value) => [value.turn, value]));
  const best = /** @type {Map<number, Value>} */ (new Map());
  for (const { text, taps } of steps) {
    const value = known.get(text);
    const cell = taps[0]?.cell;
    if (!value || cell == null) continue;
    const other = best.get(cell);
    if (!other || worth(value, mover) > worth(other, mover)) best.set(cell, value);
  }
  return [...best].map(([cell, value]) => ({ cell, value }));
};

/** A value as short as it can be said. @param {Value} value */
export const signOf = ({ winner, within }) =>
  winner === null ? '?' : winner === 'draw' ? '=' : within === null ? '+' : String(within);
