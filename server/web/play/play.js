/**
 * Making a turn on a board: taps, drags, keys and typed text, in stages that can be undone. All pages with a board use
 * this; the pure state is in making.js.
 *
 * @typedef {import('../program/views.js').View} View
 * @typedef {import('../program/views.js').Place} Place
 * @typedef {import('./making.js').Making} Making
 * @typedef {{onTurn: (turn: string) => Promise<any>|void, mayPlay: () => boolean, idle: () => string, label: string,
 *   sure: boolean, sketches: boolean, task: () => string, onWay: (turn: string) => string, plays: () => boolean,
 *   premove: () => 1|2|null, helps: () => boolean}} Hooks
 *   `helps`: whether the engine may help; `sketches`: whether the right button draws arrows and circles; `idle`: the
 *   prompt when nothing can be played; `task`: the prompt before anything is chosen; `sure`: never ask for
 *   confirmation; `onWay`: the progress of a turn that was played; `plays`: whether anybody plays here; `premove`: who
 *   may choose a premove
 * @typedef {{state: Making, hooks: Hooks, board: ReturnType<typeof createBoard>,
 *   card: ReturnType<typeof createStageCard>}} Play
 * @typedef {{text: string, taps: import('../program/views.js').Tap[], cell: number|null, before: View,
 *   step?: import('../program/views.js').Step}} Attempt the last move of a turn being tried: its text, its taps,
 *   the cell that would confirm it, and the board before it
 */
import { createBoard } from '../board/board.js';
import { onKeys, say } from '../common/dom.js';
import { prefs, touch } from '../common/prefs.js';
import { reasonOf } from '../common/text.js';
import { reach, sleep } from '../connection/reach.js';
import { ask } from '../program/ask.js';
import { view as askView } from '../program/views.js';
import { describe } from './described.js';
import { NOTHING, drag, stageOf, tapCell, tapChoice } from './gesture.js';
import * as making from './making.js';
import { NONE, due, short, tapped } from './premove.js';
import { createStageCard } from './stagecard.js';

/** How many milliseconds to wait for the board before playing a turn that does not need it. */
const LATE = 700;

/** @param {Partial<Hooks> & Pick<Hooks, 'onTurn'|'mayPlay'|'idle'>} hooks */
export const createPlay = (hooks) => {
  /** @type {Play} */
  const p = {
    state: making.EMPTY,
    hooks: {
      label: 'Board',
      sure: false,
      sketches: false,
      task: () => '',
      onWay: (turn) => `${turn} is played`,
      plays: () => true,
      premove: () => null,
      helps: () => true,
      ...hooks,
    },
    board: createBoard({
      label: hooks.label,
      onTap: (cell) => tap(p, cell),
      onDrag: (from, to) => dragged(p, from, to),
      ...(hooks.sketches && { onSketch: (one) => change(p, making.sketched(p.state, one)) }),
    }),
    card: createStageCard({
      onBack: () => stepBack(p),
      onClear: () => clear(p),
      onPlay: () => confirm(p),
      onType: (text) => typed(p, text),
      onChoose: (choice) => choose(p, choice),
      onPeek: (choice) => foresee(p, choice),
      ofBoard: () => p.board.cell(),
    }),
  };
  onKeys(ownKeys(p));
  return {
    board: p.board,
    card: p.card.element,
    entry: p.card.entry,
    show: (/** @type {Place} */ place, /** @type {Parameters<typeof show>[2]} */ how) =>
      show(p, place, how),
    adopt: (/** @type {string} */ text, /** @type {Promise<any>} */ answer) =>
      adopt(p, text, answer),
    /** Clears an error that is out of date. */
    forgive: () => change(p, { error: '' }),
    render: () => render(p),
    back: () => stepBack(p),
    clear: () => clear(p),
    view: () => p.state.view,
    base: () => p.state.base,
    /** Resolves with the position once it is shown, with its place and orientation. */
    settled: () => {
      const { current, base: view, place, flipped } = p.state;
      return current && view && place ? { view, place, flipped } : null;
    },
    /** Whether the board is currently shown from the second player's side. */
    turned: () => p.state.turned,
    busy: () => making.isBegun(p.state) || p.state.sending !== null,
    /**
     * @param {import('../board/board.js').Hint[]} hints
     * @param {{threat?: boolean, advice?: string}} [how] `advice` is the hint in words
     */
    hint: (hints, { threat = false, advice = '' } = {}) => change(p, { hints, threat, advice }),
    /** Shows a turn that was played here before. @param {import('../board/board.js').Hint[]} past */
    past: (past) => change(p, { past }),
  };
};

