/** Pages with a board and a task beside it: puzzles and lessons. */
import { adopt, el, fill, placeLine } from './dom.js';

/**
 * @param {HTMLElement} main
 * @param {{kind: string, title: string, about: string, more: Node, play: ReturnType<typeof import('./play.js').createPlay>,
 *   task: any[], turns?: any[], actions: any[]}} parts
 *   the name of the page, what it belongs to and a way to more; the task with its verdict; the list of turns, if there is
 *   one; what can be done
 */
export const layOut = (main, { kind, title, about, more, play, task, turns, actions }) => {
  main.className = `table reader ${kind}`;
  fill(
    main,
    el('div.boardbox', {}, play.board.element),
    adopt(
      '.side',
      'div.side',
      {},
      placeLine(title, about, more),
      adopt('.side > .card', 'section.card', { 'aria-label': 'Task' }, ...task),
      el('div.now', {}, play.card),
      turns && el('section.card.turnlist', { 'aria-label': 'Turns' }, ...turns),
      el('div.actions', { role: 'group', 'aria-label': 'Actions' }, ...actions),
    ),
  );
};

/** What has become of the task, in words that are read out when they change. @param {string} id */
export const verdictLine = (id) => el('p.verdict', { id, role: 'status' });
