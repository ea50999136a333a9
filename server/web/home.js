/** The first page: the games, a new game, and my games. */
import { Refused, catalogue, fromPath, getJson, patient } from './api.js';
import { deviceGame, seatsHere } from './device.js';
import { button, el, fill, setText } from './dom.js';
import { isComputer, seatName } from './live.js';
import { waitingFor } from './commands.js';
import { newGame } from './newgame.js';
import { addressOfGame, forever, forgetGame, hasServer, myGames, rememberGame } from './prefs.js';
import { held } from './seats.js';
import { gameShelf } from './shelf.js';
import { ago, capital, inWords } from './text.js';

/**
 * @typedef {import('./api.js').GameInfo} GameInfo
 * @typedef {import('./api.js').Catalogue} Catalogue
 */

/** @param {HTMLElement} main */
export const homePage = async (main) => {
  const shelf = await catalogue();
  document.title = 'Quadrille';
  main.className = 'page home';
  const mine = el('section.mine', { 'aria-labelledby': 'mine-title', hidden: true });
  const daily = el(
    'a.card.way',
    { href: '/puzzles', id: 'daily' },
    el('b', {}, 'Puzzle of the day'),
    el('small', {}, ' '),
  );
  const newcomer = myGames().length === 0;
  fill(
    main,
    el('h1', {}, `${capital(inWords(shelf.games.length))} games, one table`),
    newcomer
      ? el(
          'p.lead',
          {},
          'New here? ',
          el('a', { href: '/learn', id: 'first-steps' }, 'Take the first steps'),
          ' on the board, or choose a game.',
        )
      : el('p.lead', {}, 'Choose a game: against the computer, with a friend, or just to watch.'),
    gameShelf(shelf.games, (info) => ({
      onclick: () => newGame(shelf, info),
      about: capital(info.tagline),
    })),
    mine,
    el(
      'section.ways',
      { 'aria-label': 'More' },
      daily,
      el(
        'a.card.way',
        { href: '/learn' },
        el('b', {}, 'Learn'),
        el('small', {}, 'The rules, one turn on the board at a time'),
      ),
      el(
        'a.card.way',
        { href: '/puzzles' },
        el('b', {}, 'Puzzles'),
        el('small', {}, 'Find the only turn that wins'),
      ),
      el(
        'a.card.way',
        { href: '/analysis' },
        el('b', {}, 'Analyse'),
        el('small', {}, 'Any position or record, with the engine'),
      ),
      el(
        'a.card.way',
        { href: '/results', id: 'results' },
        el('b', {}, 'Results'),
        el('small', {}, 'What is proved, and proofs to play against'),
      ),
    ),
    el(
      'section.paste',
      {},
      el('a', { href: '/analysis' }, 'Analyse a position or a record'),
      ' · ',
      el('a', { href: '/editor' }, 'Set up a position'),
      ' · ',
      el('a', { href: '/rules/all' }, 'Read the rules'),
    ),
  );
  showMine(mine, shelf);
  showDaily(daily, shelf).catch(() => {});
  const asked = new URLSearchParams(location.search);
  const wanted = shelf.games.find((one) => one.id === asked.get('new'));
  if (wanted)
    newGame(
      shelf,
      wanted,
      asked.get('position') ? fromPath(/** @type {string} */ (asked.get('position'))) : null,
    );
};

/** The puzzle of today, small. @param {HTMLAnchorElement} box @param {Catalogue} shelf */
const showDaily = async (box, shelf) => {
  const { puzzleOfTheDay } = await import('./puzzles.js');
  const { game, number } = await puzzleOfTheDay();
  box.href = `/puzzles/${game}/${number}`;
  setText(
    /** @type {HTMLElement} */ (box.querySelector('small')),
    `${shelf.games.find(({ id }) => id === game)?.name}, number ${number}`,
  );
};

/** My games: those in progress first. @param {HTMLElement} box @param {Catalogue} shelf */
const showMine = async (box, shelf) => {
  const known = myGames().slice(0, 24);
  if (known.length === 0) return;
  box.hidden = false;
  const list = el('ul.games');
  fill(box, el('h2', { id: 'mine-title' }, 'My games'), list);
  const row = (/** @type {import('./prefs.js').Mine} */ game) => {
    const info = shelf.games.find((one) => one.id === game.game);
    const line = el('small', {}, game.over ? 'finished' : ago(game.at));
    const names = el('span', {}, game.names ?? '');
    const item = el(
      'li',
      {},
      el(
        'a',
        { href: addressOfGame(game), 'data-id': game.id },
        el('b', {}, info?.name ?? 'Game'),
        names,
        line,
      ),
      button(
        '×',
        () => {
          forgetGame(game.id);
          item.remove();
        },
        {
          'aria-label': `Remove from the list: ${info?.name ?? ''} ${game.names ?? ''}`,
          title: 'Remove from the list',
        },
      ),
    );
    item.classList.toggle('over', Boolean(game.over));
    return { item, line, names, game, info };
  };
  const rows = known
    .map(row)
    .sort(
      (a, b) =>
        Number(Boolean(a.game.over)) - Number(Boolean(b.game.over)) || b.game.at - a.game.at,
    );
  fill(list, ...rows.map(({ item }) => item));
  for (const { item, line, names, game, info } of rows
    .filter((one) => !one.game.over)
    .slice(0, 12)) {
    if (!game.device && !hasServer()) continue;
    stateOf(game).then(
      (now) => {
        const your = !now.result && now.you?.includes(now.turn);
        const called = (/** @type {1|2} */ player) =>
          seatName(now, player, info?.players[player - 1] ?? '');
        setText(names, `${called(1)} – ${called(2)}`);
        setText(
          line,
          waitingFor(forever, game.id) > 0
            ? 'Something waits to be sent – open the game'
            : now.result
              ? 'finished'
              : your && (now.you.length === 1 || isComputer(now, 1))
                ? 'Your turn – continue'
                : `turn ${now.turns.length + 1} – continue`,
        );
        item.classList.toggle('yours', Boolean(your));
        item.classList.toggle('over', Boolean(now.result));
        if (now.result) rememberGame({ id: game.id, over: true, at: game.at });
      },
      (error) => {
        if (error.status === 404) {
          forgetGame(game.id);
          item.remove();
        }
      },
    );
  }
};

/** How a game of mine stands. @param {import('./prefs.js').Mine} game */
const stateOf = async (game) => {
  if (!game.device)
    return patient(() => getJson(`/api/games/${game.id}`, held(forever, game.id)[0]?.token));
  const now = deviceGame(forever, game.id);
  if (!now) throw new Refused(404, 'this browser keeps no such game', undefined);
  return { ...now, you: seatsHere(now) };
};
