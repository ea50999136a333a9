/** Small boards, each a link to its game. */
import { gameAt } from '../address.js';
import { drawing, el } from '../common/dom.js';
import { view } from '../program/views.js';

/** The name of a seat. @param {any} seat */
export const nameOf = (seat) =>
  seat.name ??
  (seat.kind === 'level' ? `Level ${seat.level}` : seat.kind === 'guest' ? 'Guest' : 'Guest');

/** A running game with its board, which can be updated. @param {any} game @param {string} title */
export const liveBoard = (game, title) => {
  const thumb = el('i.thumb', { 'aria-hidden': 'true' });
  const item = el(
    'a.card.tile.live',
    { href: gameAt(game.id), 'data-id': game.id },
    thumb,
    el('b', game.seats.map(nameOf).join(' – ')),
    el('small', [title, game.club?.rated && 'rated', game.strength].filter(Boolean).join(' · ')),
  );
  let shown = '';
  const show = (/** @type {string} */ position) => {
    if (position === shown) return;
    shown = position;
    view({ game: game.game, options: game.options, position })
      .then(({ svg }) => shown === position && thumb.replaceChildren(drawing(svg)))
      .catch(() => {});
  };
  show(game.position);
  return { item, show };
};
