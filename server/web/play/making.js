/**
 * Entering a turn on a board: the state, and what follows from it. All functions are pure.
 *
 * @typedef {import('../program/views.js').View} View
 * @typedef {import('../program/views.js').Place} Place
 * @typedef {import('../program/views.js').Tap} Tap
 * @typedef {import('../board/board.js').Hint} Hint
 * @typedef {import('./gesture.js').Spelling} Spelling
 * @typedef {import('./gesture.js').Stage} Stage
 * @typedef {{text: string, view: View, taps: Tap[]}} Part a move that has been made as part of the
 *   turn, and the board before it
 * @typedef {{text: string, cell: number|null, before: View, spelling: Spelling}} Proposal
 *   a complete turn to be confirmed: its text, the cell that confirms it, the board before its last move, and how that
 *   move was entered
 *
 * @typedef {{
 *   place: Place|null, flipped: boolean, turned: boolean, current: boolean,
 *   base: View|null, view: View|null,
 *   draft: Part[], spelling: Spelling, proposal: Proposal|null,
 *   sending: {text: string, from: string}|null, ahead: import('./premove.js').Premove,
 *   hints: Hint[], past: Hint[], sketch: import('../board/board.js').Sketch[], threat: boolean, advice: string,
 *   error: string, late: number, shows: number, tries: number,
 * }} Making
 *   `place` and `flipped` are what should be shown; `turned` is the board's actual orientation, `current` whether it
 *   shows that place yet. `base` is the position without the turn being entered, `view` the one on the board. `sending`
 *   is an unanswered turn and where it was played. `late` counts overdue boards; `shows` and `tries` number the
 *   requested places and turns, so that a board that arrives too late can be dropped.
 */
import { filled, plural } from '../common/text.js';
import WORDS from '../common/words.json' with { type: 'json' };
import { NOTHING, back, stageNames, stageOf, starts, tapChoice } from './gesture.js';
import { NONE } from './premove.js';

/** @type {Making} */
export const EMPTY = {
  place: null,
  flipped: false,
  turned: false,
  current: false,
  base: null,
  view: null,
  draft: [],
  spelling: NOTHING,
  proposal: null,
  sending: null,
  ahead: NONE,
  hints: [],
  past: [],
  sketch: [],
  threat: false,
  advice: '',
  error: '',
  late: 0,
  shows: 0,
  tries: 0,
};

/** The state in which no turn has been started. */
export const UNMADE = { draft: [], spelling: NOTHING, proposal: null };

/** A place as a string, for comparisons. @param {Place|null} place */
export const placeKey = (place) => JSON.stringify(place);

/** The text of the turn so far. @param {Making} now */
export const made = ({ draft }) => draft.map(({ text }) => text).join('');

/** The turns of the place, and one more. @param {Making} now @param {string} text */
export const turnsWith = ({ place }, text) => [...(place?.turns ?? []), text];

/** Whether something has been chosen that can be undone. @param {Making} now */
export const isBegun = ({ draft, spelling, proposal }) =>
  draft.length > 0 || spelling.taps.length > 0 || proposal !== null;

/** Whether a tap would be part of a turn. @param {Making} now @param {boolean} mayPlay */
export const isReady = ({ sending, current, base }, mayPlay) =>
  mayPlay && !sending && current && !base?.over;

/**
 * The moves to be animated: of a turn being entered, only the latest.
 * @param {Making} now @param {View} next
 */
export const unseen = ({ draft }, next) =>
  draft.length > 0 && next.last.length > 1 ? next.last.slice(draft.length) : next.last;

/** The prompt for the next step. @param {View} view @param {Spelling} spelling */
export const prompt = (view, spelling) => {
  const { candidates, choices, stage } = stageOf(view.steps, spelling);
  const places = candidates.filter(isPlacing).length;
  const words = (/** @type {keyof typeof WORDS['prompt']} */ name) =>
    filled(WORDS.prompt[name], { stage });
  if (stage === 'parts' || stage === 'target') return words(stage);
  if (choices.length > 0 || places === 0) return words('choose');
  if (places < candidates.length) return words('either');
  return words(view.in_turn ? 'place' : 'empty');
};

