/** The rules of a game, and a panel that shows them beside the board. */
import { button } from '../common/controls.js';
import { el, fill } from '../common/dom.js';
import { reasonOf } from '../common/text.js';
import { fetchText } from '../program/ask.js';

/** Prefetches the rules, so that they can be read offline. @param {string} id */
export const fetchRulesAhead = (id) => {
  fetchText(`rules-${id}.html`).catch(() => {});
};

/** The rules of a game, which are trusted markup. */
export const rulesArticle = async (/** @type {string} */ id) => {
  const page = new DOMParser().parseFromString(await fetchText(`rules-${id}.html`), 'text/html');
  // Where there is a picture, the board as text is redundant. Wide elements can be scrolled with keys.
  for (const written of page.querySelectorAll('p:has(.picture) + pre')) written.remove();
  for (const wide of page.querySelectorAll('pre, table')) wide.setAttribute('tabindex', '0');
  return el('article.prose', ...page.body.childNodes);
};

/**
 * Opens the rules beside the board.
 * @param {import('../program/views.js').GameInfo} info @param {HTMLElement} [clock] a clock that the panel would cover
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
  // Escape closes it from anywhere: the board beside it stays usable and may have the focus.
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
