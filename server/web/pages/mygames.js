/** The games in this browser's list: running ones with their status, and finished ones. */
import { hasServer } from '../address.js';
import { button } from '../common/controls.js';
import { drawing, el, fill, setText } from '../common/dom.js';
import { Refused } from '../common/refused.js';
import { forever } from '../common/storage.js';
import { ago } from '../common/text.js';
import { waitingFor } from '../connection/commands.js';
import { getJson, patient } from '../connection/server.js';
import { deviceGame, seatsHere } from '../table/device.js';
import { endedWords, isComputer, seatName } from '../table/live.js';
import { addressOfGame, boardOf, forgetGame, myGames, rememberGame } from '../table/mine.js';
import { held } from '../table/seats.js';

/**
 * @typedef {import('../program/views.js').GameInfo} GameInfo
 * @typedef {import('../table/mine.js').Mine} Mine
 * @typedef {{item: HTMLElement, names: HTMLElement, line: HTMLElement, game: Mine, info: GameInfo|undefined}} Row
 */

/** How many finished games are listed, and how many others are queried for their status. */
const MOST_OVER = 24;
const MOST_ASKED = 12;

/** The games to list: all running ones, and the most recently finished. Pure. @param {Mine[]} games */
export const listed = (games) => ({
  open: games.filter(({ over }) => !over),
  over: games.filter(({ over }) => over).slice(0, MOST_OVER),
});

/**
 * @param {HTMLElement} box @param {GameInfo[]} games
 * @param {(count: number) => void} onTurns gets the number of games in which it is the user's turn
 */
export const showMine = (box, games, onTurns) => {
  const rows = (/** @type {Mine[]} */ some) =>
    some.map((game) =>
      row(
        game,
        games.find(({ id }) => id === game.game),
      ),
    );
  const mine = listed(myGames());
  const [open, over] = [rows(mine.open), rows(mine.over)];
  if (open.length + over.length === 0) return;
  const list = (/** @type {Row[]} */ some) => el('ul.games', ...some.map(({ item }) => item));
  box.hidden = false;
  fill(
    box,
    el('h2#mine-title', 'My games'),
    open.length > 0 && list(open),
    over.length > 0 &&
      el(
        'details',
        { open: open.length === 0 },
        el('summary', `Finished games (${over.length})`),
        list(over),
      ),
  );
  let turns = 0;
  for (const one of open.slice(0, MOST_ASKED)) {
    if (!one.game.device && !hasServer()) continue;
    follow(one).then((yours) => {
      if (!yours) return;
      // Games in which it is your turn come first, unless the user is interacting with the list.
      const list = one.item.parentElement;
      if (list && !list.matches(':hover, :focus-within')) list.prepend(one.item);
      // With both players at one screen, it is always somebody's turn.
      if (one.game.device) return;
      turns += 1;
      onTurns(turns);
    });
  }
};

/** @param {Mine} game @param {GameInfo|undefined} info @returns {Row} */
const row = (game, info) => {
  const name = info?.name ?? 'Game';
  const line = el('small', game.over ? (game.ended ?? 'Finished') : ago(game.at));
  const names = el('span', game.names ?? '');
  const picture = boardOf(game.id)?.svg ?? info?.picture;
  const remove = () => {
    forgetGame(game.id);
    item.remove();
  };
  const item = el(
    'li',
    { className: game.over ? 'over' : '' },
    el(
      'a',
      { href: addressOfGame(game), 'data-id': game.id },
      el('i.thumb', { 'aria-hidden': 'true' }, picture && drawing(picture)),
      el('b', name),
      names,
      line,
    ),
    button('', '×', remove, {
      'aria-label': `Remove from the list: ${name} ${game.names ?? ''}`,
      title: 'Remove from the list',
    }),
  );
  return { item, line, names, game, info };
};

/** Shows a game's status. Returns whether it is the turn of somebody here. @param {Row} row */
const follow = async ({ item, line, names, game, info }) => {
  let now;
  try {
    now = await stateOf(game);
  } catch (error) {
    if (/** @type {any} */ (error).status !== 404) return false;
    forgetGame(game.id);
    item.remove();
    return false;
  }
  const called = (/** @type {1|2} */ player) =>
    seatName(now, player, info?.players[player - 1] ?? '');
  const yours = !now.result && now.you?.includes(now.turn);
  const ended = endedWords(now, [called(1), called(2)]);
  setText(names, `${called(1)} – ${called(2)}`);
  setText(line, standing(now, waitingFor(forever, game.id) > 0) || ended);
  item.classList.toggle('yours', Boolean(yours));
  item.classList.toggle('over', Boolean(now.result));
  if (now.result) rememberGame({ id: game.id, over: true, ended, at: game.at });
  return Boolean(yours);
};

/**
 * A game's status in words; nothing if it is over.
 * @param {import('../table/live.js').Game} now @param {boolean} waits whether something has not been sent
 */
const standing = (now, waits) => {
  const { result, you = [], turn, turns } = now;
  if (waits) return 'Something waits to be sent – open the game';
  if (result) return '';
  return you.includes(turn) && (you.length === 1 || isComputer(now, 1))
    ? 'Your turn – continue'
    : `turn ${turns.length + 1} – continue`;
};

/** @param {Mine} game */
const stateOf = async (game) => {
  if (!game.device)
    return patient(() => getJson(`games/${game.id}`, held(forever, game.id)[0]?.token));
  const now = deviceGame(forever, game.id);
  if (!now) throw new Refused(404, 'this browser keeps no such game');
  return { ...now, you: seatsHere(now) };
};
