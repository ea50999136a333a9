/** Puzzles: find the only turn that wins, and win against the best defence. */
import { catalogue, view as askView } from './api.js';
import { ask, thought } from './ask.js';
import {
  button,
  drawing,
  el,
  fill,
  iconButton,
  onKeys,
  placeLine,
  say,
  setText,
  toast,
} from './dom.js';
import { arrows, createPlay } from './play.js';
import { forever } from './prefs.js';
import { byDifficulty, marksOf, nextOpen, note, ofTheDay } from './puzzling.js';
import { play as sound } from './sound.js';
import { capital, plural } from './text.js';
import { createTurns } from './turns.js';

/**
 * @typedef {import('./api.js').GameInfo} GameInfo
 * @typedef {import('./puzzling.js').Puzzle} Puzzle
 */

/** How long the defence is looked for. */
const DEFENCE_MS = 600;

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
  const { games } = await catalogue();
  const info = games.find((one) => one.id === rest[0]);
  if (!info) return shelfPage(main, games);
  const number = Number(rest[1]);
  const puzzles = await puzzlesOf(info.id);
  return Number.isInteger(number) && puzzles[number - 1]
    ? tryPage(main, info, puzzles, number)
    : listPage(main, info, puzzles);
};

/** All games with their progress. @param {HTMLElement} main @param {GameInfo[]} games */
const shelfPage = async (main, games) => {
  document.title = 'Puzzles – Quadrille';
  const day = await puzzleOfTheDay();
  const tiles = await Promise.all(
    games.map(async (info) => {
      const puzzles = await puzzlesOf(info.id);
      const marks = marksOf(forever, info.id);
      const solved = puzzles.filter(({ position }) => marks[position] === 'solved').length;
      return el(
        'a.card.tile',
        { href: `/puzzles/${info.id}`, 'data-game': info.id },
        drawing(info.picture),
        el('b', {}, info.name),
        el('small', {}, `${solved} of ${puzzles.length} solved`),
      );
    }),
  );
  main.className = 'page';
  fill(
    main,
    el('h1', {}, 'Puzzles'),
    el('p.lead', {}, 'One turn wins, and only one. Find it, and win against the best defence.'),
    el(
      'p',
      {},
      el(
        'a.button.primary',
        { href: `/puzzles/${day.game}/${day.number}`, id: 'daily' },
        `Puzzle of the day: ${games.find(({ id }) => id === day.game)?.name}`,
      ),
    ),
    el('div.shelf', {}, ...tiles),
  );
};

