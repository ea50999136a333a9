/** Open challenges, as rows of a list on the lobby and on the home page. */
import { pageAt } from '../address.js';
import { button } from '../common/controls.js';
import { complain, el } from '../common/dom.js';
import { clockName, spaced } from '../common/text.js';
import { postJson } from '../connection/server.js';
import { goTo, me, token } from './me.js';

/** Who begins, as somebody who accepts sees it. @type {Record<string, string>} */
const SIDES = { first: ', the other begins', second: ', you begin' };

/** The unusual options of a game. @param {Record<string, any>} options */
export const optionWords = (options) => {
  const words = Object.entries(options).map(([name, value]) => ` ${spaced(name)} ${value}`);
  return words.length > 0 && el('small', words.join(','));
};

/** Accepts a challenge and opens the game. @param {any} one */
const accept = async (one) => {
  try {
    const { game } = await postJson(`lobby/${one.id}`, { version: one.version }, token());
    await goTo(game);
  } catch (error) {
    complain(error);
  }
};

/** Leads to the field for a name, which is in the lobby. */
const takeName = () => {
  const name = document.getElementById('player-name');
  if (name) name.focus();
  else location.href = pageAt('lobby');
};

/** A button that accepts a challenge, or with which a guest can take the name for it. @param {any} one */
export const acceptButton = (one) =>
  me() || (!one.rated && one.clock.kind !== 'days')
    ? button('.primary', 'Play', () => accept(one))
    : button('', 'Take a name', takeName);

/**
 * @param {any} one @param {(id: string) => string} nameOfGame @param {HTMLElement} act
 * @param {boolean} [mine]
 */
export const challengeRow = (one, nameOfGame, act, mine = false) => {
  const who = one.player
    ? el('a', { href: pageAt(`player/${one.player}`) }, one.name)
    : el('span', 'Guest');
  return el(
    'tr',
    { 'data-id': one.id, className: mine ? 'mine' : '' },
    el('td', who, one.bot && ' (bot)'),
    el('td', one.rating === null ? '' : `${one.rating}${one.provisional ? '?' : ''}`),
    el('td', nameOfGame(one.game), optionWords(one.options)),
    el('td', clockName(one.clock)),
    el('td', one.rated ? 'rated' : 'casual', !mine && el('small', SIDES[one.side])),
    el('td', act),
  );
};
