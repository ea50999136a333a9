/** The rules, as a page and as a panel beside the board. */
import { pageAt } from './address.js';
import { catalogue } from './api.js';
import { fetchText } from './ask.js';
import { button, el, fill } from './dom.js';
import { gameShelf } from './shelf.js';
import { capital } from './text.js';

/** The rules of a game; their markup is the program's own. */
const article = async (/** @type {string} */ id) => {
  const page = new DOMParser().parseFromString(await fetchText(`rules-${id}.html`), 'text/html');
  // A board that is drawn need not be written, too; what is wider than the page can be scrolled with keys.
  for (const written of page.querySelectorAll('p:has(.picture) + pre')) written.remove();
  for (const wide of page.querySelectorAll('pre, table')) wide.setAttribute('tabindex', '0');
  return el('article.prose', {}, ...page.body.childNodes);
};

/** All games, to choose one. @param {import('./api.js').GameInfo[]} games */
const shelf = (games) =>
  el(
    'div',
    {},
    el('h1', {}, 'Rules'),
    gameShelf(games, ({ id, tagline }) => ({
      href: pageAt(`rules/${id}`),
      about: capital(tagline),
    })),
  );

/** @param {HTMLElement} main @param {string} id */
export const rulesPage = async (main, id) => {
  const { games } = await catalogue();
  const info = games.find((one) => one.id === id);
  document.title = `${info?.name ?? 'Rules'} – rules – Quadrille`;
  main.className = 'page reading';
  fill(
    main,
    info &&
      el(
        'nav.tabs',
        { 'aria-label': 'Rules of' },
        ...games.map((one) =>
          el(
            'a',
            { href: pageAt(`rules/${one.id}`), 'aria-current': one.id === id ? 'page' : null },
            one.name,
          ),
        ),
      ),
    info ? await article(id) : shelf(games),
    info
      ? el(
          'p.row',
          {},
          el('a.button.primary', { href: pageAt('', `?new=${id}`) }, `Play ${info.name}`),
          el('a.button', { href: pageAt(`learn/${id}`) }, 'Lessons'),
          el('a.button', { href: pageAt(`analysis/${id}`) }, 'Analyse'),
        )
      : null,
  );
};

/** Opens the rules beside the board. @param {import('./api.js').GameInfo} info @param {HTMLElement} [clock] one that the panel would hide */
export const rulesPanel = (info, clock) => {
  const open = document.getElementById('rules-panel');
  if (open) {
    /** @type {HTMLDialogElement} */ (open).close();
    return;
  }
  const close = () => panel.close();
  const text = el('div');
  const panel = el(
    'dialog.panel',
    { id: 'rules-panel', 'aria-label': `Rules of ${info.name}` },
    el('header', {}, el('b', {}, 'Rules'), clock, button('Close', close, { id: 'rules-close' })),
    text,
  );
  article(info.id).then(
    (rules) => fill(text, rules),
    (error) => fill(text, el('p.error', {}, capital(error.message))),
  );
  panel.addEventListener('close', () => {
    panel.remove();
    document.getElementById('rules-open')?.focus();
  });
  panel.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
    if (event.key === 'Escape') {
      event.preventDefault();
      close();
    }
  });
  document.body.append(panel);
  panel.show();
  panel.querySelector('button')?.focus();
};
