/**
 * Progress with puzzles: within one, and what was solved with what help. Pure, but for the storage it is handed.
 *
 * @typedef {'solved'|'helped'} Mark solved alone at once, or with help or wrong turns, which does not count
 * @typedef {{number: number, position: string, turns: number, rating: number, theme?: string}} Puzzle
 * @typedef {{turns: string[], ply: number|null, progress: 'begins'|'right'|'solved'|'wrong'|'late', helped: boolean,
 *   erred: boolean, busy: boolean, shown: boolean, refuted: string}} Try
 *   the turns so far, the one that is looked back at, what became of them; whether help was asked for, whether a wrong
 *   turn was played, whether the defence thinks, whether the turns are the solution, which is shown, and the answer
 *   that refutes a wrong turn
 * @typedef {{rating: import('./glicko.js').Rating, streak: number, best: number, played: number}} Standing
 *   a player's rating in the puzzles of a game, how many were solved in a row, now and at best, and how many were rated
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

/** Begins again; what was shown stays known, and so does a wrong turn. @param {Try} now @returns {Try} */
export const again = ({ helped, erred }) => ({ ...BEGIN, helped, erred });

/** Whether it is solved as it counts: alone, and without a wrong turn. @param {Try} now */
export const isClean = ({ progress, helped, erred }) => progress === 'solved' && !helped && !erred;

/** How many of the turns are seen. @param {Try} now */
export const plyOf = ({ ply, turns }) => ply ?? turns.length;

/** Whether nothing more can be played. @param {Try} now */
export const isOver = ({ progress, shown }) =>
  shown || ['solved', 'wrong', 'late'].includes(progress);

/** @param {Try} now */
export const mayTry = (now) => now.ply === null && !now.busy && !isOver(now);

/** What is asked for. @param {Puzzle} puzzle @param {string} player who is to move */
export const task = ({ turns }, player) =>
  filled(turns === 1 ? WORDS.puzzle.now : WORDS.puzzle.later, { player, turns });

/**
 * What has become of a try; nothing where nothing has.
 * @param {Try} now @param {Puzzle} puzzle @param {string} other who defends
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
 * What is known of a game's puzzles, by position: numbers may change with the program.
 * @param {Storage} storage @param {string} game @returns {Record<string, Mark>}
 */
export const marksOf = (storage, game) => readFrom(storage, KEY + game, {});

/** How many were solved alone. @param {Puzzle[]} puzzles @param {Record<string, Mark>} marks */
export const solvedOf = (puzzles, marks) =>
  puzzles.filter(({ position }) => marks[position] === 'solved').length;

/**
 * Notes how a puzzle was solved; what was solved alone stays so.
 * @param {Storage} storage @param {string} game @param {string} position @param {Mark} mark
 */
export const note = (storage, game, position, mark) => {
  const marks = marksOf(storage, game);
  if (marks[position] === 'solved') return;
  // A browser that keeps nothing shows the puzzle as solved until the page is left.
  writeTo(storage, KEY + game, JSON.stringify({ ...marks, [position]: mark }));
};

const STANDING = 'quadrille.puzzle-rating.';

/** How sure the ratings of puzzles are. */
const DEVIATION = 100;

/** @param {Storage} storage @param {string} game @returns {Standing} */
export const standingOf = (storage, game) =>
  readFrom(storage, STANDING + game, { rating: UNKNOWN, streak: 0, best: 0, played: 0 });

/**
 * Rates a player by a puzzle: the first time it is solved, fails or needs help. Who has no rating yet is taken to be as
 * good as the first puzzle is hard: from the middle of the scale one easy puzzle that fails would cost 600 points.
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

/** A player's rating in words; a question mark while it is a guess. @param {Standing} standing */
export const ratingText = ({ rating: { rating, deviation } }) =>
  `${Math.round(rating)}${deviation > 110 ? '?' : ''}`;

/** How many puzzles one file holds, which is as many as a page lists. */
export const PER_PART = 100;

/** The part that holds a puzzle, from 1. @param {number} number */
export const partOf = (number) => Math.ceil(number / PER_PART);

/**
 * The next puzzle of a part that was not solved; behind its last one the first of the next part, or the very first.
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

/** What the first turn of a solution does, in words. @type {Record<string, string>} */
export const THEMES = {
  capture: 'Captures',
  push: 'Pushed off',
  top: 'On top',
  quiet: 'Quiet turns',
};

/**
 * The puzzle of a day: the same for everybody, and another game each day.
 * @param {{game: string, count: number}[]} games @param {Date} date
 */
export const ofTheDay = (games, date) => {
  const day = Math.floor(
    Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000,
  );
  const { game, count } = games[day % games.length];
  // A step that shares no factor with the number of puzzles visits all of them: 1009 is prime.
  return { game, number: ((Math.floor(day / games.length) * 1009) % count) + 1 };
};
