/** A puzzle: find the only winning turn, and win against the best defence. */
import { pageAt, positionAt } from '../address.js';
import { button, placeLine } from '../common/controls.js';
import { complain, el, keepFocus, kept, onKeys, say, setText, whenPainted } from '../common/dom.js';
import { play as sound } from '../common/sound.js';
import { forever } from '../common/storage.js';
import WORDS from '../common/words.json' with { type: 'json' };
import { aboutHere } from '../play/here.js';
import { isOneTap } from '../play/making.js';
import { arrowsFor, createPlay } from '../play/play.js';
import { createTurns, stepKeys } from '../play/turns.js';
import { ask, thought } from '../program/ask.js';
import { view as askView, saidOf } from '../program/views.js';
import * as puzzling from './puzzling.js';
import { actionRow, layOut, taskCard, turnKeys, verdictLine } from './reader.js';

/**
 * @typedef {import('../program/views.js').GameInfo} GameInfo
 * @typedef {import('./puzzling.js').Puzzle} Puzzle
 * @typedef {{state: import('./puzzling.js').Try, info: GameInfo, of: number, puzzle: Puzzle, start:
 *   import('../program/views.js').View,
 *   play: ReturnType<typeof createPlay>, parts: ReturnType<typeof createParts>}} Page
 *   `start` is the position, with the player to move at the bottom
 */

/** How many milliseconds the engine searches for the defence. */
const DEFENCE_MS = 600;

/** @param {HTMLElement} main @param {GameInfo} info @param {Puzzle} puzzle @param {number} of */
export const puzzlePage = async (main, info, puzzle, of) => {
  const { number } = puzzle;
  const start = await askView({ game: info.id, position: puzzle.position }, isFlipped(puzzle));
  document.title = `Puzzle ${number} of ${info.name} – Quadrille`;
  /** @type {Page} */
  const p = /** @type {any} */ ({ state: puzzling.BEGIN, info, of, puzzle, start });
  p.play = createPlay({
    label: `Board of ${info.name}`,
    sure: true,
    // A hint would give the solution away.
    helps: () => puzzling.isOver(p.state),
    mayPlay: () => puzzling.mayTry(p.state),
    // The feedback is shown with the task.
    idle: () => (puzzling.isOver(p.state) ? '' : puzzling.verdict(p.state, puzzle, defender(p))),
    plays: () => !puzzling.isOver(p.state),
    onWay: (turn) => puzzling.verdict(p.state, puzzle, defender(p)) || `${turn} is played`,
    onTurn: (turn) => played(p, turn),
  });
  p.parts = createParts(p);
  const { words, list, next, hint, solution, retry, analyse } = p.parts;
  layOut(
    main,
    'puzzle',
    p.play.board,
    placeLine(
      `Puzzle ${number}`,
      `${info.name} · rated ${puzzle.rating}`,
      el('a', { href: pageAt(`puzzles/${info.id}`) }, 'All puzzles'),
    ),
    taskCard(kept(el('p.task', el('b', taskOf(p)), WORDS.puzzle.only)), words, p.parts.standing),
    el('div.now', p.play.card),
    list.element,
    actionRow(next, hint, solution, retry, analyse),
  );
  onKeys(keys(p));
  await render(p, false);
  whenPainted(() => findNext(p));
};

/** Links to the next puzzle, once it is known which one that is. @param {Page} p */
const findNext = async ({ info, puzzle: { number }, of, parts }) => {
  const asked = { game: info.id, part: puzzling.partOf(number) };
  const { puzzles } = await ask('puzzles', asked);
  const next = puzzling.nextOpen(puzzles, puzzling.marksOf(forever, info.id), number, of);
  parts.next.href = pageAt(`puzzles/${info.id}/${next}`);
};

/**
 * Records how the first attempt at a puzzle went; later ones do not affect the rating.
 * @param {Page} p @param {boolean} solved
 */
const rate = (p, solved) => {
  const { info, puzzle } = p;
  if (puzzling.marksOf(forever, info.id)[puzzle.position]) return;
  const { was, now } = puzzling.rate(forever, info.id, puzzle, solved);
  const change = Math.round(now.rating.rating) - Math.round(was.rating.rating);
  const streak = now.streak > 1 ? ` · ${now.streak} in a row` : '';
  setText(
    p.parts.standing,
    `Your rating: ${puzzling.ratingText(now)} (${change < 0 ? '−' : '+'}${Math.abs(change)})${streak}`,
  );
};

