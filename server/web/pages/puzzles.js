/** All puzzles: by game and difficulty, with what was solved, and the one of today. */
import { pageAt } from '../address.js';
import { el, fill } from '../common/dom.js';
import { choosing, gameShelf } from '../common/shelf.js';
import { forever } from '../common/storage.js';
import { ask } from '../program/ask.js';
import { catalogue, gameOf } from '../program/views.js';
import { puzzlePage } from './puzzle.js';
import { byDifficulty, marksOf, nextOpen, ofTheDay, solvedOf } from './puzzling.js';

/**
 * @typedef {import('../program/views.js').GameInfo} GameInfo
 * @typedef {import('./puzzling.js').Puzzle} Puzzle
 */

const SIGNS = { solved: '✓', helped: '◐' };
const WORDS = { solved: 'solved', helped: 'solved with help' };

/** @param {string} game @returns {Promise<Puzzle[]>} */
export const puzzlesOf = async (game) => (await ask('puzzles', { game })).puzzles;

/** Where the puzzle of today is. */
export const puzzleOfTheDay = async () => {
  const { games } = await catalogue();
  const all = await Promise.all(
    games.map(async ({ id }) => ({ game: id, count: (await puzzlesOf(id)).length })),
  );
  return ofTheDay(
    all.filter(({ count }) => count > 0),
    new Date(),
  );
};

/** @param {HTMLElement} main @param {string[]} rest */
export const puzzlesPage = async (main, rest) => {
  const { games, info } = await gameOf(rest[0]);
  if (!info) return shelfPage(main, games);
  const number = Number(rest[1]);
  const puzzles = await puzzlesOf(info.id);
  return Number.isInteger(number) && puzzles[number - 1]
    ? puzzlePage(main, info, puzzles, number)
    : listPage(main, info, puzzles);
};

/** All games with their progress. @param {HTMLElement} main @param {GameInfo[]} games */
const shelfPage = async (main, games) => {
  const day = await puzzleOfTheDay();
  const counts = new Map();
  for (const { id } of games) {
    const puzzles = await puzzlesOf(id);
    counts.set(id, `${solvedOf(puzzles, marksOf(forever, id))} of ${puzzles.length} solved`);
  }
  const name = games.find(({ id }) => id === day.game)?.name;
  const href = pageAt(`puzzles/${day.game}/${day.number}`);
  choosing(
    main,
    'puzzles',
    el('p', el('a#daily.button.primary', { href }, `Puzzle of the day: ${name}`)),
    gameShelf(games, ({ id }) => ({ href: pageAt(`puzzles/${id}`), about: counts.get(id) })),
  );
};

/** The puzzles of a game, by difficulty. @param {HTMLElement} main @param {GameInfo} info @param {Puzzle[]} puzzles */
const listPage = (main, info, puzzles) => {
  document.title = `Puzzles of ${info.name} – Quadrille`;
  main.className = 'page';
  const marks = marksOf(forever, info.id);
  const solved = solvedOf(puzzles, marks);
  const one = (/** @type {Puzzle} */ puzzle) => {
    const mark = marks[puzzle.position];
    const words = `Puzzle ${puzzle.number}, win in ${puzzle.turns}${mark ? `, ${WORDS[mark]}` : ''}`;
    return el(
      'a',
      {
        href: pageAt(`puzzles/${info.id}/${puzzle.number}`),
        className: mark ?? '',
        'aria-label': words,
        title: words,
      },
      String(puzzle.number),
      mark ? el('span', { 'aria-hidden': 'true' }, SIGNS[mark]) : null,
    );
  };
  fill(
    main,
    el('h1', `Puzzles of ${info.name}`),
    el(
      'p.lead',
      `${solved} of ${puzzles.length} solved. Harder ones come later; those solved with help do not count.`,
    ),
    el(
      'p',
      el(
        'a#next-open.button.primary',
        { href: pageAt(`puzzles/${info.id}/${nextOpen(puzzles, marks, 0)}`) },
        'Go on',
      ),
      ' ',
      el('a.button', { href: pageAt('puzzles') }, 'Other games'),
    ),
    ...byDifficulty(puzzles).map(([name, some]) =>
      el('section', el('h2', name), el('div.numbers', ...some.map(one))),
    ),
  );
};