/**
 * The next stage as it is read out, with the choices.
 * @param {View} view @param {Spelling} spelling
 */
export const spokenStage = (view, spelling) => {
  const { choices } = stageOf(view.steps, spelling);
  return choices.length > 0
    ? `${prompt(view, spelling)}: ${choices.map(({ label }) => label).join(', ')}`
    : prompt(view, spelling);
};

/** Whether every turn is a single tap, of which a hint could only tell the whole. @param {View} view */
export const isOneTap = ({ steps }) => steps.every(({ taps }) => taps.length === 1);

/** Whether a move is a single tap on an empty cell. @param {import('../program/views.js').Step} step */
const isPlacing = ({ taps, trace }) => trace.placed !== null && taps.length === 1;

/**
 * The state of the entry, if anything can be entered.
 * @param {Making} now @param {boolean} able @returns {Stage|null}
 */
export const stageNow = ({ view, spelling, proposal }, able) =>
  view && able && !proposal ? stageOf(view.steps, spelling) : null;

/** The marks on the board, and whether any tap would place a piece. @param {Making} now @param {boolean} able */
export const marksOf = (now, able) => {
  const { view, spelling, ahead, hints, past, sketch, threat } = now;
  const steps = view?.steps ?? [];
  const stage = stageNow(now, able);
  const begun = spelling.taps.length > 0;
  const heads = stage ? starts(steps) : new Map();
  const placing = stage !== null && !begun && steps.every(({ trace }) => trace.placed !== null);
  const selected =
    stage && begun ? (spelling.taps.find(({ cell }) => cell !== null)?.cell ?? null) : null;
  const from = ahead.spelling.taps[0]?.cell ?? null;
  const says = (/** @type {number} */ cell) => {
    if (!stage) return '';
    if (cell === selected) return 'selected';
    if (begun) return stage.cells.has(cell) ? 'legal target' : '';
    if (!heads.has(cell)) return '';
    return placing ? 'can be chosen' : plural(heads.get(cell), 'legal move');
  };
  /** @type {import('../board/board.js').Marks} */
  const marks = {
    selected: selected ?? from,
    targets:
      stage && begun
        ? stage.cells
        : from !== null
          ? stageOf(ahead.steps, ahead.spelling).cells
          : new Set(),
    later: ahead.chosen ? arrows([ahead.chosen.trace]) : [],
    grab: new Set(heads.keys()),
    // The cells where a piece may be placed; only faintly, because there are many.
    faint: new Set(
      stage && !begun
        ? steps.filter(isPlacing).map(({ trace }) => /** @type {number} */ (trace.placed))
        : [],
    ),
    hints,
    past,
    sketch,
    threat,
    says,
  };
  return { marks, placing };
};

/** The stages that are done, and those to come. @param {Making} now @param {boolean} able */
export const stagesOf = (now, able) => {
  const { view, draft, spelling, proposal } = now;
  if (!view || !able) return { done: [], ahead: [] };
  const done = [
    ...draft.flatMap(({ taps }) => taps),
    ...(proposal ? proposal.spelling.taps : spelling.taps),
  ];
  const ahead = proposal ? [] : stageNames(view.steps, spelling).slice(spelling.taps.length);
  return done.length + ahead.length > 1 ? { done, ahead } : { done: [], ahead: [] };
};

/**
 * The title of the card.
 * @param {Making} now @param {boolean} able
 * @param {{idle: () => string, onWay: (turn: string) => string, task: () => string}} words
 */
export const title = (now, able, { idle, onWay, task }) => {
  const { view, sending, late, ahead, proposal, spelling } = now;
  if (sending) return onWay(sending.text);
  if (late > 0) return 'Fetching the rules…';
  if (ahead.chosen) return `${ahead.chosen.text} will be played next`;
  if (!able || !view) return idle();
  if (proposal) return `Play ${proposal.text}?`;
  return (!isBegun(now) && task()) || prompt(view, spelling);
};

