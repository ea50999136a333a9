/**
 * Finds out the user's seat: the secrets in the address and the browser are checked with the server before anything is
 * stored or discarded, and if several are valid, the user chooses.
 */
import { button } from '../common/controls.js';
import { el, fill } from '../common/dom.js';
import { forTab, forever, writeTo } from '../common/storage.js';
import { getJson, patient } from '../connection/server.js';
import { myGame, rememberGame } from './mine.js';
import { decide, held, hold, proposed, settled, whoOf } from './seats.js';

/**
 * @typedef {import('./seats.js').Seat} Seat
 * @typedef {import('./live.js').Game} Game
 * @typedef {{game: Game, seat: Seat|null, note: string}} Arrival
 */

/** The form of a secret or key; anything else is not sent anywhere. */
const SECRET = /^(pk-)?[0-9A-Za-z]{1,64}$/;

const linkToken = () => {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return location.hash.slice(1);
  }
};

const chosenKey = (/** @type {string} */ id) => `quadrille.seat.${id}`;

/**
 * Remembers which seat this tab plays; another tab may play the other one.
 * @param {string} id @param {import('./seats.js').Who} who
 */
export const chooseHere = (id, who) => {
  // If the browser cannot store it, the question is asked again.
  writeTo(forTab, chosenKey(id), who);
};

/** Whether the seat is still open, so that its secret is an invitation. @param {Game} game @param {(1|2)[]} you */
const isInvitation = (game, you) =>
  you.length === 1 && game.seats[you[0] - 1].kind === 'open' && !game.seats[you[0] - 1].joined;

/**
 * The game and the seat of a secret; no seat if the server does not know the secret.
 * @param {string} id @param {string|null} token @returns {Promise<{game: Game, seat: Seat|null}|null>}
 */
const check = async (id, token) => {
  if (token !== null && !SECRET.test(token)) return null;
  try {
    const game = await patient(() => getJson(`games/${id}`, token));
    const you = game.you ?? [];
    return {
      game,
      seat: token && you.length > 0 ? { token, you, invitation: isInvitation(game, you) } : null,
    };
  } catch (error) {
    if (/** @type {any} */ (error).status === 401 && token !== null) return null;
    throw error;
  }
};

/** Why a link gives no seat. @param {Game} game */
const useless = (game) =>
  game.seats.some((seat) => seat.kind === 'open' && seat.joined)
    ? 'This invitation has been used: somebody has taken the seat.'
    : 'This link opens no seat of this game.';

/**
 * Stores a seat confirmed by the server. Returns whether the secret in the address is no longer needed.
 * @param {string} id @param {Game} game @param {Seat} seat
 */
const keep = (id, game, seat) =>
  seat.invitation
    ? rememberGame({ id, game: game.game, invited: seat.token })
    : hold(forever, id, whoOf(seat.you), seat.token);

/**
 * @param {HTMLElement} main @param {string} id @param {(game: Game) => Promise<[string, string]>} colours
 * @returns {Promise<Arrival>}
 */
export const arrive = async (main, id, colours) => {
  const link = linkToken();
  const own = [
    ...new Set([proposed(forever, id)?.secret, ...held(forever, id).map(({ token }) => token)]),
  ].filter((token) => token !== undefined);
  const invited =
    link || own.length > 0 ? [] : [myGame(id)?.invited].filter((token) => token !== undefined);
  const tokens = [...new Set([...(link ? [link] : []), ...own, ...invited])];
  const checked = new Map(
    await Promise.all(
      tokens.map(async (token) => /** @type {const} */ ([token, await check(id, token)])),
    ),
  );
  const known = [...checked.values()].find((one) => one);
  const game = (known ?? /** @type {{game: Game}} */ (await check(id, null))).game;

  const linked = checked.get(link)?.seat ?? null;
  const mine = [...own, ...invited].flatMap((token) => checked.get(token)?.seat ?? []);
  for (const seat of mine) keep(id, game, seat);
  if (mine.some(({ token }) => token === proposed(forever, id)?.secret)) settled(forever, id);
  if (link && (!linked || keep(id, game, linked)))
    history.replaceState(null, '', location.pathname);

  const { play, ask } = decide({ link: linked, own: mine, chosen: forTab.getItem(chosenKey(id)) });
  const seat = ask.length > 0 ? await choose(main, ask, linked, await colours(game)) : play;
  if (seat && ask.length > 0) chooseHere(id, whoOf(seat.you));
  const asYou = { ...game, you: seat?.you ?? [] };
  return { game: asYou, seat, note: link && !linked ? useless(game) : '' };
};

/**
 * @param {HTMLElement} main @param {Seat[]} seats @param {Seat|null} linked @param {[string, string]} colours
 * @returns {Promise<Seat>}
 */
const choose = (main, seats, linked, colours) =>
  new Promise((resolve) => {
    const called = (/** @type {Seat} */ { you }) =>
      you.map((player) => colours[player - 1]).join(' and ');
    const about = (/** @type {Seat} */ seat) =>
      seat !== linked
        ? 'this browser plays it'
        : seat.invitation
          ? 'an invitation for a friend'
          : 'the link that was opened';
    const pick = (/** @type {Seat} */ seat) => {
      fill(main);
      resolve(seat);
    };
    main.className = 'page';
    fill(
      main,
      el(
        'div#choose-seat.empty',
        el('h1', 'Which side do you play here?'),
        el('p', 'This browser holds more than one seat of this game. Both are kept.'),
        el(
          'div.choices',
          ...seats.map((seat) =>
            button('', `Play ${called(seat)}`, () => pick(seat), {
              'data-seat': whoOf(seat.you),
              title: about(seat),
              className: seat === linked ? 'primary' : '',
            }),
          ),
        ),
        el('p.about', seats.map((seat) => `${called(seat)}: ${about(seat)}`).join(' · ')),
      ),
    );
  });
