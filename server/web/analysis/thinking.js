/** The engine at work: lines that stream in, an evaluation bar. */
import { button, select } from '../common/controls.js';
import { el, fill, setText } from '../common/dom.js';
import { Refused } from '../common/refused.js';
import { remember, remembered } from '../common/storage.js';
import { capital, plural, scoreText, scoreWords, share } from '../common/text.js';
import { isSame } from '../play/here.js';
import { think } from '../program/ask.js';

const MOST_MS = 60_000;

/**
 * @param {import('../program/views.js').GameInfo} info
 * @param {{onPick: (turns: string[], place: import('../program/views.js').Place) => void, onBest: () => void,
 *   onPeek: (turns: string[]|null) => void}} hooks
 *   `onPick` is told where the turns begin, `onBest` of another best turn, `onPeek` of a turn that is pointed at
 */
export const createThinking = (info, { onPick, onBest, onPeek }) => {
  let told = '';
  let hushed = false;
  /** @type {AbortController|null} */
  let run = null;
  /** @type {any} */
  let timer = null;
  /** @type {any} */
  let latest = null;
  /** @type {{place: import('../program/views.js').Place, turn: 1|2, over: boolean, winner: any}|null} */
  let at = null;
  let on = remembered('engine', true);
  let count = remembered('lines', 3);

  const inner = el('i');
  const bar = el('div.evalbar', { role: 'img', 'aria-label': 'Evaluation' }, inner);
  const score = el('output#score', '–');
  const words = el('small#score-words');
  const toggle = button('#engine', 'Engine', () => setOn(!on), { title: 'Engine on and off (l)' });
  const lines = select(
    {
      id: 'line-count',
      'aria-label': 'Number of lines',
      onchange: () => {
        count = Number(lines.value);
        remember('lines', count);
        restart();
      },
    },
    [1, 2, 3, 4, 5].map((value) => ({ value, label: plural(value, 'line') })),
    count,
  );
  const list = el('ol#lines.lines', { 'aria-label': 'Best lines' });
  const element = el(
    'section.card.engine',
    { 'aria-label': 'Engine' },
    el('header', toggle, score, lines),
    words,
    list,
  );

  /** A turn of a line: a click steps in, and pointing at it shows where it leads. */
  const turnButton = (
    /** @type {string[]} */ turns,
    /** @type {import('../program/views.js').Place} */ place,
  ) => {
    const hide = () => onPeek(null);
    const show = () => onPeek(turns);
    return button(
      '',
      turns.at(-1) ?? '',
      () => {
        hide();
        onPick(turns, place);
      },
      { onmouseenter: show, onmouseleave: hide, onfocus: show, onblur: hide },
    );
  };

  const paint = () => {
    toggle.setAttribute('aria-pressed', String(on));
    toggle.classList.toggle('primary', on);
    list.style.setProperty('--lines', `${count * 1.9}rem`);
    const best = latest?.lines?.[0];
    if (at?.over)
      bar.style.setProperty(
        '--share',
        { 1: '100%', 2: '0%' }[/** @type {1|2} */ (at.winner)] ?? '50%',
      );
    if (best && best.turns[0] !== told) {
      told = best.turns[0];
      onBest();
    }
    if (!at || !best || hushed) {
      setText(score, '–');
      setText(
        words,
        at?.over
          ? 'The game is over'
          : hushed
            ? 'Hidden while you look for something better'
            : !on
              ? 'Off'
              : 'Thinking…',
      );
      fill(list);
      delete list.dataset.shown;
      return;
    }
    const { turn, place } = at;
    const part = share(best, turn);
    bar.style.setProperty('--share', `${Math.round(part * 100)}%`);
    bar.setAttribute('aria-label', `Evaluation: ${scoreWords(best, turn, info.players)}`);
    setText(score, scoreText(best, turn));
    setText(
      words,
      `${capital(scoreWords(best, turn, info.players))} · depth ${latest.depth}${latest.done ? '' : '…'}`,
    );
    // What stays the same is left alone: a button that is drawn anew while it is pressed hears no click.
    const shown = JSON.stringify(latest.lines);
    if (list.dataset.shown === shown) return;
    list.dataset.shown = shown;
    fill(
      list,
      ...latest.lines.map((/** @type {any} */ line) =>
        el(
          'li',
          el('b', scoreText(line, turn)),
          el(
            'div',
            ...line.turns.map((/** @type {string} */ _, /** @type {number} */ i) =>
              turnButton(line.turns.slice(0, i + 1), place),
            ),
          ),
        ),
      ),
    );
  };

  const stop = () => {
    clearTimeout(timer);
    run?.abort();
    run = null;
  };

  const restart = () => {
    stop();
    latest = null;
    told = '';
    paint();
    if (!on || !at || at.over) return;
    const { place } = at;
    timer = setTimeout(async () => {
      const mine = new AbortController();
      run = mine;
      try {
        await think(
          'analysis',
          { ...place, lines: count, time_ms: MOST_MS },
          (line) => {
            if (run !== mine) return;
            if (line.lines || !latest) latest = line;
            paint();
          },
          mine.signal,
        );
      } catch (error) {
        if (run === mine && !mine.signal.aborted)
          setText(
            words,
            capital(error instanceof Refused ? error.message : 'the engine has stopped'),
          );
      }
    }, 120);
  };

  const setOn = (/** @type {boolean} */ value) => {
    on = value;
    remember('engine', on);
    restart();
  };

  addEventListener('pagehide', stop);

  return {
    element,
    bar,
    /**
     * @param {import('../program/views.js').Place} place @param {import('../program/views.js').View} view
     * @param {boolean} flipped
     */
    think: (place, view, flipped) => {
      bar.className = `evalbar tint-${view.players[1].tint}${flipped ? ' flipped' : ''}`;
      inner.className = `tint-${view.players[0].tint}`;
      const same = at && isSame(at.place, place);
      at = { place, turn: view.turn, over: view.over, winner: view.winner };
      if (!same) restart();
    },
    toggle: () => setOn(!on),
    /** Tells nothing until it may again. @param {boolean} value */
    hush: (value) => {
      hushed = value;
      paint();
      if (!value && latest) onBest();
    },
    /**
     * The best turn that is known at a place.
     * @param {import('../program/views.js').Place} place @returns {string|null}
     */
    best: (place) => (at && isSame(at.place, place) && latest?.lines?.[0]?.turns[0]) || null,
    stop,
  };
};