/** A turn at a place, as arrows. @param {Place} place @param {string} turn @param {boolean} [flipped] */
export const arrowsFor = async (place, turn, flipped = false) => {
  const after = { ...place, turns: [...(place.turns ?? []), turn] };
  return making.arrows((await askView(after, flipped)).last);
};

/** The keys of all boards: digits make choices, b describes the board. @param {Play} p */
const ownKeys = (p) => {
  const pick = (/** @type {number} */ i) => {
    const choice = making.stageNow(p.state, ready(p))?.choices[i];
    if (choice) choose(p, choice);
  };
  const digits = Array.from({ length: 9 }, (_, i) => [String(i + 1), () => pick(i)]);
  return {
    ...Object.fromEntries(digits),
    b: () => {
      if (p.state.view) describe(p.state.view, p.hooks.helps());
    },
  };
};

/** @param {Play} p */
const ready = (p) => making.isReady(p.state, p.hooks.mayPlay());

/** Updates the state, and shows it. @param {Play} p @param {Partial<Making>} next */
const change = (p, next) => {
  p.state = { ...p.state, ...next };
  render(p);
};

/** Renders everything. @param {Play} p */
const render = (p) => {
  const { hooks, board, card } = p;
  // Once the game is over, a premove will not be played.
  if (!hooks.plays()) p.state = { ...p.state, ahead: NONE };
  const { state } = p;
  if (!state.view) return;
  // Fetched boards are already shown, with their animations.
  board.show(state.view);
  const able = ready(p);
  const { marks, placing } = making.marksOf(state, able);
  board.mark(marks);
  board.element.classList.toggle('able', able && !state.proposal);
  board.element.classList.toggle('placing', placing);
  card.paint({
    title: making.title(state, able, hooks),
    able,
    begun: making.isBegun(state),
    ...making.stagesOf(state, able),
    choices: making.stageNow(state, able)?.choices ?? [],
    tint: state.view.players[state.view.turn - 1].tint,
    proposed: state.proposal !== null && state.sending === null,
    mayPlay: hooks.mayPlay(),
    plays: hooks.plays(),
    advice: making.adviceOf(state),
    error: state.error,
  });
};

/**
 * Shows where the parts of a choice would land.
 * @param {Play} p @param {import('../program/views.js').Tap|null} choice
 */
const foresee = (p, choice) => {
  const { marks } = making.marksOf(p.state, ready(p));
  p.board.mark({ ...marks, ghosts: choice ? making.landings(p.state, choice) : [] });
};

/** Shows that an answer is taking long. @template T @param {Play} p @param {Promise<T>} answer @returns {Promise<T>} */
const noticing = async (p, answer) => {
  let noticed = 0;
  const timer = setTimeout(() => {
    noticed = 1;
    change(p, { late: p.state.late + 1 });
  }, LATE);
  try {
    return await answer;
  } finally {
    clearTimeout(timer);
    p.state = { ...p.state, late: p.state.late - noticed };
  }
};

/**
 * Fetches a position and shows it, unless another one was requested meanwhile.
 * @param {Play} p @param {string[]} turns @param {boolean} animate
 */
const look = async (p, turns, animate) => {
  const { place, flipped } = p.state;
  if (!place) return null;
  p.state = { ...p.state, tries: p.state.tries + 1 };
  const { shows, tries } = p.state;
  const next = await noticing(p, askView({ ...place, turns }, flipped));
  if (shows !== p.state.shows || tries !== p.state.tries) return null;
  p.state = { ...p.state, view: next, turned: flipped };
  p.board.show(next, { animate, steps: making.unseen(p.state, next) });
  return next;
};

/** @param {Play} p @param {number} cell */
const tap = async (p, cell) => {
  p.state = { ...p.state, sketch: [] };
  if (p.state.view && !ready(p) && (await chooseAhead(p, cell))) return;
  const { view, spelling, proposal, sending } = p.state;
  if (!view || !ready(p)) {
    if (!sending) render(p);
  } else if (!proposal) spell(p, tapCell(view.steps, spelling, cell));
  else if (proposal.cell === cell) confirm(p);
  else stepBack(p);
};

