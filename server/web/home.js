/** The first page: the games, my games, and what else there is. */
import { fromPath, hasServer, pageAt } from './address.js';
import { catalogue, view as askView } from './api.js';
import { drawing, el, fill, kept, painted, setText, sign } from './dom.js';
import { showMine } from './mygames.js';
import { newGame } from './newgame.js';
import { myGames } from './prefs.js';
import { gameShelf } from './shelf.js';
import { capital, inWords, plural } from './text.js';

/**
 * @typedef {import('./api.js').GameInfo} GameInfo
 * @typedef {import('./api.js').Catalogue} Catalogue
 */

/** @param {HTMLElement} main */
export const homePage = async (main) => {
  const shelf = await catalogue();
  document.title = 'Quadrille';
  main.className = 'page home';
  const newcomer = myGames().length === 0;
  const mine = el('section.mine', { 'aria-labelledby': 'mine-title', hidden: true });
  const daily = way(pageAt('puzzles'), 'Puzzle of the day', ' ', { id: 'daily' });
  fill(
    main,
    kept(el('h1', {}, `${capital(inWords(shelf.games.length))} games, one table`)),
    kept(
      el(
        'p.lead',
        {},
        newcomer
          ? 'Each is learned on the board in a few minutes. No account, nothing to install.'
          : 'Against the computer, with a friend, or just to watch.',
      ),
    ),
    mine,
    gameShelf(shelf.games, (info) => ({
      about: capital(info.tagline),
      more: choices(shelf, info, newcomer),
    })),
    el(
      'section.ways',
      { 'aria-label': 'More' },
      daily,
      hasServer() && friends(shelf),
      way(pageAt('learn'), 'Learn', 'The rules, one turn on the board at a time', {
        icon: 'learn',
      }),
      way(pageAt('results'), 'What is proved', 'And proofs to play against', {
        id: 'results',
        icon: 'proof',
      }),
    ),
    el(
      'section.paste',
      {},
      el('a', { href: pageAt('analysis') }, 'Analyse a position or a record'),
      ' · ',
      el('a', { href: pageAt('editor') }, 'Set up a position'),
      ' · ',
      el('a', { href: pageAt('rules/all') }, 'Read the rules'),
    ),
  );
  showMine(mine, shelf.games);
  painted()
    .then(() => showDaily(daily, shelf.games))
    .catch(() => {});
  openAsked(shelf);
};

/** What the address asks to play. @param {Catalogue} shelf */
const openAsked = (shelf) => {
  const asked = new URLSearchParams(location.search);
  const wanted = shelf.games.find((one) => one.id === asked.get('new'));
  const position = asked.get('position');
  if (wanted) newGame(shelf, wanted, { position: position ? fromPath(position) : null });
};

/** Learning comes before playing for those who have not played yet. @param {Catalogue} shelf @param {GameInfo} info @param {boolean} newcomer */
const choices = (shelf, info, newcomer) => {
  const learn = el('a.button', { href: pageAt(`learn/${info.id}`) }, 'Learn');
  const play = el(
    'button',
    { type: 'button', 'data-game': info.id, onclick: () => newGame(shelf, info) },
    'Play',
  );
  for (const one of [learn, play])
    one.setAttribute('aria-label', `${one.textContent} ${info.name}`);
  (newcomer ? learn : play).classList.add('primary');
  return el('div.row', {}, ...(newcomer ? [learn, play] : [play, learn]));
};

/** A way to another page. @param {string} href @param {string} name @param {string} about @param {{id?: string, icon?: string}} [how] */
const way = (href, name, about, { id, icon } = {}) =>
  el(
    'a.card.way',
    { href, id },
    el('i.thumb', { 'aria-hidden': 'true' }, icon && sign(icon)),
    el('b', {}, name),
    el('small', {}, about),
  );

/** A game with a friend, each at their own screen. @param {Catalogue} shelf */
const friends = (shelf) => {
  const game = (/** @type {GameInfo} */ info) =>
    el(
      'button.plain',
      { type: 'button', onclick: () => newGame(shelf, info, { mode: 'link' }) },
      info.name,
    );
  return el(
    'div.card.way',
    { id: 'friend' },
    el('i.thumb', { 'aria-hidden': 'true' }, sign('friend')),
    el('b', {}, 'Play with a friend'),
    el('small', {}, 'By a link: ', ...shelf.games.flatMap((one, i) => [i > 0 && ', ', game(one)])),
  );
};

/** The puzzle of today, with its board. @param {HTMLAnchorElement} box @param {GameInfo[]} games */
const showDaily = async (box, games) => {
  const { puzzleOfTheDay, puzzlesOf } = await import('./puzzles.js');
  const { game, number } = await puzzleOfTheDay();
  const info = games.find(({ id }) => id === game);
  const puzzle = (await puzzlesOf(game))[number - 1];
  box.href = pageAt(`puzzles/${game}/${number}`);
  const { svg, turn } = await askView({ game, position: puzzle.position });
  const who = `${info?.players[turn - 1]} wins in ${plural(puzzle.turns, 'turn')}`;
  setText(/** @type {HTMLElement} */ (box.querySelector('small')), `${info?.name}: ${who}`);
  fill(/** @type {HTMLElement} */ (box.querySelector('.thumb')), drawing(svg));
};
