/**
 * The seats held by a browser: secrets in its storage, each under its own key, so that writing one cannot affect
 * another; and which of them a page plays.
 *
 * @typedef {'1'|'2'|'12'|'?'} Who the seats that a secret plays; `?` if it has not been checked
 * @typedef {{who: Who, token: string}} Held
 * @typedef {{token: string, you: (1|2)[], invitation: boolean}} Seat a secret that the server knows
 */
import { readFrom, writeTo } from '../common/storage.js';

const key = (/** @type {string} */ id, /** @type {string} */ who) => `quadrille.seat.${id}.${who}`;
const joiningKey = (/** @type {string} */ id) => `quadrille.joining.${id}`;

/** @param {(1|2)[]} you @returns {Who} */
export const whoOf = (you) => /** @type {Who} */ (you.join('') || '?');

/** The secrets for a game. @param {Storage} storage @param {string} id @returns {Held[]} */
export const held = (storage, id) => {
  const all = /** @type {Who[]} */ (['1', '2', '12', '?']).map((who) => ({
    who,
    token: storage.getItem(key(id, who)),
  }));
  return /** @type {Held[]} */ (all.filter(({ token }) => token));
};

/**
 * Stores a secret confirmed by the server. Returns whether that worked.
 * @param {Storage} storage @param {string} id @param {Who} who @param {string} token
 */
export const hold = (storage, id, who, token) => {
  const kept = writeTo(storage, key(id, who), token);
  if (kept && who !== '?' && storage.getItem(key(id, '?')) === token)
    storage.removeItem(key(id, '?'));
  return kept;
};

/** @param {Storage} storage @param {string} id */
export const letGo = (storage, id) => {
  for (const who of ['1', '2', '12', '?']) storage.removeItem(key(id, who));
  storage.removeItem(joiningKey(id));
};

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A new secret: 22 uniformly random letters and digits. @param {(bytes: Uint8Array) => Uint8Array} fill */
export const freshSecret = (fill) => {
  let text = '';
  while (text.length < 22) {
    // Six bits have 64 values; the two that are not alphanumeric are rejected.
    for (const byte of fill(new Uint8Array(32))) text += LETTERS[byte & 63] ?? '';
  }
  return text.slice(0, 22);
};

/**
 * The secret proposed with an invitation. It is stored before anything is sent, since a repeated join must propose the
 * same one.
 * @param {Storage} storage @param {string} id @param {string} invitation @param {(bytes: Uint8Array) => Uint8Array}
 *   fill
 */
export const proposal = (storage, id, invitation, fill) => {
  const before = proposed(storage, id);
  if (before?.invitation === invitation) return before.secret;
  const secret = freshSecret(fill);
  storage.setItem(joiningKey(id), JSON.stringify({ invitation, secret }));
  return secret;
};

/** @param {Storage} storage @param {string} id @returns {{invitation: string, secret: string}|null} */
export const proposed = (storage, id) => {
  const { invitation, secret } = readFrom(storage, joiningKey(id), {});
  const good = typeof invitation === 'string' && typeof secret === 'string';
  return good ? { invitation, secret } : null;
};

/** The join was answered. @param {Storage} storage @param {string} id */
export const settled = (storage, id) => storage.removeItem(joiningKey(id));

/**
 * Which seat a page plays, given what the server said about each secret. Discards nothing.
 * @param {{link: Seat|null, own: Seat[], chosen: string|null}} known
 *   `link` is from the address, `own` are from the storage, `chosen` is this tab's earlier choice
 * @returns {{play: Seat|null, ask: Seat[]}} one to play, or several to choose from
 */
export const decide = ({ link, own, chosen }) => {
  const all = [...(link ? [link] : []), ...own].filter(
    (one, i, list) => list.findIndex((other) => other.token === one.token) === i,
  );
  const earlier = all.find((one) => whoOf(one.you) === chosen);
  if (all.length <= 1) return { play: all[0] ?? null, ask: [] };
  // A link that does not name a different seat raises no question.
  if (earlier && (!link || link.token === earlier.token)) return { play: earlier, ask: [] };
  return { play: null, ask: all };
};

/** The players that a secret plays. @param {(string|null)[]} tokens by player @param {string|null|undefined} own */
export const playedBy = (tokens, own) =>
  /** @type {(1|2)[]} */ ([1, 2].filter((player) => own && tokens[player - 1] === own));