/** @param {Play} p @param {number} from @param {number} to */
const dragged = (p, from, to) => {
  const { view, proposal } = p.state;
  if (!view || !ready(p) || proposal) return;
  const spelling = drag(view.steps, from, to);
  if (from === to) change(p, { spelling });
  else spell(p, spelling);
};

/** @param {Play} p @param {import('../program/views.js').Tap} choice */
const choose = (p, choice) => {
  const { view, spelling } = p.state;
  if (view) spell(p, tapChoice(view.steps, spelling, choice));
};

/**
 * Plays a complete move, or shows the next stage.
 * @param {Play} p @param {import('./gesture.js').Spelling} spelling
 */
const spell = async (p, spelling) => {
  const { view, tries } = p.state;
  if (!view) return;
  // Abandons an earlier attempt.
  p.state = { ...p.state, spelling, hints: [], error: '', tries: tries + 1 };
  const { step, candidates } = stageOf(view.steps, spelling);
  if (!step || candidates.length > 1) {
    render(p);
    if (spelling.taps.length > 0) say(making.spokenStage(view, spelling));
    return;
  }
  const cell = spelling.taps.findLast((one) => one.cell !== null)?.cell ?? null;
  const from = { text: step.text, taps: spelling.taps, cell, before: view, step };
  await attempt(p, making.made(p.state) + step.text, from, false);
};

/**
 * Finds out whether a text completes the turn or continues it. Returns false if it does neither.
 * @param {Play} p @param {string} text @param {Attempt} from
 * @param {boolean} certain whether to play it without confirmation
 */
const attempt = async (p, text, from, certain) => {
  const { spelling } = p.state;
  const looking = look(p, making.turnsWith(p.state, text), true);
  const { shows, tries } = p.state;
  let next;
  try {
    next = await (from.step?.ends
      ? Promise.race([looking, sleep(reach.answering() ? LATE : 0)])
      : looking);
  } catch (error) {
    change(p, { error: reasonOf(error) });
    return false;
  }
  if (shows !== p.state.shows || tries !== p.state.tries) return false;
  if (!next) markUntil(p, looking, from);
  if (next?.in_turn) {
    const part = { text: from.text, view: from.before, taps: from.taps };
    change(p, { spelling: NOTHING, draft: [...p.state.draft, part] });
    say(making.prompt(next, NOTHING));
    return true;
  }
  const proposal = { text, cell: from.cell, before: from.before, spelling };
  p.state = { ...p.state, spelling: NOTHING, proposal };
  if (!certain && !p.hooks.sure && asksFirst(p)) {
    render(p);
    say(`Play ${text}? Confirm with Play, or go back.`);
  } else await confirm(p);
  return true;
};

/**
 * Marks what was chosen on the current board, until the next one arrives.
 * @param {Play} p @param {Promise<View|null>} looking @param {Attempt} from
 */
const markUntil = (p, looking, from) => {
  p.state = { ...p.state, hints: from.step ? making.arrows([from.step.trace]) : [] };
  looking.then(
    (late) => {
      if (late) change(p, { hints: [] });
    },
    () => {},
  );
};

/** Whether a turn has to be confirmed: fingers slip, and turns of several moves are long. @param {Play} p */
const asksFirst = (p) => {
  const { confirm: asked } = prefs();
  return asked === 'always' || (asked === 'auto' && (touch() || p.state.draft.length > 0));
};

/** @param {Play} p */
const confirm = async (p) => {
  const { proposal, sending } = p.state;
  if (!proposal || sending) return;
  await deliver(p, proposal.text, () => p.hooks.onTurn(proposal.text));
};

/**
 * Shows a turn as played until it is answered.
 * @param {Play} p @param {string} text @param {() => Promise<any>|void} answer
 */
const deliver = async (p, text, answer) => {
  change(p, { sending: { text, from: making.placeKey(p.state.place) } });
  try {
    await answer();
    change(p, { sending: null, ...making.UNMADE, hints: [] });
  } catch (error) {
    p.state = { ...p.state, sending: null };
    change(p, { ...making.cleared(p.state), hints: [], error: reasonOf(error) });
  }
};

/**
 * Shows an unanswered turn that was played earlier or on another page.
 * @param {Play} p @param {string} text @param {Promise<any>} answer
 */
