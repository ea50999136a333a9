/** Pages with a board and something to do beside it. */
import { adopt, el, fill } from '../common/dom.js';

/**
 * Puts a page together.
 * @param {HTMLElement} main @param {string} kind @param {{element: HTMLElement}} board @param {...any} side
 */
export const layOut = (main, kind, board, ...side) => {
  main.className = `table reader ${kind}`;
  fill(main, el('div.boardbox', board.element), adopt('.side', 'div.side', ...side));
};

/** What is to be done, with what has become of it. @param {...any} parts */
export const taskCard = (...parts) =>
  adopt('.side > .card', 'section.card', { 'aria-label': 'Task' }, ...parts);

/** @param {...any} parts */
export const turnCard = (...parts) =>
  el('section.card.turnlist', { 'aria-label': 'Turns' }, ...parts);

/** What can be done. @param {...any} items */
export const actionRow = (...items) =>
  el('div.actions', { role: 'group', 'aria-label': 'Actions' }, ...items);

/** What has become of the task, in words that are read out when they change. @param {string} id */
export const verdictLine = (id) => el('p.verdict', { id, role: 'status' });

/**
 * Links to the pages of a kind, of which one is seen.
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
 * The keys of every page on which turns are made.
 * @param {ReturnType<typeof import('../play/play.js').createPlay>} play
 */
export const turnKeys = (play) => ({ Escape: () => play.back(), m: () => play.entry.focus() });
