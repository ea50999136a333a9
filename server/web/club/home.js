/** What the home page shows of the people on this server: your games, open challenges, and games to watch. */
import { pageAt } from '../address.js';
import { el, fill, setText } from '../common/dom.js';
import { forever } from '../common/storage.js';
import { plural } from '../common/text.js';
import { getJson } from '../connection/server.js';
import { myGame, rememberGame } from '../table/mine.js';
import { hold, whoOf } from '../table/seats.js';
import { liveBoard } from './boards.js';
import { me } from './me.js';

/** How many games are shown. */
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

/** Shows how many challenges are open. @param {Element} line */
export const showWaiting = async (line) => {
  const { challenges } = await getJson('lobby');
  const count = challenges.length;
  const words = `${plural(count, 'challenge')} open: play one, or watch`;
  setText(line, count > 0 ? words : 'Nobody is waiting: offer a game, or watch one');
};

/** Shows games to watch. @param {HTMLElement} box @param {(id: string) => string} nameOfGame */
export const showWatched = async (box, nameOfGame) => {
  const { games } = await getJson('watch');
  const some = games.slice(0, MOST);
  const all = el('p', el('a', { href: pageAt('archive') }, 'All finished public games'));
  const none = el(
    'p.empty-line',
    'No public game is being played. ',
    el('a', { href: pageAt('lobby') }, 'One that you arrange in the lobby'),
    ' is shown here.',
  );
  const boards = some.map((/** @type {any} */ one) => liveBoard(one, nameOfGame(one.game)).item);
  fill(
    box,
    el('h2#watch-title', 'Watch'),
    boards.length > 0 ? el('div.shelf.watched', ...boards) : none,
    all,
  );
  box.hidden = false;
};
