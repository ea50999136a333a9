/** The rules of a game as a page. */
import { pageAt } from '../address.js';
import { el, fill } from '../common/dom.js';
import { choosing, gameShelf } from '../common/shelf.js';
import { capital } from '../common/text.js';
import { rulesArticle } from '../play/rulespanel.js';
import { gameOf } from '../program/views.js';
import { pageTabs } from './reader.js';

/** @param {HTMLElement} main @param {string[]} rest */
export const rulesPage = async (main, [id]) => {
  const { games, info } = await gameOf(id);
  if (!info) {
    const about = (/** @type {import('../program/views.js').GameInfo} */ { id: one, tagline }) => ({
      href: pageAt(`rules/${one}`),
      about: capital(tagline),
    });
    return choosing(main, 'rules', gameShelf(games, about));
  }
  document.title = `${info.name} – rules – Quadrille`;
  main.className = 'page reading';
  const tabs = games.map((one) => ({
    href: pageAt(`rules/${one.id}`),
    name: one.name,
    current: one.id === id,
  }));
  fill(
    main,
    pageTabs('Rules of', tabs),
    await rulesArticle(id),
    el(
      'p.row',
      el('a.button.primary', { href: pageAt('', `?new=${id}`) }, `Play ${info.name}`),
      el('a.button', { href: pageAt(`learn/${id}`) }, 'Lessons'),
      el('a.button', { href: pageAt(`analysis/${id}`) }, 'Analyse'),
    ),
  );
};
