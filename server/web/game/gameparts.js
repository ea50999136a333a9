/** The elements of the game page: seats, turns, toolbar and notices. */
import { gameAt, pageAt } from '../address.js';
import { barButton, barLink, button, moreMenu, placeLine } from '../common/controls.js';
import { adopt, el, fill, keepFocus, setAttribute, setText } from '../common/dom.js';
import { clockName } from '../common/text.js';
import { createTurns } from '../play/turns.js';
import { firstPlayer } from '../table/live.js';
import * as game from './gamestate.js';
import { showNotice } from './noticecard.js';
import { createSeatBar } from './seatbar.js';

/**
 * @typedef {{go: (ply: number) => void, hint: () => void,
 *   undo: () => void, flip: () => void, draw: () => void, resign: () => void, rematch: () => void, rules: () => void,
 *   share: () => void, type: () => void, greet: () => void, dismiss: (name: string) => void}} Deeds
 */

/**
 * The toolbar's buttons, by the names used in the state.
 * @param {Deeds} deeds @param {import('../play/turns.js').Ways} ways
 */
const buttons = (deeds, { step }) => ({
  rematch: barButton('#rematch.primary', 'again', 'Rematch', deeds.rematch),
  review: barLink('#review', 'review', 'Review'),
  analyse: barLink('#analyse', 'analyse', 'Analyse'),
  back: barButton('#bar-back.only-small', 'back', 'Previous', () => step(-1)),
  on: barButton('#bar-on.only-small', 'on', 'Next', () => step(1)),
  hint: barButton('#hint', 'hint', 'Hint', deeds.hint, { title: 'Ask for a hint (h)' }),
  undo: barButton('#undo', 'undo', 'Take back', deeds.undo, { title: 'Take back (u)' }),
  type: button('#type-open', 'Type a move', deeds.type),
  draw: button('#offer-draw', 'Offer a draw', deeds.draw),
  resign: button('#resign.danger', 'Resign', deeds.resign),
});

/** @param {import('./gamestate.js').State} state @param {Deeds} deeds */
export const createParts = (state, deeds) => {
  const { info } = state;
  const list = createTurns(deeds.go);
  const all = buttons(deeds, list.ways);
  const { clock, club } = state.game;
  const flip = barButton('#flip', 'flip', 'Flip', deeds.flip, {
    title: 'Turn the board round (f)',
  });
  const rules = button('#rules-open', 'Rules', deeds.rules, { title: 'The rules of this game' });
  const share = button('#share', 'Share', deeds.share, { title: 'Links to this game' });
  const greet = button('#greet-open', 'Say something', deeds.greet);
  const connection = el(`span#connection.connection${state.device ? '.here' : ''}`);
  const watchers = el('span#watchers');
  return {
    seats: [createSeatBar(1, info.players[0]), createSeatBar(2, info.players[1])],
    list,
    /** A copy of one's own clock, for panels that would cover it. */
    clock: el('span.clock', { hidden: true, 'aria-hidden': 'true' }),
    notice: el('div#notice.notice'),
    outbox: el('ul#outbox.outbox'),
    place: placeLine(
      info.name,
      [state.game.clocks && clockName(clock), club && (club.rated ? 'rated' : 'public')]
        .filter(Boolean)
        .join(' · '),
      el('span', watchers, connection),
    ),
    bar: el(
      'div.bar',
      { role: 'group', 'aria-label': 'Actions' },
      ...[all.rematch, all.review, all.analyse, all.back, all.on, all.hint, all.undo, flip],
      moreMenu(
        button('#flip-more', 'Flip the board', deeds.flip),
        ...[all.type, all.draw, greet, rules, share, all.resign],
      ),
    ),
    buttons: all,
    greet,
    connection,
    watchers,
    dismiss: deeds.dismiss,
  };
};

/** @typedef {ReturnType<typeof createParts>} Parts */

/**
 * The column beside the board.
 * @param {import('./gamestate.js').State} state @param {Parts} parts @param {HTMLElement} card
 */
