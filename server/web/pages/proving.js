/**
 * What is known about turns, in words and as labels on the board. All functions are pure.
 *
 * @typedef {{turn: string, winner: 1|2|'draw'|null, within: number|null}} Value what a turn is worth: who wins and
 *   within how many own turns; nobody knows it where `winner` is null
 *
 * @typedef {{certificate: string|null, claim: string|null, stored: number|null, left: number|null, winner:
 *   Value['winner'], turn: string|null, by: string|null, no_win: (1|2)[], moves: {turn: string, left: number|null,
 *   winner: Value['winner']}[]}} Proof
 */
import { plural } from '../common/text.js';

/**
 * A turn's value, counted after it, converted to count from the position before it, as the position's own value does:
 * if the winner makes the turn, that adds one.
 * @param {Value} value @param {1|2} mover @returns {Value}
 */
export const fromHere = (value, mover) =>
  value.winner === mover && value.within !== null ? { ...value, within: value.within + 1 } : value;

/** A value in words. @param {Omit<Value, 'turn'>} value @param {[string, string]} names */
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

/** A value as a number from the mover's point of view: larger is better. @param {Value} value @param {1|2} mover */
const worth = ({ winner, within }, mover) => {
  if (winner === null) return 0.5;
  if (winner === 'draw') return 0;
  const soon = 1000 - (within ?? 999);
  return winner === mover ? soon : -soon;
};

/** Turns grouped by value, best first. @param {Value[]} values @param {1|2} mover @returns {Value[][]} */
export const grouped = (values, mover) => {
  const groups = /** @type {Map<number, Value[]>} */ (new Map());
  for (const value of values) {
    const key = worth(value, mover);
    groups.set(key, [...(groups.get(key) ?? []), value]);
  }
  return [...groups].sort(([a], [b]) => b - a).map(([, group]) => group);
};

/**
 * The labels for cells on which turns start: each has the best value of its turns.
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

/** A value as a short label. @param {Value} value */
export const signOf = ({ winner, within }) =>
  winner === null ? '?' : winner === 'draw' ? '=' : within === null ? '+' : String(within);

/**
 * The turn that delays a loss longest, or one that is not proven to lose, if there is one.
 * @param {Proof} proof what is known where the loser is to move @returns {string|null}
 */
export const defence = ({ moves, winner }) => {
  const holds = (/** @type {Proof['moves'][0]} */ one) =>
    one.winner === winner ? (one.left ?? Infinity) : Infinity;
  const best = moves.reduce(
    (most, one) => (most && holds(most) >= holds(one) ? most : one),
    /** @type {Proof['moves'][0]|null} */ (null),
  );
  return best?.turn ?? null;
};

/**
 * How many turns the winner wasted with a turn; null if the win is no longer proven.
 * @param {number|null} before how far away the win was @param {Proof|null} after what is known after the turn
 * @param {1|2} winner
 */
export const wastedBy = (before, after, winner) => {
  if (after?.winner !== winner || after.left === null || before === null) return null;
  return Math.max(0, after.left - (before - 1));
};

/**
 * How well a won position has been played, in words.
 * @param {(number|null)[]} waste what each turn so far has cost @param {boolean} over
 */
export const practiceWords = (waste, over) => {
  if (waste.includes(null)) return 'From here the win is no longer proven: take that turn back.';
  const all = waste.reduce((sum, one) => /** @type {number} */ (sum) + (one ?? 0), 0) ?? 0;
  if (over)
    return all === 0 ? 'Won without wasting a turn.' : `Won, with ${plural(all, 'turn')} wasted.`;
  return all === 0 ? 'No turn is wasted so far.' : `${plural(all, 'turn')} wasted so far.`;
};