/** The puzzles of a game, by difficulty. @param {HTMLElement} main @param {GameInfo} info @param {Puzzle[]} puzzles */
const listPage = (main, info, puzzles) => {
  document.title = `Puzzles of ${info.name} – Quadrille`;
  main.className = 'page';
  const marks = marksOf(forever, info.id);
  const solved = puzzles.filter(({ position }) => marks[position] === 'solved').length;
  const one = (/** @type {Puzzle} */ puzzle) => {
    const mark = marks[puzzle.position];
    const words = `Puzzle ${puzzle.number}, win in ${puzzle.turns}${mark ? `, ${WORDS[mark]}` : ''}`;
    return el(
      'a',
      {
        href: `/puzzles/${info.id}/${puzzle.number}`,
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
    el('h1', {}, `Puzzles of ${info.name}`),
    el(
      'p.lead',
      {},
      `${solved} of ${puzzles.length} solved. Harder ones come later; those solved with help do not count.`,
    ),
    el(
      'p',
      {},
      el(
        'a.button.primary',
        { href: `/puzzles/${info.id}/${nextOpen(puzzles, marks, 0)}`, id: 'next-open' },
        'Go on',
      ),
      ' ',
      el('a.button', { href: '/puzzles' }, 'Other games'),
    ),
    ...byDifficulty(puzzles).map(([name, some]) =>
      el('section', {}, el('h2', {}, name), el('div.numbers', {}, ...some.map(one))),
    ),
  );
};

/** One puzzle. @param {HTMLElement} main @param {GameInfo} info @param {Puzzle[]} puzzles @param {number} number */
const tryPage = async (main, info, puzzles, number) => {
  const puzzle = puzzles[number - 1];
  const state = {
    turns: /** @type {string[]} */ ([]),
    ply: /** @type {number|null} */ (null),
    progress: 'begins',
    helped: false,
    busy: false,
    shown: false,
  };
  const start = await askView({ game: info.id, position: puzzle.position });
  const flipped = start.turn === 2;
  const player = info.players[start.turn - 1];
  const other = info.players[2 - start.turn];
  document.title = `Puzzle ${number} of ${info.name} – Quadrille`;

  const over = () => ['solved', 'wrong', 'late'].includes(state.progress);
  const task = `${player} to move and win ${puzzle.turns === 1 ? 'this turn' : `in ${plural(puzzle.turns, 'turn')}`}.`;
  const words = () => {
    if (state.ply !== null) return `Turn ${state.ply} of ${state.turns.length}`;
    if (state.busy) return `${other} defends…`;
    switch (state.progress) {
      case 'solved':
        return state.helped ? 'Solved, with help.' : 'Solved!';
      case 'wrong':
        return `${state.turns[0]} does not win by force. Try again.`;
      case 'late':
        return 'That takes too long. Try again.';
      case 'right':
        return `Right. ${plural(puzzle.turns - Math.ceil(state.turns.length / 2), 'turn')} to go.`;
      default:
        return task;
    }
  };
  const play = createPlay({
    label: `Board of ${info.name}`,
    sure: true,
    mayPlay: () => state.ply === null && !state.busy && !over() && !state.shown,
    idle: words,
    onTurn: (turn) => played(turn),
  });
  const list = createTurns((ply) => go(ply));
  const verdict = el('p.verdict', { id: 'puzzle-words', role: 'status' });
  const hint = button('Hint', () => showHint(), {
    id: 'puzzle-hint',
    title: 'Show which piece or cell it is (h)',
  });
  const solution = button('Solution', () => showSolution(), { id: 'puzzle-solution' });
  const retry = button('Try again', () => restart(), { id: 'puzzle-retry' });
  const next = el('a.button.primary', { id: 'puzzle-next', hidden: true }, 'Next puzzle');
  const analyse = el('a.button', { id: 'puzzle-analyse', hidden: true }, 'Analyse');
  const nav = el(
    'nav.steps',
    { 'aria-label': 'Through the solution' },
    iconButton('back', 'One turn back', () => go((state.ply ?? state.turns.length) - 1), {
      id: 'nav-back',
    }),
    iconButton('on', 'One turn on', () => go((state.ply ?? state.turns.length) + 1), {
      id: 'nav-on',
    }),
  );
  main.className = 'table reader puzzle';
  fill(
    main,
    el('div.boardbox', {}, play.board.element),
    el(
      'div.side',
      {},
      placeLine(
        `Puzzle ${number}`,
        `${info.name} · rated ${puzzle.rating}`,
        el('a', { href: `/puzzles/${info.id}` }, 'All puzzles'),
      ),
      el(
        'section.card',
        { 'aria-label': 'Task' },
        el('p.task', {}, el('b', {}, task), ' Only one turn does it.'),
        verdict,
      ),
      el('div.now', {}, play.card),
      el('section.card.turnlist', { 'aria-label': 'Turns' }, list.element, nav),
      el(
        'div.actions',
        { role: 'group', 'aria-label': 'Actions' },
        next,
        hint,
        solution,
        retry,
        analyse,
      ),
    ),
  );

  const placeAt = (/** @type {number} */ ply) => ({
    game: info.id,
    position: puzzle.position,
    turns: state.turns.slice(0, ply),
  });
  const render = async (animate = true) => {
    const at = state.ply ?? state.turns.length;
    list.show(state.turns, at, { first: start.turn });
    setText(
      verdict,
      state.progress === 'begins' && !state.busy && state.ply === null ? '' : words(),
    );
    verdict.dataset.progress = state.progress;
    const ended = over() || state.shown;
    hint.hidden = solution.hidden = ended;
    retry.hidden = state.turns.length === 0;
    next.hidden = analyse.hidden = !ended;
    next.href = `/puzzles/${info.id}/${nextOpen(puzzles, marksOf(forever, info.id), number)}`;
    analyse.href = `/analysis/${info.id}/${encodeURI(puzzle.position.replace(/ (?=[^ ]*$)/, '_'))}`;
    const [back, on] = nav.querySelectorAll('button');
    back.disabled = at === 0;
    on.disabled = at >= state.turns.length;
    await play.show(placeAt(at), { flipped, animate });
    play.render();
  };

  const attempt = () => ask('puzzle', { game: info.id, number, turns: state.turns });

  const played = async (/** @type {string} */ turn) => {
    state.turns = [...state.turns, turn];
    sound('move');
    state.progress = (await attempt()).progress;
    if (state.progress === 'solved')
      note(forever, info.id, puzzle.position, state.helped ? 'helped' : 'solved');
    if (over()) sound(state.progress === 'solved' ? 'end' : 'low');
    state.busy = state.progress === 'right';
    await render(false);
    say(words());
    if (state.busy) await defend();
  };

  /** The other side answers as well as it can. */
  const defend = async () => {
    const at = state.turns.length;
    try {
      const { turn } = await thought('turn', {
        ...placeAt(at),
        player: { kind: 'level', level: 10 },
        time_ms: DEFENCE_MS,
      });
      if (state.turns.length !== at || !state.busy) return;
      state.turns = [...state.turns, turn];
      state.progress = (await attempt()).progress;
    } catch (error) {
      toast(capital(/** @type {Error} */ (error).message), 'bad');
    }
    state.busy = false;
    sound('other');
    await render();
    say(`${other} plays ${state.turns.at(-1)}. ${words()}`);
  };

  const go = (/** @type {number} */ ply) => {
    const at = Math.max(0, Math.min(state.turns.length, ply));
    state.ply = at === state.turns.length ? null : at;
    render();
  };

  /** Begins again; what was shown stays known. */
  const restart = () => {
    Object.assign(state, { turns: [], ply: null, progress: 'begins', busy: false, shown: false });
    render(false);
    say(task);
  };

  /** Where the winning turn is made, but not how. */
  const showHint = async () => {
    if (over() || state.busy) return;
    state.helped = true;
    const best = await bestTurn();
    if (!best) return;
    const { last } = await askView(
      { ...placeAt(state.turns.length), turns: [...state.turns, best] },
      flipped,
    );
    const cell =
      last[0]?.travels.length > 0 && last[0].placed === null
        ? last[0].travels[0].from
        : last[0]?.placed;
    if (cell == null) return;
    play.clear();
    play.hint([{ place: cell }]);
    toast(`Look at ${start.cells[cell].name}.`);
  };

  const bestTurn = async () => {
    if (state.turns.length === 0)
      return (await ask('puzzle', { game: info.id, number, solution: true })).solution[0];
    return (await thought('hint', placeAt(state.turns.length))).engine?.turn;
  };

  const showSolution = async () => {
    state.helped = true;
    const { solution: turns } = await ask('puzzle', { game: info.id, number, solution: true });
    Object.assign(state, { turns, ply: 0, busy: false, shown: true });
    const { last } = await askView({ ...placeAt(0), turns: [turns[0]] }, flipped);
    await render(false);
    play.hint(arrows(last));
    say(`The solution: ${turns.join(', ')}`);
  };

  onKeys({
    ArrowLeft: () => go((state.ply ?? state.turns.length) - 1),
    ArrowRight: () => go((state.ply ?? state.turns.length) + 1),
    Home: () => go(0),
    End: () => go(state.turns.length),
    h: () => showHint(),
    Escape: () => play.back(),
    m: () => play.entry.focus(),
    n: () => {
      if (!next.hidden) location.href = next.href;
    },
  });
  await render(false);
};
