/** The board of a game as it was last seen, while the server does not answer. */
import { placeLine } from '../common/controls.js';
import { drawing, el, fill, say } from '../common/dom.js';
import { gameOf } from '../program/views.js';
import { boardOf, myGame } from '../table/mine.js';

/** How long a game may take to load before the page says that it is waiting. */
export const WAIT = 400;

/** @param {HTMLElement} main @param {string} id */
export const showLeft = async (main, id) => {
  const { info } = await gameOf(myGame(id)?.game ?? '');
  if (main.childElementCount > 0) return;
  const board = boardOf(id);
  const words = board
    ? 'Waiting for the server. The board is as you left it.'
    : 'Waiting for the server.';
  const box = board?.wide ? 'div.board.drawn.wide' : 'div.board.drawn';
  main.className = 'table';
  fill(
    main,
    board && el('div.boardbox', el(box, el('div.picture', drawing(board.svg)))),
    el(
      'div.side',
      placeLine(info?.name ?? 'Your game', myGame(id)?.names ?? ''),
      el('div.now', el('section.card', el('p#away', { role: 'status' }, words))),
    ),
  );
  say(words);
};
