/** Pages with a board and a column beside it. */
import { adopt, el, fill } from '../common/dom.js';

/**
 * Lays out a page.
 * @param {HTMLElement} main @param {string} kind @param {{element: HTMLElement}} board @param {...any} side
 */
export const layOut = (main, kind, board, ...side) => {
  main.className = `table reader ${kind}`;
  fill(main, el('div.boardbox', board.element), adopt('.side', 'div.side', ...side));
};

/** The task, with the feedback on it. @param {...any} parts */
export const taskCard = (...parts) =>
  adopt('.side > .card', 'section.card', { 'aria-label': 'Task' }, ...parts);

/** @param {...any} parts */
export const turnCard = (...parts) =>
  el('section.card.turnlist', { 'aria-label': 'Turns' }, ...parts);

/** The buttons. @param {...any} items */
export const actionRow = (...items) =>
  el('div.actions', { role: 'group', 'aria-label': 'Actions' }, ...items);

/** The feedback, which is announced when it changes. @param {string} id */
export const verdictLine = (id) => el('p.verdict', { id, role: 'status' });

/**
 * Links to related pages, one of which is current.
 * @param {string} label @param {{href: string, name: string, current: boolean}[]} pages
 */
export const pageTabs = (label, pages) =>
  el(
    'nav.tabs',
    { 'aria-label': label },
    pages.map(({ href, name, current }) =>
      el('a', { href, 'aria-current': current ? 'page' : null }, name),
    ),
  );

/**
 * The keys of all pages on which turns are made.
 * @param {ReturnType<typeof import('../play/play.js').createPlay>} play
 */
export const turnKeys = (play) => ({ Escape: () => play.back(), m: () => play.entry.focus() });
