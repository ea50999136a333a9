/**
 * Progress with puzzles: within one, and which were solved, with help or without. Pure, except for the storage passed
 * in.
 *
 * @typedef {'solved'|'helped'} Mark solved at the first try without help, or otherwise, which does not count
 * @typedef {{number: number, position: string, turns: number, rating: number, theme?: string}} Puzzle
 * @typedef {{turns: string[], ply: number|null, progress: 'begins'|'right'|'solved'|'wrong'|'late', helped: boolean,
 *   erred: boolean, busy: boolean, shown: boolean, refuted: string}} Try
 *   the turns so far, an earlier position being shown, and their result; whether help was used, a wrong turn was
 *   played, the defence is thinking, or the turns are the solution; and the answer that refutes a wrong turn
 * @typedef {{rating: import('./glicko.js').Rating, streak: number, best: number, played: number}} Standing
 *   a player's rating in the puzzles of a game, the current and the longest streak, and how many puzzles were rated
 */
import { readFrom, writeTo } from '../common/storage.js';
import { filled, plural } from '../common/text.js';
import WORDS from '../common/words.json' with { type: 'json' };
import { UNKNOWN, rated } from './glicko.js';

/** @type {Try} */
export const BEGIN = {
  turns: [],
  ply: null,
  progress: 'begins',
  helped: false,
  erred: false,
  busy: false,
  shown: false,
  refuted: '',
};

/** A fresh attempt, which remembers whether there was help or a wrong turn before. @param {Try} now @returns {Try} */
export const again = ({ helped, erred }) => ({ ...BEGIN, helped, erred });

/** Whether it counts as solved: alone, and without a wrong turn. @param {Try} now */
export const isClean = ({ progress, helped, erred }) => progress === 'solved' && !helped && !erred;

/** How many turns are shown. @param {Try} now */
export const plyOf = ({ ply, turns }) => ply ?? turns.length;

/** Whether the attempt is over. @param {Try} now */
export const isOver = ({ progress, shown }) =>
  shown || ['solved', 'wrong', 'late'].includes(progress);

/** @param {Try} now */
export const mayTry = (now) => now.ply === null && !now.busy && !isOver(now);

/** The task in words. @param {Puzzle} puzzle @param {string} player who is to move */
export const task = ({ turns }, player) =>
  filled(turns === 1 ? WORDS.puzzle.now : WORDS.puzzle.later, { player, turns });

/**
 * The feedback on an attempt, if there is any yet.
 * @param {Try} now @param {Puzzle} puzzle @param {string} other the defender's name
 */
export const verdict = (now, puzzle, other) => {
  const { turns, ply, progress, helped, erred, busy, refuted } = now;
  if (ply !== null) return `Turn ${ply} of ${turns.length}`;
  if (busy) return `${other} defends…`;
  switch (progress) {
    case 'solved':
      return helped ? 'Solved, with help.' : erred ? 'Solved, after a wrong turn.' : 'Solved!';
    case 'wrong':
      return refuted
        ? `${turns[0]} does not win by force: ${other} answers ${refuted}. Try again.`
        : `${turns[0]} does not win by force. Try again.`;
    case 'late':
      return 'That takes too long. Try again.';
    case 'right':
      return `Right. ${plural(puzzle.turns - Math.ceil(turns.length / 2), 'turn')} to go.`;
    default:
      return '';
  }
};

const KEY = 'quadrille.puzzles.';

/**
 * The marks of a game's puzzles, keyed by position, since numbers may change between versions.
 * @param {Storage} storage @param {string} game @returns {Record<string, Mark>}
 */
export const marksOf = (storage, game) => readFrom(storage, KEY + game, {});

/** How many were solved alone. @param {Puzzle[]} puzzles @param {Record<string, Mark>} marks */
export const solvedOf = (puzzles, marks) =>
  puzzles.filter(({ position }) => marks[position] === 'solved').length;

/**
 * Records how a puzzle was solved; a puzzle solved alone stays so.
 * @param {Storage} storage @param {string} game @param {string} position @param {Mark} mark
 */
export const note = (storage, game, position, mark) => {
  const marks = marksOf(storage, game);
  if (marks[position] === 'solved') return;
  // If the browser cannot store it, it is shown as solved until the page is left.
  writeTo(storage, KEY + game, JSON.stringify({ ...marks, [position]: mark }));
};

const STANDING = 'quadrille.puzzle-rating.';

/** The deviation of the puzzles' ratings. */
const DEVIATION = 100;

/** @param {Storage} storage @param {string} game @returns {Standing} */
export const standingOf = (storage, game) =>
  readFrom(storage, STANDING + game, { rating: UNKNOWN, streak: 0, best: 0, played: 0 });

/**
 * Rates a player when a puzzle is first solved, failed or needs help. New players start at the rating of their first
 * puzzle: starting in the middle of the scale, failing one easy puzzle would cost 600 points.
 * @param {Storage} storage @param {string} game @param {Puzzle} puzzle @param {boolean} solved
 */
export const rate = (storage, game, { rating }, solved) => {
  const stored = standingOf(storage, game);
  const was = stored.played > 0 ? stored : { ...stored, rating: { ...UNKNOWN, rating } };
  const streak = solved ? was.streak + 1 : 0;
  const now = {
    rating: rated(was.rating, [{ rating, deviation: DEVIATION, score: solved ? 1 : 0 }]),
    streak,
    best: Math.max(was.best, streak),
    played: was.played + 1,
  };
  writeTo(storage, STANDING + game, JSON.stringify(now));
  return { was, now };
};

/** A rating in words, with a question mark while it is uncertain. @param {Standing} standing */
export const ratingText = ({ rating: { rating, deviation } }) =>
  `${Math.round(rating)}${deviation > 110 ? '?' : ''}`;

/** How many puzzles a file contains, and a page lists. */
export const PER_PART = 100;

/** The block that contains a puzzle, from 1. @param {number} number */
export const partOf = (number) => Math.ceil(number / PER_PART);

/**
 * The next unsolved puzzle in a block; after the last one, the first of the next block or, at the very end, the first
 * of all.
 * @param {Puzzle[]} puzzles a part @param {Record<string, Mark>} marks @param {number} after a number, 0 for the first
 * @param {number} of how many puzzles there are in all @returns {number}
 */
export const nextOpen = (puzzles, marks, after, of) => {
  const open = puzzles.find(
    ({ number, position }) => number > after && marks[position] !== 'solved',
  );
  const last = puzzles.at(-1)?.number ?? 0;
  return open?.number ?? (last < of ? last + 1 : 1);
};

/** The themes of puzzles, by what the first turn of the solution does. @type {Record<string, string>} */
export const THEMES = {
  capture: 'Captures',
  push: 'Pushed off',
  top: 'On top',
  quiet: 'Quiet turns',
};

/**
 * The puzzle of a day, which is the same for everybody and changes the game daily.
 * @param {{game: string, count: number}[]} games @param {Date} date
 */
export const ofTheDay = (games, date) => {
  const day = Math.floor(
    Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000,
  );
  const { game, count } = games[day % games.length];
  // A step coprime to the number of puzzles visits all of them; 1009 is prime.
  return { game, number: ((Math.floor(day / games.length) * 1009) % count) + 1 };
};
