/** A player's bar: piece and colour, name, score, clock. */
import { el, setText } from '../common/dom.js';

/** @param {1|2} number @param {string} colour the player's name in the rules */
export const createSeatBar = (number, colour) => {
  const icon = el('span.icon', { 'aria-hidden': 'true' });
  const who = el('b');
  const about = el('small');
  const turn = el('span.turn-mark', { hidden: true }, 'to move');
  const clock = el('span.clock', {
    id: `clock-${number}`,
    hidden: true,
    role: 'timer',
    'aria-live': 'off',
  });
  const element = el(
    'section.card.seat',
    { id: `seat-${number}`, 'aria-label': colour },
    icon,
    el('div.who', el('span.line', who, turn), about),
    clock,
  );
  const letter = colour.length === 1 ? colour : '';
  setText(icon, letter);

  /**
   * @param {ReturnType<typeof import('./gamestate.js').seatOf>} seat
   * @param {boolean} top whether it is above the board
   */
  const paint = (seat, top) => {
    icon.className = `icon player-${number} tint-${seat.tint}${letter ? ' letter' : ''}`;
    icon.classList.toggle('piece', icon.firstElementChild !== null);
    setText(who, seat.name);
    setText(about, seat.about);
    element.classList.toggle('turn', seat.turn);
    element.classList.toggle('won', seat.winner);
    element.classList.toggle('top', top);
    element.classList.toggle('bottom', !top);
    turn.hidden = !seat.turn && !seat.winner;
    setText(turn, seat.winner ? 'won' : 'to move');
  };
  /** Replaces the plain mark by a piece. @param {Element} piece */
  const show = (piece) => icon.replaceChildren(piece);
  return { element, paint, clock, show };
};
