/**
 * The engine's analysis: streamed lines and an evaluation bar.
 *
 * @typedef {import('../program/views.js').GameInfo} GameInfo
 * @typedef {import('../program/views.js').Place} Place
 * @typedef {{turns: string[], score: number, win_in: number|null, bar: number, proof?: string}} Line
 * @typedef {{lines?: Line[], depth: number, done?: boolean}} Thought
 * @typedef {{onPick: (turns: string[], place: Place) => void, onBest: () => void,
 *   onPeek: (turns: string[]|null) => void}} Hooks
 *   `onPick` also gets the place where the turns start; `onPeek` gets the line up to the hovered turn
 * @typedef {object} Thinking
 * @property {GameInfo} info
 * @property {Hooks} hooks
 * @property {boolean} on
 * @property {number} count the number of lines to search for
 * @property {boolean} hushed whether suggestions are hidden
 * @property {{place: Place, turn: 1|2, over: boolean, winner: any}|null} at the current position
 * @property {Thought|null} latest
 * @property {string} told the best turn last reported
 * @property {string} drawn the lines currently shown
 * @property {AbortController|null} run
 * @property {any} timer
 * @property {(act: () => void) => void} soon
 * @property {ReturnType<typeof createParts>} parts
 */
import { button, select } from '../common/controls.js';
import { el, fill, inNextFrame, setText } from '../common/dom.js';
import { Refused } from '../common/refused.js';
import { remember, remembered } from '../common/storage.js';
import { capital, plural, scoreText, scoreWords, share } from '../common/text.js';
import { isSame } from '../play/here.js';
import { think } from '../program/ask.js';

const MOST_MS = 60_000;

/** Stepping through a game quickly should not start a search at every turn. */
const REST_MS = 120;

/** @param {GameInfo} info @param {Hooks} hooks */
export const createThinking = (info, hooks) => {
  /** @type {Thinking} */
  const t = /** @type {any} */ ({
    ...{ info, hooks, on: remembered('engine', true), count: remembered('lines', 3) },
    ...{ hushed: false, at: null, latest: null, told: '', drawn: '', run: null, timer: null },
    soon: inNextFrame(),
  });
  t.parts = createParts(t);
  addEventListener('pagehide', () => stop(t));
  return {
    element: t.parts.element,
    bar: t.parts.bar,
    /** @param {Place} place @param {import('../program/views.js').View} view @param {boolean} flipped */
    think: (place, view, flipped) => lookAt(t, place, view, flipped),
    toggle: () => setOn(t, !t.on),
    /** Hides the engine's suggestions. @param {boolean} value */
    hush: (value) => {
      t.hushed = value;
      paint(t);
      if (!value && t.latest) t.hooks.onBest();
    },
    /** The best turn known for a position. @param {Place} place @returns {string|null} */
    best: (place) => (t.at && isSame(t.at.place, place) && t.latest?.lines?.[0]?.turns[0]) || null,
    stop: () => stop(t),
  };
};

/** @param {Thinking} t */
const createParts = (t) => {
  const inner = el('i');
  const bar = el('div.evalbar', { role: 'img', 'aria-label': 'Evaluation' }, inner);
  const score = el('output#score', '–');
  const words = el('small#score-words');
  const toggle = button('#engine', 'Engine', () => setOn(t, !t.on), {
    title: 'Engine on and off (l)',
  });
  const onchange = () => {
    t.count = Number(lines.value);
    remember('lines', t.count);
    restart(t);
  };
  const lines = select(
    { id: 'line-count', 'aria-label': 'Number of lines', onchange },
    [1, 2, 3, 4, 5].map((value) => ({ value, label: plural(value, 'line') })),
    t.count,
  );
  const list = el('ol#lines.lines', { 'aria-label': 'Best lines' });
  const element = el(
    'section.card.engine',
    { 'aria-label': 'Engine' },
    el('header', toggle, score, lines),
    words,
    list,
  );
  return { inner, bar, score, words, toggle, list, element };
};

/**
 * @param {Thinking} t @param {Place} place @param {import('../program/views.js').View} view @param {boolean} flipped
 */
const lookAt = (t, place, view, flipped) => {
  const [first, second] = view.players;
  t.parts.bar.className = `evalbar tint-${second.tint}${flipped ? ' flipped' : ''}`;
  t.parts.inner.className = `tint-${first.tint}`;
  const same = t.at && isSame(t.at.place, place);
  t.at = { place, turn: view.turn, over: view.over, winner: view.winner };
  if (!same) restart(t);
};