const adopt = (p, text, answer) => {
  const { sending, current, view } = p.state;
  if (sending || !current || !view) return false;
  clear(p);
  p.state = { ...p.state, proposal: { text, cell: null, before: view, spelling: NOTHING } };
  look(p, making.turnsWith(p.state, text), true).catch(() => {});
  deliver(p, text, () => answer);
  return true;
};

/**
 * Plays a typed turn or the rest of one. Returns whether it was accepted.
 * @param {Play} p @param {string} text
 */
const typed = async (p, text) => {
  if (!p.state.view || !ready(p)) return false;
  if (p.state.proposal) stepBack(p);
  change(p, { error: '' });
  const from = (/** @type {View} */ before) => ({
    text,
    taps: [{ stage: 'typed', label: text, cell: null }],
    cell: null,
    before,
    step: before.steps.find((one) => one.text === text.toLowerCase()),
  });
  if (p.state.draft.length > 0) {
    if (await attempt(p, making.made(p.state) + text, from(p.state.view), true)) return true;
    clear(p);
    change(p, { error: '' });
  }
  const { base } = p.state;
  return base !== null && attempt(p, text, from(base), true);
};

/**
 * Handles a tap as part of a premove. Returns false if it is not.
 * @param {Play} p @param {number} cell
 */
const chooseAhead = async (p, cell) => {
  const seat = p.hooks.premove();
  const { base: here, current } = p.state;
  if (!seat || !here || !current) return false;
  if (p.state.ahead === NONE) {
    const edit = { game: here.game, position: here.position, edit: { turn: seat } };
    const steps = short(
      await ask('edit', edit).then(
        (other) => other.steps,
        () => [],
      ),
    );
    const { base, ahead } = p.state;
    if (base !== here || p.hooks.premove() !== seat || steps.length === 0) return base === here;
    // A second tap may have arrived while the first was waiting; they are handled in order.
    if (ahead === NONE) p.state = { ...p.state, ahead: { ...NONE, steps } };
  }
  const ahead = tapped(p.state.ahead, cell);
  change(p, { ahead });
  say(
    ahead.chosen
      ? `${ahead.chosen.text} will be played next. Tap, or press Escape, to take it back.`
      : ahead.spelling.taps.length > 0
        ? 'Choose where to'
        : 'Nothing is chosen',
  );
  return true;
};

/** Plays the premove, if it is still legal. @param {Play} p */
const playAhead = (p) => {
  const { ahead, view } = p.state;
  if (ahead === NONE || !view || !ready(p)) return;
  p.state = { ...p.state, ahead: NONE };
  const text = due(ahead, view.steps);
  const step = view.steps.find((one) => one.text === text);
  if (text) attempt(p, text, { text, taps: [], cell: null, before: view, step }, true);
  else if (ahead.chosen) {
    say(`${ahead.chosen.text} cannot be played any more.`);
    render(p);
  }
};

/** Undoes one stage. Returns whether there was one. @param {Play} p */
const stepBack = (p) => {
  const next = making.stepBack(p.state);
  if (!next) return false;
  change(p, next);
  const { view, spelling } = p.state;
  if (view && next.spelling) say(making.prompt(view, spelling));
  return true;
};

/** @param {Play} p */
const clear = (p) => change(p, making.cleared(p.state));

/**
 * Shows a position. If it is a different one, the turn being entered is discarded.
 * @param {Play} p @param {Place} place @param {{flipped?: boolean, animate?: boolean,
 *   forgive?: boolean}} [how] `forgive` clears the last error
 */
const show = async (p, place, { flipped = false, animate = true, forgive = true } = {}) => {
  const { change: next, same, goesOn } = making.moved(p.state, place, flipped, forgive);
  if (same && flipped === p.state.flipped) {
    render(p);
    return p.state.view;
  }
  change(p, next);
  const mine = p.state.shows;
  const shown = await look(p, place.turns ?? [], animate && (!same || goesOn));
  if (mine !== p.state.shows || !shown) return null;
  change(p, { current: true, base: shown, draft: [] });
  // While a turn is pending, the position in which it was played is shown.
  const { sending } = p.state;
  if (sending?.from === making.placeKey(place))
    look(p, making.turnsWith(p.state, sending.text), false).catch(() => {});
  playAhead(p);
  return shown;
};
