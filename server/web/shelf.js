/** The games side by side, each with its picture: pages that begin with choosing one. */
import { drawing, el } from './dom.js';

/**
 * @typedef {import('./api.js').GameInfo} GameInfo
 * @param {GameInfo[]} games
 * @param {(info: GameInfo) => {href?: string, onclick?: () => void, about?: string, more?: Node}} of
 *   where a tile leads or what it does, and what it says below the name
 */
export const gameShelf = (games, of) => {
  // The pictures that came with the document stay as they are.
  const drawn = document.querySelectorAll('.shelf.drawn > .tile > svg');
  const tile = (/** @type {GameInfo} */ info, /** @type {number} */ i) => {
    const { href, onclick, about, more } = of(info);
    const kind = href ? 'a' : onclick ? 'button' : 'div';
    return el(
      `${kind}.card.tile`,
      {
        href,
        onclick,
        type: onclick && 'button',
        'data-game': kind === 'div' ? undefined : info.id,
      },
      drawn[i] ?? drawing(info.picture),
      el('b', {}, info.name),
      about && el('small', {}, about),
      more,
    );
  };
  return el('div.shelf', {}, ...games.map(tile));
};
