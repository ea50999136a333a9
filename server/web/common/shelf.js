/** Pages that begin with choosing a game: their heading, and the games side by side, each with its picture. */
import { drawing, el, fill, kept } from './dom.js';
import WORDS from './words.json' with { type: 'json' };

/** The heading of a page, as the document begins it. @param {string} title @param {string} lead */
export const heading = (title, lead) => [kept(el('h1', title)), lead && kept(el('p.lead', lead))];

/**
 * Shows a page that begins with choosing a game.
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
 *   where a tile leads, and what it says below the name
 */
export const gameShelf = (games, of) => {
  // The pictures that came with the document stay as they are.
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
