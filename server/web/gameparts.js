/** What the page of a game is drawn with: seats, turns, bar and notices, from its state. */
import { gameAt, pageAt } from './address.js';
import {
  adopt,
  barButton,
  barLink,
  button,
  el,
  fill,
  moreMenu,
  placeLine,
  setText,
  stepsNav,
} from './dom.js';
import * as game from './gamestate.js';
import { firstPlayer } from './live.js';
import { showNotice } from './noticecard.js';
import { createSeatBar } from './seatbar.js';
import { clockName } from './text.js';
import { createTurns } from './turns.js';

/**
 * @typedef {{go: (ply: number) => void, step: (by: number) => void, last: () => void, hint: () => void, undo: () => void,
 *   flip: () => void, draw: () => void, resign: () => void, rematch: () => void, rules: () => void, share: () => void,
 *   type: () => void, dismiss: (name: string) => void}} Deeds
 */

/** The actions, by the names that the state has for them. @param {Deeds} deeds */
const buttons = (deeds) => ({
  rematch: barButton('again', 'Rematch', deeds.rematch, { id: 'rematch', className: 'primary' }),
  review: barLink('review', 'Review', { id: 'review' }),
  analyse: barLink('analyse', 'Analyse', { id: 'analyse' }),
  back: barButton('back', 'Back', () => deeds.step(-1), {
    id: 'bar-back',
    className: 'only-small',
  }),
  on: barButton('on', 'Forward', () => deeds.step(1), { id: 'bar-on', className: 'only-small' }),
  hint: barButton('hint', 'Hint', deeds.hint, { id: 'hint', title: 'Ask for a hint (h)' }),
  undo: barButton('undo', 'Take back', deeds.undo, { id: 'undo', title: 'Take back (u)' }),
  type: button('Type a move', deeds.type, { id: 'type-open' }),
  draw: button('Offer a draw', deeds.draw, { id: 'offer-draw' }),
  resign: button('Resign', deeds.resign, { id: 'resign', className: 'danger' }),
});

/** @param {import('./gamestate.js').State} state @param {Deeds} deeds */
export const createParts = (state, deeds) => {
  const { info } = state;
  const all = buttons(deeds);
  const flip = barButton('flip', 'Flip', deeds.flip, {
    id: 'flip',
    title: 'Turn the board round (f)',
  });
  const rules = button('Rules', deeds.rules, { id: 'rules-open', title: 'The rules of this game' });
  const share = button('Share', deeds.share, { id: 'share', title: 'Links to this game' });
  const nav = stepsNav({
    first: () => deeds.go(0),
    back: () => deeds.step(-1),
    on: () => deeds.step(1),
    last: deeds.last,
  });
  const connection = el(state.device ? 'span.connection.here' : 'span.connection', {
    id: 'connection',
  });
  const watchers = el('span', { id: 'watchers' });
  return {
    seats: [createSeatBar(1, info.players[0]), createSeatBar(2, info.players[1])],
    list: createTurns(deeds.go),
    /** The own clock once more, for what would hide it. */
    clock: el('span.clock', { hidden: true, 'aria-hidden': 'true' }),
    notice: el('div.notice', { id: 'notice' }),
    outbox: el('ul.outbox', { id: 'outbox' }),
    place: placeLine(info.name, clockName(state.game.clock), el('span', {}, watchers, connection)),
    bar: el(
      'div.bar',
      { role: 'group', 'aria-label': 'Actions' },
      ...[all.rematch, all.review, all.analyse, all.back, all.on, all.hint, all.undo, flip],
      moreMenu(all.type, all.draw, rules, share, all.resign),
    ),
    buttons: all,
    nav,
    connection,
    watchers,
    dismiss: deeds.dismiss,
  };
};

/** @typedef {ReturnType<typeof createParts>} Parts */

/** The column beside the board. @param {import('./gamestate.js').State} state @param {Parts} parts @param {HTMLElement} card */
export const column = ({ embed, id, info }, parts, card) => {
  const seats = parts.seats.map(({ element }) => element);
  const away = { href: gameAt(id), target: '_blank', rel: 'noopener' };
  const rest = embed
    ? [
        el('h1.sr', {}, info.name),
        el('p.foot', {}, el('a', away, `Open this game of ${info.name}`)),
      ]
    : [
        parts.place,
        el('section.card.turnlist', { 'aria-label': 'Turns' }, parts.list.element, parts.nav),
        adopt('.now', 'div.now', {}, parts.notice, parts.outbox, card),
        parts.bar,
      ];
  return adopt('.side', 'div.side', {}, ...seats, ...rest);
};

/**
 * @param {Parts} parts @param {import('./gamestate.js').State} state
 * @param {{box: import('./outbox.js').Outbox, view: import('./api.js').View|null, turned: boolean, invite?: string, query: string,
 *   hooks: () => import('./noticecard.js').Hooks}} how
 *   what waits to be sent, the board that is seen, whether it is turned round, the secret for a friend, what an analysis
 *   is told to find the game
 */
export const paint = (parts, state, { box, view, turned, invite, query, hooks }) => {
  // The seats lie as the board does, which may be turned round a little later.
  parts.seats.forEach((one, i) => {
    const player = /** @type {1|2} */ (i + 1);
    one.paint(game.seatOf(state, player, view), (player === 2) !== turned);
  });
  parts.list.show(state.game.turns, game.plyOf(state), { first: firstPlayer(state.game) });
  paintButtons(parts, game.controls(state, box));
  const { analyse, review } = parts.buttons;
  analyse.href = pageAt(`analysis/${state.game.game}`, `?${query}`);
  review.href = `${analyse.href}&review=1`;
  setText(parts.connection, state.told.words);
  parts.connection.classList.toggle('lost', state.told.kind !== 'connected');
  const watchers = state.presence?.watchers;
  setText(parts.watchers, watchers ? `${watchers} watching` : '');
  showNotice(parts.notice, game.noticeOf(state, box, invite), hooks);
  paintOutbox(parts, state, box);
};

/** @param {Parts} parts @param {ReturnType<typeof import('./gamestate.js').controls>} controls */
const paintButtons = ({ buttons: all, nav }, controls) => {
  for (const [name, one] of Object.entries(all)) {
    const { hidden, disabled } = controls[/** @type {keyof typeof controls} */ (name)];
    Object.assign(one, { hidden, disabled });
  }
  setText(all.rematch.querySelector('span'), controls.rematch.label);
  setText(all.hint.querySelector('span'), controls.hint.label);
  const [first, back, on, last] = nav.querySelectorAll('button');
  first.disabled = back.disabled = controls.back.disabled;
  on.disabled = last.disabled = controls.on.disabled;
};

/** @param {Parts} parts @param {import('./gamestate.js').State} state @param {import('./outbox.js').Outbox} box */
export const paintOutbox = ({ outbox, dismiss }, state, box) => {
  const shown = game.waiting(state, box, Date.now());
  const key = JSON.stringify(shown);
  if (outbox.dataset.shown === key) return;
  outbox.dataset.shown = key;
  const item = (/** @type {(typeof shown)[0]} */ { name, phase, words }) => {
    const refused = phase === 'refused';
    const ok = button('OK', () => dismiss(name), { 'aria-label': `Dismiss: ${words}` });
    const props = { 'data-phase': phase, className: refused ? 'refused' : '' };
    return el('li', props, words, refused && ok);
  };
  fill(outbox, ...shown.map(item));
};