/** @param {Thinking} t @param {boolean} value */
const setOn = (t, value) => {
  t.on = value;
  remember('engine', value);
  restart(t);
};

/** @param {Thinking} t */
const stop = (t) => {
  clearTimeout(t.timer);
  t.run?.abort();
  t.run = null;
};

/** @param {Thinking} t */
const restart = (t) => {
  stop(t);
  Object.assign(t, { latest: null, told: '' });
  t.soon(() => paint(t));
  if (t.on && t.at && !t.at.over) t.timer = setTimeout(() => begin(t), REST_MS);
};

/** @param {Thinking} t */
const begin = async (t) => {
  const { at, count } = t;
  const mine = new AbortController();
  t.run = mine;
  const take = (/** @type {Thought} */ line) => {
    if (t.run !== mine) return;
    if (line.lines || !t.latest) t.latest = line;
    // Lines arrive faster than anybody can read them, so draw at most once per frame.
    t.soon(() => paint(t));
  };
  try {
    await think('analysis', { ...at?.place, lines: count, time_ms: MOST_MS }, take, mine.signal);
  } catch (error) {
    if (t.run !== mine || mine.signal.aborted) return;
    const why = error instanceof Refused ? error.message : 'the engine has stopped';
    setText(t.parts.words, capital(why));
  }
};

/** @param {Thinking} t */
const paint = (t) => {
  const { on, at, latest, hushed, count, parts } = t;
  const best = latest?.lines?.[0];
  parts.toggle.setAttribute('aria-pressed', String(on));
  parts.toggle.classList.toggle('primary', on);
  parts.list.style.setProperty('--lines', `${count * 1.9}rem`);
  if (at?.over) paintBar(t, { 1: 1, 2: 0 }[/** @type {1|2} */ (at.winner)] ?? 0.5);
  if (best && best.turns[0] !== t.told) {
    t.told = best.turns[0];
    t.hooks.onBest();
  }
  if (!at || !latest || !best || hushed) return paintNone(t);
  const words = scoreWords(best, at.turn, t.info.players);
  paintBar(t, share(best, at.turn));
  parts.bar.setAttribute('aria-label', `Evaluation: ${words}`);
  setText(parts.score, scoreText(best, at.turn));
  setText(parts.words, `${capital(words)} · depth ${latest.depth}${latest.done ? '' : '…'}`);
  paintLines(t, latest.lines ?? [], at);
};

/** @param {Thinking} t @param {number} part of player 1, 0 to 1 */
const paintBar = ({ parts }, part) =>
  parts.bar.style.setProperty('--share', `${Math.round(part * 100)}%`);

/** The text shown while there are no lines. @param {Thinking} t */
const paintNone = (t) => {
  const { at, hushed, on, parts } = t;
  const resting = hushed ? 'Hidden while you look for something better' : on ? 'Thinking…' : 'Off';
  setText(parts.score, '–');
  setText(parts.words, at?.over ? 'The game is over' : resting);
  fill(parts.list);
  t.drawn = '';
};

/** @param {Thinking} t @param {Line[]} lines @param {{place: Place, turn: 1|2}} at */
const paintLines = (t, lines, { place, turn }) => {
  // Unchanged lines are left alone: a button that is replaced while pressed receives no click.
  const drawn = JSON.stringify([place, lines]);
  if (t.drawn === drawn) return;
  t.drawn = drawn;
  const item = (/** @type {Line} */ line) => {
    const turns = line.turns.map((_, i) => turnButton(t, line.turns.slice(0, i + 1), place));
    return el('li', el('b', scoreText(line, turn)), el('div', ...turns));
  };
  fill(t.parts.list, ...lines.map(item));
};

/**
 * A turn of a line: a click steps into the line, and hovering previews it.
 * @param {Thinking} t @param {string[]} turns @param {Place} place
 */
const turnButton = ({ hooks }, turns, place) => {
  const hide = () => hooks.onPeek(null);
  const show = () => hooks.onPeek(turns);
  const pick = () => {
    hide();
    hooks.onPick(turns, place);
  };
  const pointed = { onmouseenter: show, onmouseleave: hide, onfocus: show, onblur: hide };
  return button('', turns.at(-1) ?? '', pick, pointed);
};
