/**
 * Progress with puzzles: what was solved, and with what help. Pure, but for the storage it is handed.
 *
 * @typedef {'solved'|'helped'} Mark solved alone, or with help, which does not count
 * @typedef {{number: number, position: string, turns: number, rating: number}} Puzzle
 */

const KEY = 'quadrille.puzzles.';

/** What is known of a game's puzzles, by position: numbers may change with the program. @param {Storage} storage @param {string} game @returns {Record<string, Mark>} */
export const marksOf = (storage, game) => {
  try {
    return JSON.parse(storage.getItem(KEY + game) ?? '{}') ?? {};
  } catch {
    return {};
  }
};

/** Notes how a puzzle was solved; what was solved alone stays so. @param {Storage} storage @param {string} game @param {string} position @param {Mark} mark */
export const note = (storage, game, position, mark) => {
  const marks = marksOf(storage, game);
  if (marks[position] === 'solved') return;
  // A browser that keeps nothing shows the puzzle as solved until the page is left.
  try {
    storage.setItem(KEY + game, JSON.stringify({ ...marks, [position]: mark }));
  } catch {
    /* said above */
  }
};

/** The next puzzle that was not solved alone, starting over at the end. @param {Puzzle[]} puzzles @param {Record<string, Mark>} marks @param {number} after a number, 0 for the first @returns {number} */
export const nextOpen = (puzzles, marks, after) => {
  const behind = [...puzzles.slice(after), ...puzzles.slice(0, after)];
  return (behind.find(({ position }) => marks[position] !== 'solved') ?? behind[0])?.number ?? 1;
};

/** Three groups of puzzles that are sorted by rating, each with a third. @param {Puzzle[]} puzzles @returns {[string, Puzzle[]][]} */
export const byDifficulty = (puzzles) => {
  const third = Math.ceil(puzzles.length / 3);
  return ['Easy', 'Harder', 'Hard'].map(
    (name, i) =>
      /** @type {[string, Puzzle[]]} */ ([name, puzzles.slice(i * third, (i + 1) * third)]),
  );
};

/** The puzzle of a day: the same for everybody, and another game each day. @param {{game: string, count: number}[]} games @param {Date} date */
export const ofTheDay = (games, date) => {
  const day = Math.floor(
    Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000,
  );
  const { game, count } = games[day % games.length];
  // A step that shares no factor with any number of puzzles up to 1,000 visits all of them.
  return { game, number: ((Math.floor(day / games.length) * 1009) % count) + 1 };
};
