/** The home page: the games, your games, and links to everything else. */
import { fromPath, hasServer, pageAt } from '../address.js';
import { button, sign } from '../common/controls.js';
import { drawing, el, fill, setAttribute, setText, whenPainted } from '../common/dom.js';
import { gameShelf, heading } from '../common/shelf.js';
import { capital, filled, plural } from '../common/text.js';
import WORDS from '../common/words.json' with { type: 'json' };
import { catalogue, view as askView } from '../program/views.js';
import { myGames } from '../table/mine.js';
import { showMine } from './mygames.js';
import { newGame } from './newgame.js';

/**
 * @typedef {import('../program/views.js').GameInfo} GameInfo
 * @typedef {import('../program/views.js').Catalogue} Catalogue
 */

/** @param {HTMLElement} main */
export const homePage = async (main) => {
  const shelf = await catalogue();
  document.title = 'Quadrille';
  main.className = 'page home';
  const newcomer = myGames().length === 0;
  const { title, lead, again } = WORDS.pages.home;
  const count = shelf.games.length;
  const mine = el('section.mine', { 'aria-labelledby': 'mine-title', hidden: true });
  const lobby = el('section#lobby', { 'aria-labelledby': 'lobby-title', hidden: true });
  const watched = el('section#watched', { 'aria-labelledby': 'watch-title', hidden: true });
  const daily = way('#daily', pageAt('puzzles'), 'Puzzle of the day', ' ');
  const link = (/** @type {string} */ page, /** @type {string} */ name) =>
    el('a', { href: pageAt(page) }, name);
  fill(
    main,
    ...heading(
      filled(title, { count: WORDS.numbers[count] ?? String(count) }),
      newcomer ? lead : again,
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
      way('', pageAt('learn'), 'Learn', 'The rules, one turn on the board at a time', 'learn'),
      way('#results', pageAt('results'), 'What is proved', 'And proofs to play against', 'proof'),
    ),
    el(
      'section.paste',
      link('analysis', 'Analyse a position or a record'),
      ' · ',
      link('editor', 'Set up a position'),
      ' · ',
      link('rules/all', 'Read the rules'),
    ),
    hasServer() && el('div.people', lobby, watched),
  );
  showMine(mine, shelf.games, countTurns);
  whenPainted(() => showDaily(daily, shelf.games));
  if (hasServer()) whenPainted(() => showPeople({ mine, lobby, watched }, shelf));
  openAsked(shelf);
};

/** Shows in the title in how many games it is your turn. @param {number} count */
const countTurns = (count) => {
  document.title = count > 0 ? `(${count}) Your turn – Quadrille` : 'Quadrille';
};

/**
 * Shows what the people on this server are doing. Each part loads by itself.
 * @param {Record<'mine'|'lobby'|'watched', HTMLElement>} boxes @param {Catalogue} shelf
 */
const showPeople = async ({ mine, lobby, watched }, { games }) => {
  const { bringGames, showLobby, showWatched } = await import('../club/home.js');
  const name = (/** @type {string} */ id) => games.find((one) => one.id === id)?.name ?? id;
  await Promise.allSettled([
    bringGames().then((fresh) => fresh > 0 && showMine(mine, games, countTurns)),
    showLobby(lobby, name),
    showWatched(watched, name),
  ]);
};

/** Opens the new-game dialog that the address asks for. @param {Catalogue} shelf */
const openAsked = (shelf) => {
  const asked = new URLSearchParams(location.search);
  const wanted = shelf.games.find((one) => one.id === asked.get('new'));
  const position = asked.get('position');
  if (wanted) newGame(shelf, wanted, { position: position ? fromPath(position) : null });
};

/**
 * The buttons of a game; for newcomers, learning comes before playing.
 * @param {Catalogue} shelf @param {GameInfo} info @param {boolean} newcomer
 */
const choices = (shelf, info, newcomer) => {
  const names = WORDS.tile;
  const learn = el('a.button', { href: pageAt(`learn/${info.id}`) }, names.learn);
  const play = button('', names.play, () => newGame(shelf, info), { 'data-game': info.id });
  const both = newcomer ? [learn, play] : [play, learn];
  for (const one of both) setAttribute(one, 'aria-label', `${one.textContent} ${info.name}`);
  both[0].classList.add('primary');
  return el('div.row', both);
};

/**
 * A tile that leads to another page.
 * @param {string} id @param {string} href @param {string} name @param {string} about @param {string} [icon]
 */
const way = (id, href, name, about, icon) =>
  el(
    `a${id}.card.way`,
    { href },
    el('i.thumb', { 'aria-hidden': 'true' }, icon && sign(icon)),
    el('b', name),
    el('small', about),
  );

/** Links for playing each game with a friend on another screen. @param {Catalogue} shelf */
const friends = (shelf) => {
  const game = (/** @type {GameInfo} */ info) =>
    button('.plain', info.name, () => newGame(shelf, info, { mode: 'link' }));
  return el(
    'div#friend.card.way',
    el('i.thumb', { 'aria-hidden': 'true' }, sign('friend')),
    el('b', 'Play with a friend'),
    el(
      'small',
      'By a link: ',
      shelf.games.flatMap((one, i) => [i > 0 && ', ', game(one)]),
    ),
  );
};

/** The puzzle of the day, with its board. @param {HTMLAnchorElement} box @param {GameInfo[]} games */
const showDaily = async (box, games) => {
  const { puzzleOfTheDay, puzzlesOf } = await import('./puzzles.js');
  const { game, number } = await puzzleOfTheDay();
  const info = games.find(({ id }) => id === game);
  const { puzzles } = await puzzlesOf(game, { number });
  const puzzle = puzzles[0];
  box.href = pageAt(`puzzles/${game}/${number}`);
  const { svg, turn } = await askView({ game, position: puzzle.position });
  const who = `${info?.players[turn - 1]} wins in ${plural(puzzle.turns, 'turn')}`;
  setText(/** @type {HTMLElement} */ (box.querySelector('small')), `${info?.name}: ${who}`);
  fill(/** @type {HTMLElement} */ (box.querySelector('.thumb')), drawing(svg));
};
