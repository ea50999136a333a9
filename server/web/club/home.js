/** What the home page shows of the people on this server: your games, open challenges, and games to watch. */
import { pageAt } from '../address.js';
import { el, fill } from '../common/dom.js';
import { forever } from '../common/storage.js';
import { getJson } from '../connection/server.js';
import { myGame, rememberGame } from '../table/mine.js';
import { hold, whoOf } from '../table/seats.js';
import { liveBoard } from './boards.js';
import { acceptButton, challengeRow } from './challenges.js';
import { me } from './me.js';

/** How many challenges and games are shown. */
const MOST_OPEN = 5;
const MOST = 3;

/**
 * Adds the player's running games from other devices to this browser's list. Returns how many are new.
 * @returns {Promise<number>}
 */
export const bringGames = async () => {
  const own = me();
  if (!own) return 0;
  const { games } = await getJson('me', own.key);
  const fresh = games.filter((/** @type {any} */ one) => !one.over && !myGame(one.id));
  for (const { id, game, you, opponent, at } of fresh) {
    hold(forever, id, whoOf([you]), own.key);
    rememberGame({ id, game, names: `${own.name} – ${opponent.name ?? 'Guest'}`, at });
  }
  return fresh.length;
};

/**
 * A section's title, with a link to more of it.
 * @param {string} id @param {string} title @param {[string, string]} more
 */
const head = (id, title, [page, name]) =>
  el('div.head', el(`h2#${id}`, title), el('a', { href: pageAt(page) }, name));

/** Shows challenges of others that are open. @param {HTMLElement} box @param {(id: string) => string} nameOfGame */
export const showLobby = async (box, nameOfGame) => {
  const { challenges } = await getJson('lobby');
  const others = challenges.filter((/** @type {any} */ one) => one.player !== (me()?.id ?? ''));
  const rows = others
    .slice(0, MOST_OPEN)
    .map((/** @type {any} */ one) => challengeRow(one, nameOfGame, acceptButton(one)));
  const more = others.length > rows.length ? `All ${others.length}` : 'Offer a game';
  fill(
    box,
    head('lobby-title', 'Lobby', ['lobby', more]),
    rows.length > 0
      ? el('div.card.wide', el('table.open', el('tbody', ...rows)))
      : el('p.empty-line', 'Nobody is waiting. A game that you offer is shown here to everybody.'),
    el('small', 'Games from the lobby are public; games by link stay private.'),
  );
  box.hidden = false;
};

/** Shows games to watch. @param {HTMLElement} box @param {(id: string) => string} nameOfGame */
export const showWatched = async (box, nameOfGame) => {
  const { games } = await getJson('watch');
  const some = games.slice(0, MOST);
  const none = el(
    'p.empty-line',
    'No public game is being played. ',
    el('a', { href: pageAt('lobby') }, 'One that you arrange in the lobby'),
    ' is shown here.',
  );
  const boards = some.map((/** @type {any} */ one) => liveBoard(one, nameOfGame(one.game)).item);
  fill(
    box,
    head('watch-title', 'Watch', ['archive', 'All finished games']),
    boards.length > 0 ? el('div.shelf.watched', ...boards) : none,
  );
  box.hidden = false;
};
