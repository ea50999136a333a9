/** The opening explorer: what was played here in public games. Without a server there is none. */
import { gameAt, hasServer } from '../address.js';
import { button } from '../common/controls.js';
import { el, fill } from '../common/dom.js';
import { plural, reasonOf } from '../common/text.js';
import { getJson } from '../connection/server.js';

/** How many turns and games are listed. */
const MOST = 8;
const MOST_GAMES = 3;

const share = (/** @type {number} */ part, /** @type {number} */ of) =>
  `${Math.round((100 * part) / of)} %`;

/** @param {any} turn @param {[string, string]} players @param {(turn: string) => void} onPick */
const row = ({ turn, games, score: [one, drawn, two] }, players, onPick) =>
  el(
    'tr',
    el(
      'td',
      button('.plain', turn, () => onPick(turn)),
    ),
    el('td', plural(games, 'game')),
    el(
      'td',
      el('small', `${players[0]} ${share(one, games)}, draw ${share(drawn, games)}, `),
      el('small', `${players[1]} ${share(two, games)}`),
    ),
  );

/** @param {[string, string]} players @param {(turn: string) => void} onPick */
export const createPlayed = (players, onPick) => {
  const body = el('div', { role: 'status' });
  const element = el(
    'details#played',
    { hidden: !hasServer(), ontoggle: () => look() },
    el('summary', 'Played here before'),
    body,
  );
  /** @type {import('../program/views.js').View|null} */
  let seen = null;
  let shown = '';
  const look = async () => {
    if (!element.open || !seen || seen.text === shown) return;
    const { game, options, text } = seen;
    shown = text;
    const query = new URLSearchParams({ game, options: JSON.stringify(options), position: text });
    try {
      const found = await getJson(`archive/position?${query}`);
      if (shown === text) fill(body, ...told(found));
    } catch (error) {
      if (shown !== text) return;
      shown = '';
      fill(body, el('p.error', reasonOf(error)));
    }
  };
  const told = (/** @type {any} */ { games, more, turns, last }) => {
    if (games === 0) return [el('p.empty-line', 'No public game has reached this position.')];
    const link = (/** @type {any} */ one) =>
      el('li', el('a', { href: gameAt(one.id) }, one.seats.map(nameOf).join(' – ')));
    const turnRow = (/** @type {any} */ one) => row(one, players, onPick);
    return [
      el('p', `${more ? 'The last ' : ''}${plural(games, 'public game')}`),
      el('div.wide', el('table.open', ...turns.slice(0, MOST).map(turnRow))),
      el('ul', ...last.slice(0, MOST_GAMES).map(link)),
    ];
  };
  /** Shows another position. @param {import('../program/views.js').View} view */
  const show = (view) => {
    seen = view;
    look();
  };
  return { element, show };
};

const nameOf = (/** @type {any} */ seat) =>
  seat.kind === 'player'
    ? (seat.name ?? 'deleted player')
    : seat.kind === 'level'
      ? `Level ${seat.level}`
      : 'Guest';
