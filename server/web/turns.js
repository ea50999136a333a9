/** The list of turns, with the one that is seen. */
import { el } from './dom.js';

/**
 * @param {(ply: number) => void} onPick
 */
export const createTurns = (onPick) => {
  const list = el('ol', { 'aria-label': 'Turns' });
  const element = el(
    'div.turns',
    { tabIndex: 0, role: 'region', 'aria-label': 'List of turns' },
    list,
  );
  let key = '';

  /**
   * @param {string[]} turns @param {number} ply how many of them are seen
   * @param {{first?: 1|2, glyphs?: Map<number, string>}} [how]
   */
  const show = (turns, ply, { first = 1, glyphs = new Map() } = {}) => {
    const next = JSON.stringify([turns, first, [...glyphs]]);
    if (next !== key) {
      key = next;
      const gap = first === 2 ? 1 : 0;
      /** @type {HTMLElement[]} */
      const rows = [];
      turns.forEach((turn, i) => {
        const at = i + gap;
        if (at % 2 === 0 || rows.length === 0)
          rows.push(
            el(
              'li',
              {},
              el('span.number', {}, `${Math.floor(at / 2) + 1}`),
              gap && i === 0 ? el('span.blank', {}, '…') : '',
            ),
          );
        const glyph = glyphs.get(i + 1);
        rows.at(-1)?.append(
          el(
            'button',
            {
              type: 'button',
              'data-ply': i + 1,
              className: glyph ? `glyph-${glyph}` : '',
              onclick: () => onPick(i + 1),
            },
            turn,
            glyph ? el('span.mark', { title: glyph, 'aria-label': glyph }, MARKS[glyph] ?? '') : '',
          ),
        );
      });
      list.replaceChildren(...rows);
    }
    for (const one of list.querySelectorAll('button')) {
      const here = Number(one.dataset.ply) === ply;
      if (here) one.setAttribute('aria-current', 'step');
      else one.removeAttribute('aria-current');
      if (here) requestAnimationFrame(() => reveal(element, one));
    }
    if (ply === 0 && turns.length > 0) element.scrollTop = 0;
  };
  return { element, show };
};

/** Scrolls the list, and never the page. */
const reveal = (/** @type {HTMLElement} */ box, /** @type {HTMLElement} */ item) => {
  const [top, bottom] = [item.offsetTop, item.offsetTop + item.offsetHeight];
  if (top < box.scrollTop) box.scrollTop = top - 8;
  else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight + 8;
};

/** Marks of mistakes by size. */
export const MARKS = /** @type {Record<string, string>} */ ({
  inaccuracy: '?!',
  mistake: '?',
  blunder: '??',
});
