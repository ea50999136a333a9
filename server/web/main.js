/** Finds the page for the address and shows it. */
import { hasServer, pageAt, wordsOf } from './address.js';
import { button, segments } from './common/controls.js';
import { closeRow, openDialog } from './common/dialogs.js';
import { el, fill, onKeys, painted } from './common/dom.js';
import { applyPrefs, prefs, setPrefs } from './common/prefs.js';
import { Refused } from './common/refused.js';
import { capital, reasonOf } from './common/text.js';
import { reach, sleep } from './connection/reach.js';
import { followRequests } from './connection/status.js';
import { followVersions } from './connection/versions.js';
import { warm } from './program/ask.js';

const main = /** @type {HTMLElement} */ (document.getElementById('main'));

const KEYS = {
  'On every page': [
    ['?', 'these keys, and the way to the board in words'],
    ['Esc', 'back one stage, or close'],
  ],
  'On the board': [
    ['arrows', 'move between cells when the board has focus'],
    ['Enter or space', 'choose the cell'],
    ['1 to 9', 'take the choice with that number'],
    ['b', 'the board in words'],
    ['m', 'type a move'],
    ['Esc', 'take back one stage'],
  ],
  'Through a game': [
    ['← k', 'one turn back'],
    ['→ j', 'one turn on'],
    ['↑ ↓', 'between variations'],
    ['Home End', 'first and last position'],
    ['PgUp PgDn', 'ten turns'],
    ['f', 'flip the board'],
    ['z', 'show only the board'],
  ],
  'In a game': [
    ['h', 'hint'],
    ['u', 'undo'],
  ],
  'In an analysis': [
    ['l', 'engine on and off'],
    ['space', 'play the best move'],
    ['x', 'show the threat'],
    ['n', 'next mistake'],
  ],
};

const showKeys = () => {
  if (document.getElementById('keys')) return;
  const box = openDialog(
    { id: 'keys', title: 'Keyboard shortcuts', className: 'keys' },
    document.querySelector('main .board .cells') &&
      button('#board-words', 'The board in words', () => {
        box.close();
        // Handled by whichever board is on the page.
        document.dispatchEvent(new KeyboardEvent('keydown', { key: 'b' }));
      }),
    el(
      'div.columns',
      ...Object.entries(KEYS).map(([where, keys]) =>
        el('section', el('h3', where), el('dl', ...keys.flatMap(keyLine))),
      ),
    ),
    closeRow(),
  );
};

/** A key and its description. @param {string[]} line */
const keyLine = ([key, does]) => [
  el(
    'dt',
    ...key.split(' ').map((one) => (one === 'or' || one === 'to' ? ` ${one} ` : el('kbd', one))),
  ),
  el('dd', does),
];

/**
 * The settings with several values, with their titles.
 * @type {[('theme'|'board'|'size'|'confirm'), string, string[]][]}
 */
const CHOICES = [
  ['theme', 'Colours', ['auto', 'light', 'dark']],
  ['board', 'Board', ['paper', 'wood', 'sea', 'plain']],
  ['size', 'Board size', ['full', 'medium', 'small']],
  ['confirm', 'Confirm turns', ['auto', 'always', 'never']],
];

/** Theme, board, sound, coordinates and confirmation. */
const settings = () => {
  const box = /** @type {HTMLElement} */ (document.getElementById('settings'));
  const choice = (/** @type {typeof CHOICES[0]} */ [name, title, values]) =>
    segments(
      '',
      { name, title, chosen: prefs()[name], onchange: (value) => setPrefs({ [name]: value }) },
      values.map((value) => ({ value, label: capital(value) })),
    );
  const flag = (/** @type {'sound'|'coordinates'} */ name, /** @type {string} */ title) => {
    const onchange = (/** @type {any} */ { target }) => setPrefs({ [name]: target.checked });
    return el(
      'label.flag',
      el('input', { type: 'checkbox', checked: prefs()[name], onchange }),
      title,
    );
  };
  const build = () =>
    fill(box, ...CHOICES.map(choice), flag('sound', 'Sound'), flag('coordinates', 'Coordinates'));
  box.addEventListener('beforetoggle', build);
  build();
};