/** @param {Page} p */
const createParts = (p) => {
  const analyse = el('a#puzzle-analyse.button', { hidden: true }, 'Analyse');
  analyse.href = positionAt('analysis', p.info.id, p.puzzle.position);
  return {
    list: createTurns((ply) => go(p, ply)),
    words: verdictLine('puzzle-words'),
    standing: el('p#puzzle-standing', ratingLine(p)),
    hint: button('#puzzle-hint', 'Hint', () => showHint(p), {
      title: 'Show which piece or cell it is (h)',
    }),
    solution: button('#puzzle-solution', 'Solution', () => showSolution(p)),
    retry: button('#puzzle-retry', 'Try again', () => restart(p)),
    next: el(
      'a#puzzle-next.button.primary',
      { hidden: true, href: pageAt(`puzzles/${p.info.id}/${(p.puzzle.number % p.of) + 1}`) },
      'Next puzzle',
    ),
    analyse,
  };
};

/** The player's rating before this puzzle. @param {Page} p */
const ratingLine = ({ info }) => {
  const standing = puzzling.standingOf(forever, info.id);
  if (standing.played === 0) return 'Solve it on the first try to get a rating.';
  const streak = standing.streak > 1 ? ` · ${standing.streak} in a row` : '';
  return `Your rating: ${puzzling.ratingText(standing)}${streak}`;
};

/** @param {Page} p */
const keys = (p) => ({
  ...stepKeys(p.parts.list.ways),
  ...turnKeys(p.play),
  h: () => showHint(p),
  n: () => {
    if (!p.parts.next.hidden) location.href = p.parts.next.href;
  },
});

/** @param {Page} p */
const defender = ({ info, start }) => info.players[2 - start.turn];

/** @param {Page} p */
const taskOf = ({ info, start, puzzle }) => puzzling.task(puzzle, info.players[start.turn - 1]);

/** Whether the second player is to move, who then sits at the bottom. @param {Puzzle} puzzle */
const isFlipped = ({ position }) => position.endsWith(' 2');

/** @param {Page} p @param {number} ply */
const placeAt = ({ info, puzzle, state }, ply) => ({
  game: info.id,
  position: puzzle.position,
  turns: state.turns.slice(0, ply),
});

/** Asks the rules about this puzzle. @param {Page} p @param {object} what */
const askAbout = ({ info, puzzle }, what) =>
  ask('puzzle', { game: info.id, number: puzzle.number, ...what });

/** @param {Page} p */
const render = async (p, animate = true) => {
  keepFocus(
    () => paint(p),
    () => (p.parts.next.hidden ? p.play.board.cell() : p.parts.next),
  );
  const at = puzzling.plyOf(p.state);
  await p.play.show(placeAt(p, at), { flipped: isFlipped(p.puzzle), animate });
  p.play.render();
};

/** @param {Page} p */
const paint = ({ state, parts, puzzle, start, info }) => {
  const over = puzzling.isOver(state);
  const failed = state.progress === 'wrong' || state.progress === 'late';
  parts.list.show(state.turns, puzzling.plyOf(state), start.turn);
  setText(parts.words, puzzling.verdict(state, puzzle, info.players[2 - start.turn]));
  parts.words.dataset.progress = state.progress;
  parts.solution.hidden = over;
  parts.hint.hidden = over || isOneTap(start);
  parts.retry.hidden = state.turns.length === 0;
  parts.next.hidden = parts.analyse.hidden = !over;
  // The filled button does what the words say.
  parts.retry.classList.toggle('primary', failed);
  parts.next.classList.toggle('primary', !failed);
};

/** @param {Page} p @param {number} to */
const go = (p, to) => {
  p.state = { ...p.state, ply: to === p.state.turns.length ? null : to };
  render(p);
};

/** @param {Page} p @param {string} turn */
const played = async (p, turn) => {
  const turns = [...p.state.turns, turn];
  sound('move');
  await aboutHere(
    () => latest(p),
    () => askAbout(p, { turns }),
    ({ progress }) => judged(p, turns, progress),
  );
};

/** The feedback on a turn. @param {Page} p @param {string[]} turns @param {any} progress */
const judged = async (p, turns, progress) => {
  const { info, puzzle } = p;
  const erred = p.state.erred || progress === 'wrong' || progress === 'late';
  p.state = { ...p.state, turns, progress, erred, busy: progress === 'right' };
  if (erred) fail(p);
  if (puzzling.isClean(p.state)) rate(p, true);
  if (progress === 'solved') {
    const mark = puzzling.isClean(p.state) ? 'solved' : 'helped';
    puzzling.note(forever, info.id, puzzle.position, mark);
  }
  if (puzzling.isOver(p.state)) sound(progress === 'solved' ? 'end' : 'low');
  await render(p, false);
  const words = puzzling.verdict(p.state, puzzle, defender(p));
  say(`You play ${saidOf(p.play.base(), turns)}. ${words}`);
  if (p.state.busy) await defend(p);
  if (progress === 'wrong') refute(p).catch(() => {});
};

