/** Pages on which a game is chosen first: their heading, and a tile for each game. */
import { drawing, el, fill, kept } from './dom.js';
import WORDS from './words.json' with { type: 'json' };

/** The heading of a page, reused from the served document. @param {string} title @param {string} lead */
export const heading = (title, lead) => [kept(el('h1', title)), lead && kept(el('p.lead', lead))];

/**
 * Shows a page on which a game is chosen first.
 * @param {HTMLElement} main @param {Exclude<keyof typeof WORDS['pages'], 'home'>} page @param {...any} parts
 */
export const choosing = (main, page, ...parts) => {
  const { title, lead } = WORDS.pages[page];
  document.title = `${title} – Quadrille`;
  main.className = 'page';
  fill(main, ...heading(title, lead), ...parts);
};

/**
 * @typedef {import('../program/views.js').GameInfo} GameInfo
 * @param {GameInfo[]} games
 * @param {(info: GameInfo) => {href?: string, about?: string, more?: Node}} of
 *   the link of a tile, and the text below its name
 */
export const gameShelf = (games, of) => {
  // Reuse the pictures of the served document.
  const drawn = document.querySelectorAll('.shelf.drawn > .tile > svg');
  const tile = (/** @type {GameInfo} */ info, /** @type {number} */ i) => {
    const { href, about, more } = of(info);
    return el(
      href ? 'a.card.tile' : 'div.card.tile',
      href ? { href, 'data-game': info.id } : {},
      drawn[i] ?? drawing(info.picture),
      el('b', info.name),
      about && el('small', about),
      more,
    );
  };
  return el('div.shelf', games.map(tile));
};
