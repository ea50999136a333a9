/** Finds out which page the address means, and shows it. */
import { hasServer, pageAt, wordsOf } from './address.js';
import { warm } from './ask.js';
import { closeRow, openDialog } from './dialogs.js';
import { el, fill, onKeys, painted } from './dom.js';
import { applyPrefs, prefs, setPrefs } from './prefs.js';
import { reach, sleep } from './reach.js';
import { Refused } from './refused.js';
import { followRequests } from './status.js';
import { capital } from './text.js';
import { followVersions } from './versions.js';

const main = /** @type {HTMLElement} */ (document.getElementById('main'));

const KEYS = {
  'On every page': [
    ['?', 'these keys'],
    ['Esc', 'back one stage, or close'],
  ],
  'On the board': [
    ['arrows', 'move over the cells, when the board has the focus'],
    ['Enter or space', 'choose the cell'],
    ['m', 'type a move'],
    ['Esc', 'take back one stage'],
  ],
  'Through a game': [
    ['← k', 'one turn back'],
    ['→ j', 'one turn on'],
    ['↑ ↓', 'between variations'],
    ['Home End', 'first and last position'],
    ['PgUp PgDn', 'ten turns'],
    ['f', 'turn the board round'],
    ['z', 'only the board'],
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
  openDialog(
    { id: 'keys', title: 'Keys', className: 'keys' },
    el(
      'div.columns',
      {},
      ...Object.entries(KEYS).map(([where, keys]) =>
        el('section', {}, el('h3', {}, where), el('dl', {}, ...keys.flatMap(keyLine))),
      ),
    ),
    closeRow(),
  );
};

/** A key, and what it does. @param {string[]} line */
const keyLine = ([key, does]) => [
  el('dt', {}, ...key.split(' ').map((one) => (one === 'or' ? ' or ' : el('kbd', {}, one)))),
  el('dd', {}, does),
];

/** Theme, sound, coordinates and confirmation. */
const settings = () => {
  const box = /** @type {HTMLElement} */ (document.getElementById('settings'));
  const choice = (
    /** @type {string} */ key,
    /** @type {string} */ title,
    /** @type {string[]} */ values,
  ) =>
    el(
      'fieldset.segments',
      {},
      el('legend', {}, title),
      ...values.map((value) =>
        el(
          'label',
          {},
          el('input', {
            type: 'radio',
            name: key,
            value,
            checked: String(/** @type {any} */ (prefs())[key]) === value,
            onchange: () => setPrefs({ [key]: value }),
          }),
          el('span', {}, capital(value)),
        ),
      ),
    );
  const flag = (/** @type {string} */ key, /** @type {string} */ title) =>
    el(
      'label.flag',
      {},
      el('input', {
        type: 'checkbox',
        checked: /** @type {any} */ (prefs())[key],
        onchange: (/** @type {any} */ event) => setPrefs({ [key]: event.target.checked }),
      }),
      title,
    );
  const build = () =>
    fill(
      box,
      choice('theme', 'Colours', ['auto', 'light', 'dark']),
      choice('confirm', 'Confirm turns', ['auto', 'always', 'never']),
      flag('sound', 'Sound'),
      flag('coordinates', 'Coordinates'),
    );
  box.addEventListener('beforetoggle', build);
  build();
};

/** A part of the page that could not be loaded cannot be asked for again: the page comes again as a whole. */
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
      {},
      el('h1', {}, missing ? 'There is nothing here' : 'That did not work'),
      el('p', {}, capital(String(error?.message ?? error))),
      el('p', {}, el('a.button.primary', { href: pageAt('') }, 'To the games')),
    ),
  );
};

const route = async () => {
  const [first = '', ...rest] = wordsOf(location.pathname);
  const current =
    first === 'rules'
      ? 'learn'
      : (['learn', 'analysis', 'editor', 'puzzles', 'results'].find((page) => page === first) ??
        (first === '' ? 'home' : ''));
  for (const link of document.querySelectorAll('header nav a')) {
    if (/** @type {HTMLElement} */ (link).dataset.page === current)
      link.setAttribute('aria-current', 'page');
  }
  document.documentElement.dataset.page = first === 'embed' ? 'embed' : current || 'game';
  if (document.documentElement.dataset.page !== 'game') followRequests();
  if (first === '') return (await import('./home.js')).homePage(main);
  if (first === 'analysis') return (await import('./analysis.js')).analysisPage(main, rest);
  if (first === 'editor') return (await import('./editor.js')).editorPage(main, rest);
  if (first === 'rules') return (await import('./rules.js')).rulesPage(main, rest[0] ?? '');
  if (first === 'learn') return (await import('./learn.js')).learnPage(main, rest);
  if (first === 'puzzles') return (await import('./puzzles.js')).puzzlesPage(main, rest);
  if (first === 'results') return (await import('./results.js')).resultsPage(main, rest);
  if (first === 'play')
    return (await import('./game.js')).gamePage(main, location.hash.slice(1), { device: true });
  if (first === 'embed')
    return (await import('./game.js')).gamePage(main, rest[0] ?? '', { embed: true });
  if (!hasServer()) throw new Refused(404, 'this site keeps no games between people', undefined);
  return (await import('./game.js')).gamePage(main, first);
};

/** The sound can be off from everywhere. */
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