export const column = ({ embed, id, info }, parts, card) => {
  const seats = parts.seats.map(({ element }) => element);
  const away = { href: gameAt(id), target: '_blank', rel: 'noopener' };
  const rest = embed
    ? [el('h1.sr', info.name), el('p.foot', el('a', away, `Open this game of ${info.name}`))]
    : [
        parts.place,
        parts.list.element,
        adopt('.now', 'div.now', parts.notice, parts.outbox, card),
        parts.bar,
      ];
  return adopt('.side', 'div.side', ...seats, ...rest);
};

/**
 * @typedef {{box: import('../connection/outbox.js').Outbox, view: import('../program/views.js').View|null,
 *   turned: boolean, invite?: string, query: string, hooks: () => import('./noticecard.js').Hooks}} How
 *   the unanswered commands, the board shown, whether it is turned round, the secret for a friend, and the query that
 *   lets an analysis find the game
 */

/**
 * @param {Parts} parts @param {import('./gamestate.js').State} state @param {How} how
 * @param {() => HTMLElement|null} cell where the focus goes if its button disappears
 */
export const paint = (parts, state, how, cell) => keepFocus(() => show(parts, state, how), cell);

/** @param {Parts} parts @param {import('./gamestate.js').State} state @param {How} how */
const show = (parts, state, { box, view, turned, invite, query, hooks }) => {
  // The seats follow the board, which may be turned round a little later.
  parts.seats.forEach((one, i) => {
    const player = /** @type {1|2} */ (i + 1);
    one.paint(game.seatOf(state, player, view), (player === 2) !== turned);
  });
  parts.list.show(state.game.turns, game.plyOf(state), firstPlayer(state.game));
  paintButtons(parts, game.controls(state, box));
  const { analyse, review } = parts.buttons;
  analyse.href = pageAt(`analysis/${state.game.game}`, `?${query}`);
  review.href = `${analyse.href}&review=1`;
  parts.greet.hidden = !game.mayGreet(state);
  setText(parts.connection, state.told.words);
  parts.connection.classList.toggle('lost', state.told.kind !== 'connected');
  parts.connection.dataset.kind = state.told.kind;
  const watchers = state.presence?.watchers;
  setText(parts.watchers, watchers ? `${watchers} watching` : '');
  showNotice(parts.notice, game.noticeOf(state, box, invite), hooks);
  paintOutbox(parts, state, box);
};

/** @param {Parts} parts @param {ReturnType<typeof import('./gamestate.js').controls>} controls */
const paintButtons = ({ buttons: all }, controls) => {
  for (const [name, one] of Object.entries(all)) {
    /** @type {{hidden: boolean, disabled: boolean, busy?: boolean}} */
    const {
      hidden,
      disabled,
      busy = false,
    } = controls[/** @type {keyof typeof controls} */ (name)];
    Object.assign(one, { hidden, disabled });
    // A button that waits for what it has asked for keeps the focus.
    setAttribute(one, 'aria-disabled', busy);
  }
  setText(all.rematch.querySelector('span'), controls.rematch.label);
  setText(all.hint.querySelector('span'), controls.hint.label);
  setText(all.resign, controls.resign.label);
};

/**
 * @param {Parts} parts @param {import('./gamestate.js').State} state
 * @param {import('../connection/outbox.js').Outbox} box
 */
export const paintOutbox = ({ outbox, dismiss }, state, box) => {
  const shown = game.waiting(state, box, Date.now());
  const key = JSON.stringify(shown);
  if (outbox.dataset.shown === key) return;
  outbox.dataset.shown = key;
  const item = (/** @type {(typeof shown)[0]} */ { name, phase, words }) => {
    const refused = phase === 'refused';
    const ok = button('', 'OK', () => dismiss(name), { 'aria-label': `Dismiss: ${words}` });
    const props = { 'data-phase': phase, className: refused ? 'refused' : '' };
    return el('li', props, words, refused && ok);
  };
  fill(outbox, ...shown.map(item));
};
