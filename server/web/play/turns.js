/** The turns of a game: a list with the current one, and buttons and keys for navigation. */
import { button, iconButton } from '../common/controls.js';
import { el, reveal, setAttribute } from '../common/dom.js';

/** @typedef {{first: () => void, step: (by: number) => void, last: () => void}} Ways */

/** @param {(ply: number) => void} onGo gets the number of turns to show */
export const createTurns = (onGo) => {
  const list = el('ol', { 'aria-label': 'Turns' });
  const box = el('div.turns', { tabIndex: 0, role: 'region', 'aria-label': 'List of turns' }, list);
  let shown = { turns: /** @type {string[]} */ ([]), ply: 0 };
  let key = '';
  const go = (/** @type {number} */ to) => onGo(Math.max(0, Math.min(shown.turns.length, to)));
  /** @type {Ways} */
  const ways = {
    first: () => go(0),
    step: (by) => go(shown.ply + by),
    last: () => go(shown.turns.length),
  };
  const nav = stepsNav(ways);

  /** @param {string[]} turns @param {number} ply how many of them are shown @param {1|2} first who begins */
  const show = (turns, ply, first) => {
    shown = { turns, ply };
    nav.paint(ply === 0, ply >= turns.length);
    const next = JSON.stringify([turns, first]);
    if (next !== key) list.replaceChildren(...rows(turns, first, go));
    key = next;
    for (const one of list.querySelectorAll('button')) {
      const here = Number(one.dataset.ply) === ply;
      setAttribute(one, 'aria-current', here && 'step');
      if (here) requestAnimationFrame(() => reveal(box, one));
    }
    if (ply === 0 && turns.length > 0) box.scrollTop = 0;
  };
  // If the box shrinks, the current turn could end up outside.
  new ResizeObserver(() => {
    const one = list.querySelector('[aria-current]');
    if (one instanceof HTMLElement) reveal(box, one);
  }).observe(box);
  const element = el('section.card.turnlist', { 'aria-label': 'Turns' }, box, nav.element);
  return { element, ways, show };
};

/** @param {string[]} turns @param {1|2} first @param {(ply: number) => void} go */
const rows = (turns, first, go) => {
  const gap = first - 1;
  /** @type {HTMLElement[]} */
  const all = [];
  turns.forEach((turn, i) => {
    const at = i + gap;
    if (at % 2 === 0 || i === 0)
      all.push(
        el('li', el('span.number', `${Math.floor(at / 2) + 1}`), at === 1 && el('span.blank', '…')),
      );
    all.at(-1)?.append(button('', turn, () => go(i + 1), { 'data-ply': i + 1 }));
  });
  return all;
};

/** The navigation buttons. @param {Ways} ways */
export const stepsNav = ({ first, step, last }) => {
  const [back, on] = [() => step(-1), () => step(1)];
  const buttons = [
    iconButton('#nav-first', 'first', 'First position', first, { title: 'First position (Home)' }),
    iconButton('#nav-back', 'back', 'One turn back', back, { title: 'One turn back (←)' }),
    iconButton('#nav-on', 'on', 'One turn on', on, { title: 'One turn on (→)' }),
    iconButton('#nav-last', 'last', 'Last position', last, { title: 'Last position (End)' }),
  ];
  return {
    element: el('nav.steps', { 'aria-label': 'Through the game' }, buttons),
    /** @param {boolean} atStart @param {boolean} atEnd */
    paint: (atStart, atEnd) =>
      buttons.forEach((one, i) => {
        one.disabled = i < 2 ? atStart : atEnd;
      }),
  };
};

/** The navigation keys. @param {Ways} ways */
export const stepKeys = ({ first, step, last }) => ({
  ArrowLeft: () => step(-1),
  k: () => step(-1),
  ArrowRight: () => step(1),
  j: () => step(1),
  PageUp: () => step(-10),
  PageDown: () => step(10),
  Home: first,
  End: last,
});

/** Annotation glyphs for mistakes, by size. */
export const MARKS = /** @type {Record<string, string>} */ ({
  inaccuracy: '?!',
  mistake: '?',
  blunder: '??',
});

/** Toggles between only the board and the whole page. */
export const zen = () => document.documentElement.classList.toggle('zen');

/** The button that ends zen mode. */
export const unzenButton = () => button('#unzen.unzen', 'Show everything', zen);