/** A module that failed to load cannot be imported again, so reload the whole page. */
const comeAgain = async () => {
  reach.lost();
  await Promise.all([reach.back(), sleep(1_000)]);
  location.reload();
};

const failed = (/** @type {any} */ error) => {
  if (error instanceof TypeError && /module/.test(error.message)) {
    comeAgain();
    return;
  }
  main.className = 'page';
  const missing = error?.status === 404;
  document.title = 'Quadrille';
  fill(
    main,
    el(
      'div.empty',
      el('h1', missing ? 'Page not found' : 'That did not work'),
      el('p', reasonOf(error)),
      el('p', el('a.button.primary', { href: pageAt('') }, 'Back to the games')),
    ),
  );
};

/** The pages, by the first segment of their path. @type {Record<string, (rest: string[]) => Promise<any>>} */
const PAGES = {
  '': async () => (await import('./pages/home.js')).homePage(main),
  archive: async () => (await import('./club/archive.js')).archivePage(main),
  analysis: async (rest) => (await import('./analysis/analysis.js')).analysisPage(main, rest),
  docs: async (rest) => (await import('./pages/docs.js')).docsPage(main, rest),
  editor: async (rest) => (await import('./pages/editor.js')).editorPage(main, rest),
  learn: async (rest) => (await import('./pages/learn.js')).learnPage(main, rest),
  lobby: async () => (await import('./club/lobby.js')).lobbyPage(main),
  player: async ([id = '']) => (await import('./club/archive.js')).playerPage(main, id),
  puzzles: async (rest) => (await import('./pages/puzzles.js')).puzzlesPage(main, rest),
  results: async (rest) => (await import('./pages/results.js')).resultsPage(main, rest),
  rules: async (rest) => (await import('./pages/rules.js')).rulesPage(main, rest),
};

/** The form of a game's id on a server, as in `ids.rs`. */
const GAME_ID = /^[0-9A-Za-z]{8}$/;

/** @param {string} id @param {{embed?: boolean, device?: boolean}} [how] */
const game = async (id, how) => (await import('./game/game.js')).gamePage(main, id, how);

const route = async () => {
  const [first = '', ...rest] = wordsOf(location.pathname);
  const page = Object.hasOwn(PAGES, first) ? PAGES[first] : null;
  const current = page && (first === 'rules' ? 'learn' : first || 'home');
  const link = document.querySelector(`header nav a[data-page="${current}"]`);
  link?.setAttribute('aria-current', 'page');
  document.documentElement.dataset.page = first === 'embed' ? 'embed' : current || 'game';
  if (current || first === 'embed') followRequests();
  if (page) return page(rest);
  if (first === 'play') return game(location.hash.slice(1), { device: true });
  if (first === 'embed') return game(rest[0] ?? '', { embed: true });
  if (rest.length > 0 || !GAME_ID.test(first))
    throw new Refused(404, 'check the address, or go back to the games.');
  if (!hasServer()) throw new Refused(404, 'this site keeps no games between people');
  return game(first);
};

/** The sound can be switched off on every page. */
const soundButton = () => {
  const one = /** @type {HTMLElement} */ (document.getElementById('sound'));
  const paint = () => {
    one.setAttribute('aria-pressed', String(prefs().sound));
    one.title = prefs().sound ? 'Sound is on' : 'Sound is off';
  };
  one.addEventListener('click', () => setPrefs({ sound: !prefs().sound }));
  document.addEventListener('prefs', paint);
  paint();
};

applyPrefs();
settings();
soundButton();
document.getElementById('keys-open')?.addEventListener('click', showKeys);
onKeys({ '?': showKeys });
route()
  .then(() => main.setAttribute('data-ready', ''), failed)
  .then(painted)
  .then(() => {
    warm();
    followVersions();
  });
