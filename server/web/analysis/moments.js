/**
 * The moments of a review: the turns that were mistakes, what is asked about each, and the feedback on an answer. All
 * functions are pure.
 *
 * @typedef {{kind: string, text: string, line: string[]}} Why
 * @typedef {{ply: number, of: number, score: number, win_in: number|null, bar: number, best: string[],
 *   loss: number|null, mistake: string|null, proof?: string, why?: Why|null}} Entry
 * @typedef {'found'|'shown'|'missed'} Answer found without help, revealed, or not found
 */
import { plural, scoreWords, share } from '../common/text.js';

/** The sizes of mistakes, in the singular and plural. */
export const SIZES = { blunder: 'blunders', mistake: 'mistakes', inaccuracy: 'inaccuracies' };

/** The mistakes, in game order. @param {Entry[]} entries */
export const mistakes = (entries) => entries.filter(({ mistake }) => Boolean(mistake));

/** Whether a review is complete; it starts with the last position. @param {Entry[]} entries */
export const isWhole = (entries) => entries.length > (entries[0]?.of ?? 0);

/** Who made a turn. @param {number} ply @param {1|2} first who begins @returns {1|2} */
export const moverOf = (ply, first) => /** @type {1|2} */ (((first - 1 + ply - 1) % 2) + 1);

/** @param {Entry[]} entries @param {number} ply */
const entryAt = (entries, ply) => entries.find((one) => one.ply === ply);

/** Whether a position's value is proved, not estimated. @param {Entry} entry */
const isProved = ({ win_in: winIn, proof }) => winIn !== null || proof !== undefined;

/**
 * The winning chance that a turn gave away, from 0 to 1; none if the position before it has not been reviewed, or if
 * only one of the two is proved: an estimate next to a proof would look like a blunder.
 * @param {Entry[]} entries @param {Entry} entry @param {1|2} first
 */
export const lost = (entries, entry, first) => {
  const before = entryAt(entries, entry.ply - 1);
  const mover = moverOf(entry.ply, first);
  const own = (/** @type {Entry} */ one) => (mover === 1 ? share(one, 1) : 1 - share(one, 1));
  if (!before || isProved(before) !== isProved(entry)) return null;
  return Math.max(0, own(before) - own(entry));
};

/** The least winning chance that each kind of mistake gives away. @type {[string, number][]} */
const LEAST = [
  ['blunder', 0.3],
  ['mistake', 0.12],
];

/**
 * The entries, with mistakes named by the winning chance they gave away where that is known, so that the mark agrees
 * with the words: hundredths of a piece mean much in one game and little in another.
 * @param {Entry[]} entries @param {1|2} first @returns {Entry[]}
 */
export const graded = (entries, first) =>
  entries.map((entry) => {
    const part = entry.mistake ? lost(entries, entry, first) : null;
    if (part === null) return entry;
    const mistake = LEAST.find(([, least]) => part >= least)?.[0] ?? 'inaccuracy';
    return mistake === entry.mistake ? entry : { ...entry, mistake };
  });

/** How fast accuracy falls with the winning chance given away: a tenth of it costs a third. */
const STEEPNESS = 4;

/**
 * A player's accuracy, 0 to 100: the mean over all turns, where a turn that gives nothing away counts as 100.
 * @param {Entry[]} entries @param {1|2} player @param {1|2} first @returns {number|null}
 */
export const accuracy = (entries, player, first) => {
  const own = entries.filter(({ ply }) => ply > 0 && moverOf(ply, first) === player);
  const losses = own.flatMap((entry) => {
    const loss = lost(entries, entry, first);
    return loss === null ? [] : [entry.mistake || entry.loss !== 0 ? loss : 0];
  });
  if (losses.length === 0) return null;
  const sum = losses.reduce((all, loss) => all + Math.exp(-STEEPNESS * loss), 0);
  return Math.round((100 * sum) / losses.length);
};

/** A player's mistakes by size, in words. @param {Entry[]} entries @param {1|2} player @param {1|2} first */
export const counted = (entries, player, first) => {
  const own = mistakes(entries).filter(({ ply }) => moverOf(ply, first) === player);
  const sizes = Object.entries(SIZES).map(([size, several]) => ({
    count: own.filter(({ mistake }) => mistake === size).length,
    names: /** @type {const} */ ([size, several]),
  }));
  const some = sizes.filter(({ count }) => count > 0);
  return some.map(({ count, names }) => plural(count, ...names)).join(', ') || 'no mistakes';
};

/**
 * What a turn gave away, without hinting at what would have been better.
 * @param {Entry[]} entries @param {Entry} entry @param {1|2} first
 */
export const gaveAway = (entries, entry, first) => {
  if (entry.why?.kind === 'proved') return entry.why.text;
  const mover = moverOf(entry.ply, first);
  const loses = entry.win_in !== null && entry.win_in < 0 === (mover === 1);
  if (loses) return 'With it the game was lost by force.';
  const part = lost(entries, entry, first);
  const before = entryAt(entries, entry.ply - 1);
  if (part === null && before && (before.win_in ?? 0) > 0 === (mover === 1) && before.win_in)
    return 'A win was proved before it, but not after it.';
  return part !== null && part >= 0.01
    ? `It gave away ${Math.round(part * 100)} % of the chance to win.`
    : 'It gave something away.';
};

/**
 * Why it was a mistake: by the rules if possible, otherwise the engine's scores before and after.
 * @param {Entry[]} entries @param {Entry} entry @param {[string, string]} names
 */
export const reason = (entries, entry, names) => {
  if (entry.why) return entry.why.text;
  const before = entryAt(entries, entry.ply - 1);
  if (!before) return '';
  const then = scoreWords(before, 1, names);
  const now = scoreWords(entry, 1, names);
  return then === now ? '' : `With ${entry.best[0]}: ${then}. As played: ${now}.`;
};

/**
 * The feedback on a turn that was tried, and whether it answers the question.
 * @param {Entry} entry the mistake @param {string} played @param {string} turn the one tried
 * @param {Entry|null} judged the review of the try; null if none was needed or possible
 * @returns {{text: string, good: boolean, open: boolean}} `open` if the question remains
 */
export const verdict = (entry, played, turn, judged) => {
  if (turn === played)
    return {
      text: `${turn} is the turn that was played. Look for another.`,
      good: false,
      open: true,
    };
  if (turn === entry.best[0]) return { text: `${turn} is the best turn.`, good: true, open: false };
  if (!judged) return { text: `${turn} could not be judged.`, good: false, open: true };
  if (!judged.mistake)
    return { text: `${turn} is good: it gives nothing away.`, good: true, open: false };
  const more = judged.why ? ` ${judged.why.text}` : '';
  return (judged.loss ?? 0) < (entry.loss ?? 0) / 2
    ? { text: `${turn} is better, but not best.${more} Try again.`, good: false, open: true }
    : { text: `${turn} does not help.${more} Try again.`, good: false, open: true };
};