/** The hint in words, as long as it is shown. @param {Making} now */
export const adviceOf = ({ hints, advice }) => (hints.length > 0 ? advice : '');

/** Where the parts of a choice would land, in every direction. @param {Making} now @param {Tap} choice */
export const landings = ({ view, spelling }, choice) => {
  if (!view) return [];
  const { candidates } = stageOf(view.steps, tapChoice(view.steps, spelling, choice));
  const all = candidates.flatMap(({ trace }) =>
    trace.travels.flatMap(({ to, height }) => (to === null ? [] : [{ to, height }])),
  );
  return all.filter(({ to }, i) => all.findIndex((other) => other.to === to) === i);
};

/** Undoes one stage; null if there is none. @param {Making} now @returns {Partial<Making>|null} */
export const stepBack = (now) => {
  const { view, ahead, sending, proposal, spelling, draft } = now;
  if (ahead !== NONE) return { ahead: NONE };
  if (sending || !isBegun(now) || !view) return null;
  const again = { error: '', tries: now.tries + 1 };
  if (proposal) {
    const { before, spelling: was } = proposal;
    return { ...again, proposal: null, view: before, spelling: back(before.steps, was) };
  }
  if (spelling.taps.length > 0) return { ...again, spelling: back(view.steps, spelling) };
  const last = /** @type {Part} */ (draft.at(-1));
  return {
    ...again,
    draft: draft.slice(0, -1),
    view: last.view,
    spelling: back(last.view.steps, { taps: last.taps, aim: null }),
  };
};

/**
 * Clears everything that was chosen. If the board is about to be replaced, it need not be restored.
 * @param {Making} now @returns {Partial<Making>}
 */
export const cleared = ({ sending, base, current, tries }) => {
  if (sending) return {};
  return base && current ? { ...UNMADE, view: base, tries: tries + 1 } : UNMADE;
};

/**
 * Moves to another place. A turn being entered is discarded, unless it continues there.
 * @param {Making} now @param {Place} place @param {boolean} flipped
 * @param {boolean} forgive whether the last error is cleared
 * @returns {{change: Partial<Making>, same: boolean, goesOn: boolean}}
 */
export const moved = (now, place, flipped, forgive) => {
  const { view, draft, proposal, sending } = now;
  const same = now.place !== null && placeKey(now.place) === placeKey(place);
  const last = place.turns?.at(-1);
  const goesOn =
    !same && Boolean(view?.in_turn) && draft.length > 0 && last?.startsWith(made(now)) === true;
  const stays = sending !== null || (proposal !== null && last === proposal.text);
  return {
    change: {
      place,
      flipped,
      current: false,
      shows: now.shows + 1,
      spelling: NOTHING,
      ...(goesOn ? {} : { draft: [] }),
      ...(same ? {} : { past: [], sketch: [] }),
      ...(stays ? {} : { proposal: null, hints: [], threat: false }),
      ...(same || !forgive ? {} : { error: '' }),
    },
    same,
    goesOn,
  };
};

/** A turn as arrows. @param {import('../program/views.js').Trace[]} traces @returns {Hint[]} */
export const arrows = (traces) => traces.flatMap((trace) => arrowsOf(trace));

/** @param {import('../program/views.js').Trace} trace @returns {Hint[]} */
const arrowsOf = (trace) => {
  // A placement is marked only on its cell; what it pushes follows by itself.
  if (trace.placed !== null) return [{ place: trace.placed }];
  const parts = trace.travels.flatMap(({ from, to, height }) =>
    to === null ? [] : [{ from, to, height }],
  );
  // All parts of a stack share one arrow.
  return [...new Set(parts.map(({ from }) => from))].map((from) => ({
    from,
    parts: parts.filter((part) => part.from === from),
  }));
};

/**
 * The sketch with one more mark, or without it if it was there.
 * @param {Making} now @param {import('../board/board.js').Sketch} one @returns {Partial<Making>}
 */
export const sketched = ({ sketch }, one) => {
  const others = sketch.filter(({ from, to }) => from !== one.from || to !== one.to);
  return { sketch: others.length < sketch.length ? others : [...sketch, one] };
};
