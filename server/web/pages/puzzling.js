/**
 * Progress with puzzles: within one, and what was solved with what help. Pure, but for the storage it is handed.
 *
 * @typedef {'solved'|'helped'} Mark solved alone, or with help, which does not count
 * @typedef {{number: number, position: string, turns: number, rating: number}} Puzzle
 * @typedef {{turns: string[], ply: number|null, progress: 'begins'|'right'|'solved'|'wrong'|'late', helped: boolean,
 *   busy: boolean, shown: boolean}} Try
 *   the turns so far, the one that is looked back at, what became of them; whether help was asked for, whether the
 *   defence
 *   thinks, and whether the turns are the solution, which is shown
 */
import { readFrom, writeTo } from '../common/storage.js';
import { filled, plural } from '../common/text.js';
import WORDS from '../common/words.json' with { type: 'json' };

/** @type {Try} */
export const BEGIN = {
  turns: [],
  ply: null,
  progress: 'begins',
  helped: false,
  busy: false,
  shown: false,
};

/** Begins again; what was shown stays known. @param {Try} now @returns {Try} */
export const again = ({ helped }) => ({ ...BEGIN, helped });

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
  const { turns, ply, progress, helped, busy } = now;
  if (ply !== null) return `Turn ${ply} of ${turns.length}`;
  if (busy) return `${other} defends…`;
  switch (progress) {
    case 'solved':
      return helped ? 'Solved, with help.' : 'Solved!';
    case 'wrong':
      return `${turns[0]} does not win by force. Try again.`;
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

/**
 * The next puzzle that was not solved alone, starting over at the end.
 * @param {Puzzle[]} puzzles @param {Record<string, Mark>} marks @param {number} after a number, 0 for the first
 * @returns {number}
 */
export const nextOpen = (puzzles, marks, after) => {
  const behind = [...puzzles.slice(after), ...puzzles.slice(0, after)];
  return (behind.find(({ position }) => marks[position] !== 'solved') ?? behind[0])?.number ?? 1;
};

/**
 * Three groups of puzzles that are sorted by rating, each with a third.
 * @param {Puzzle[]} puzzles @returns {[string, Puzzle[]][]}
 */
export const byDifficulty = (puzzles) => {
  const third = Math.ceil(puzzles.length / 3);
  return ['Easy', 'Harder', 'Hard'].map(
    (name, i) =>
      /** @type {[string, Puzzle[]]} */ ([name, puzzles.slice(i * third, (i + 1) * third)]),
  );
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
  // A step that shares no factor with any number of puzzles up to 1,000 visits all of them.
  return { game, number: ((Math.floor(day / games.length) * 1009) % count) + 1 };
};
