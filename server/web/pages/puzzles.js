/** All puzzles: by game and difficulty, with the ones solved, and the puzzle of the day. */
import { pageAt } from '../address.js';
import { el, fill } from '../common/dom.js';
import { choosing, gameShelf } from '../common/shelf.js';
import { forever } from '../common/storage.js';
import { ask } from '../program/ask.js';
import { catalogue, gameOf } from '../program/views.js';
import { puzzlePage } from './puzzle.js';
import {
  PER_PART,
  THEMES,
  marksOf,
  nextOpen,
  ofTheDay,
  partOf,
  ratingText,
  standingOf,
} from './puzzling.js';

/**
 * @typedef {import('../program/views.js').GameInfo} GameInfo
 * @typedef {import('./puzzling.js').Puzzle} Puzzle
 */

const SIGNS = { solved: '✓', helped: '◐' };
const WORDS = { solved: 'solved', helped: 'tried with help or a wrong turn' };

/**
 * A block of a hundred puzzles of a game, or a single one, and how many there are in all.
 * @param {string} game @param {{part?: number, number?: number}} which
 * @returns {Promise<{of: number, puzzles: Puzzle[]}>}
 */
export const puzzlesOf = (game, which) => ask('puzzles', { game, ...which });

/** How many puzzles a game has. @param {string} game */
const countOf = async (game) => {
  try {
    return (await puzzlesOf(game, { number: 1 })).of;
  } catch {
    return 0;
  }
};

/** The puzzle of the day. */
export const puzzleOfTheDay = async () => {
  const { games } = await catalogue();
  const all = await Promise.all(
    games.map(async ({ id }) => ({ game: id, count: await countOf(id) })),
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
  if (Number.isInteger(number) && number > 0) {
    const { of, puzzles } = await puzzlesOf(info.id, { number });
    return puzzlePage(main, info, puzzles[0], of);
  }
  return listPage(main, info, Number(new URLSearchParams(location.search).get('part')) || null);
};

/** How many puzzles of a game the user has solved. @param {string} game */
const solvedOf = (game) =>
  Object.values(marksOf(forever, game)).filter((mark) => mark === 'solved').length;

/** All games with the user's progress. @param {HTMLElement} main @param {GameInfo[]} games */
const shelfPage = async (main, games) => {
  const day = await puzzleOfTheDay();
  const counts = new Map();
  for (const { id } of games) counts.set(id, `${solvedOf(id)} of ${await countOf(id)} solved`);
  const name = games.find(({ id }) => id === day.game)?.name;
  const href = pageAt(`puzzles/${day.game}/${day.number}`);
  choosing(
    main,
    'puzzles',
    el('p', el('a#daily.button.primary', { href }, `Puzzle of the day: ${name}`)),
    gameShelf(games, ({ id }) => ({ href: pageAt(`puzzles/${id}`), about: counts.get(id) })),
  );
};

/**
 * The block to show first: the one with the first unsolved puzzle.
 * @param {GameInfo} info
 */
const openPart = async ({ id }) => {
  const marks = marksOf(forever, id);
  for (let part = 1; ; part += 1) {
    const found = await puzzlesOf(id, { part });
    const next = nextOpen(found.puzzles, marks, 0, found.of);
    if (next <= part * PER_PART || part >= partOf(found.of)) return { part, ...found };
  }
};

/** The user's progress and rating. @param {GameInfo} info @param {number} of */
const standingLine = ({ id }, of) => {
  const standing = standingOf(forever, id);
  const solved = `${solvedOf(id)} of ${of} solved`;
  return standing.played === 0
    ? `${solved}. Only puzzles solved on the first try count, and without help.`
    : `${solved} · your rating ${ratingText(standing)} · ${standing.streak} in a row, ${standing.best} at best`;
};

/**
 * A block of a hundred puzzles, grouped by theme.
 * @param {HTMLElement} main @param {GameInfo} info @param {number|null} asked
 */
const listPage = async (main, info, asked) => {
  const { part, of, puzzles } = asked
    ? { part: asked, ...(await puzzlesOf(info.id, { part: asked })) }
    : await openPart(info);
  document.title = `${info.name} puzzles – Quadrille`;
  main.className = 'page';
  const marks = marksOf(forever, info.id);
  const next = nextOpen(puzzles, marks, 0, of);
  const groups = Object.keys(THEMES).map((theme) => ({
    theme,
    some: puzzles.filter((one) => (one.theme ?? 'quiet') === theme),
  }));
  fill(
    main,
    el('h1', `${info.name} puzzles`),
    el('p.lead', standingLine(info, of)),
    el(
      'p',
      el(
        'a#next-open.button.primary',
        { href: pageAt(`puzzles/${info.id}/${next}`) },
        solvedOf(info.id) > 0 ? `Continue with ${next}` : 'Start',
      ),
      ' ',
      el('a.button', { href: pageAt('puzzles') }, 'Other games'),
    ),
    partLinks(info, part, of),
    ...groups
      .filter(({ some }) => some.length > 0)
      .map(({ theme, some }) =>
        el(
          'section',
          el('h2', THEMES[theme]),
          el('div.numbers', ...some.map((one) => numberLink(info, one, marks))),
        ),
      ),
  );
};

/** Links to the other blocks, from easy to hard. @param {GameInfo} info @param {number} part @param {number} of */
const partLinks = ({ id }, part, of) => {
  const all = Array.from({ length: partOf(of) }, (_, i) => i + 1);
  if (all.length < 2) return null;
  const name = (/** @type {number} */ n) =>
    `${(n - 1) * PER_PART + 1}–${Math.min(n * PER_PART, of)}`;
  return el(
    'nav.parts',
    { 'aria-label': 'From easy to hard' },
    all.map((n) =>
      el(
        'a.button',
        {
          href: pageAt(`puzzles/${id}`, `?part=${n}`),
          'aria-current': n === part ? 'page' : null,
        },
        name(n),
      ),
    ),
  );
};

/** @param {GameInfo} info @param {Puzzle} puzzle @param {Record<string, import('./puzzling.js').Mark>} marks */
const numberLink = (info, puzzle, marks) => {
  const mark = marks[puzzle.position];
  const known = mark ? `, ${WORDS[mark]}` : '';
  const words = `Puzzle ${puzzle.number}, win in ${puzzle.turns}, rated ${puzzle.rating}${known}`;
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
