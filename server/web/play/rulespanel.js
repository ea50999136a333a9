/** The rules of a game to read, and a panel with them beside the board. */
import { button } from '../common/controls.js';
import { el, fill } from '../common/dom.js';
import { reasonOf } from '../common/text.js';
import { fetchText } from '../program/ask.js';

/** Fetches the rules ahead, so that they can be read when the network is gone. @param {string} id */
export const fetchRulesAhead = (id) => {
  fetchText(`rules-${id}.html`).catch(() => {});
};

/** The rules of a game; their markup is the program's own. */
export const rulesArticle = async (/** @type {string} */ id) => {
  const page = new DOMParser().parseFromString(await fetchText(`rules-${id}.html`), 'text/html');
  // A board that is drawn need not be written, too; what is wider than the page can be scrolled with keys.
  for (const written of page.querySelectorAll('p:has(.picture) + pre')) written.remove();
  for (const wide of page.querySelectorAll('pre, table')) wide.setAttribute('tabindex', '0');
  return el('article.prose', ...page.body.childNodes);
};

/**
 * Opens the rules beside the board.
 * @param {import('../program/views.js').GameInfo} info @param {HTMLElement} [clock] one that the panel would hide
 */
export const rulesPanel = (info, clock) => {
  const open = /** @type {HTMLDialogElement|null} */ (document.getElementById('rules-panel'));
  if (open) return open.close();
  const close = () => panel.close();
  const text = el('div');
  const panel = el(
    'dialog#rules-panel.panel',
    { 'aria-label': `Rules of ${info.name}` },
    el('div.head', el('b', 'Rules'), clock, button('#rules-close', 'Close', close)),
    text,
  );
  rulesArticle(info.id).then(
    (rules) => fill(text, rules),
    (error) => fill(text, el('p.error', reasonOf(error))),
  );
  const before = /** @type {HTMLElement|null} */ (document.activeElement);
  // It closes from everywhere: the board beside it can be used, and has the focus then.
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== 'Escape' || document.querySelector('dialog:modal')) return;
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  document.addEventListener('keydown', onKey, true);
  panel.addEventListener('close', () => {
    const had = panel.contains(document.activeElement);
    document.removeEventListener('keydown', onKey, true);
    panel.remove();
    if (had) before?.focus();
  });
  document.body.append(panel);
  panel.show();
  panel.querySelector('button')?.focus();
};