/** A wrong turn, a hint or the solution: the puzzle no longer counts as solved. @param {Page} p */
const fail = (p) => {
  rate(p, false);
  puzzling.note(forever, p.info.id, p.puzzle.position, 'helped');
};

/** The position after all turns, even while an earlier one is shown. @param {Page} p */
const latest = (p) => placeAt(p, p.state.turns.length);

/** The opponent's best answer. @param {import('../program/views.js').Place} place @returns {Promise<string>} */
const answerAt = async (place) => {
  const player = { kind: 'level', level: 10 };
  return (await thought('turn', { ...place, player, time_ms: DEFENCE_MS })).turn;
};

/** Shows the answer that refutes a wrong turn. @param {Page} p */
const refute = (p) =>
  aboutHere(
    () => latest(p),
    answerAt,
    async (turn) => {
      if (!turn) return;
      p.state = { ...p.state, turns: [...p.state.turns, turn], refuted: turn };
      sound('other');
      await render(p);
      const said = saidOf(p.play.base(), p.state.turns);
      const words = puzzling.verdict(p.state, p.puzzle, defender(p));
      say(said === turn ? words : `${defender(p)} plays ${said}. ${words}`);
    },
  );

/** Plays the best defence, unless the puzzle was restarted meanwhile. @param {Page} p */
const defend = async (p) => {
  const find = async (/** @type {import('../program/views.js').Place} */ place) => {
    const turns = [...(place.turns ?? []), await answerAt(place)];
    return { turns, progress: (await askAbout(p, { turns })).progress };
  };
  const use = async (/** @type {Awaited<ReturnType<typeof find>>} */ found) => {
    p.state = { ...p.state, ...found, busy: false };
    sound('other');
    await render(p);
    const words = puzzling.verdict(p.state, p.puzzle, defender(p));
    say(`${defender(p)} plays ${saidOf(p.play.base(), found.turns)}. ${words}`);
  };
  try {
    await aboutHere(() => latest(p), find, use);
  } catch (error) {
    p.state = { ...p.state, busy: false };
    complain(error);
    await render(p);
  }
};

/** @param {Page} p */
const restart = (p) => {
  p.state = puzzling.again(p.state);
  render(p, false);
  say(taskOf(p));
};

/**
 * The winning turn: from the solution, or else from the engine.
 * @param {Page} p @param {import('../program/views.js').Place} place
 */
const bestTurn = async (p, place) => {
  if (!place.turns?.length) return (await askAbout(p, { solution: true })).solution[0];
  return (await thought('hint', place)).engine?.turn;
};

/** The current position. @param {Page} p */
const here = (p) => placeAt(p, puzzling.plyOf(p.state));

/** Shows on which cell the winning turn starts. @param {Page} p */
const showHint = async (p) => {
  if (!puzzling.mayTry(p.state) || isOneTap(p.start)) return;
  p.state = { ...p.state, helped: true };
  fail(p);
  const find = async (/** @type {import('../program/views.js').Place} */ place) => {
    const best = await bestTurn(p, place);
    return best ? arrowsFor(place, best, isFlipped(p.puzzle)) : [];
  };
  const use = (/** @type {import('../board/board.js').Hint[]} */ [first]) => {
    const cell = first && ('place' in first ? first.place : first.from);
    if (cell === undefined) return;
    p.play.clear();
    p.play.hint([{ place: cell }]);
    setText(p.parts.words, `Look at ${p.start.cells[cell].name}.`);
  };
  await aboutHere(() => here(p), find, use);
};

/** @param {Page} p */
const showSolution = async (p) => {
  const { solution: turns } = await askAbout(p, { solution: true });
  fail(p);
  p.state = { ...p.state, turns, ply: 0, busy: false, helped: true, shown: true };
  await render(p, false);
  const find = (/** @type {import('../program/views.js').Place} */ place) =>
    arrowsFor(place, turns[0], isFlipped(p.puzzle));
  await aboutHere(
    () => here(p),
    find,
    (hints) => p.play.hint(hints),
  );
  say(`The solution: ${turns.join(', ')}`);
};
