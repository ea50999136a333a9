/** Questions to answer, and announcements. Events bring their own words. Pure. */
import { capital } from '../common/text.js';

/**
 * @typedef {import('../table/live.js').Game} Game
 * @typedef {(player: 1|2, kind: 'draw'|'undo'|'rematch') => string} Asking says who asks for what
 * @typedef {{kind: 'offer'|'asked'|'rematch', text: string, short: string}} Question
 */

/** The confirmation for the player who asks, and the title for the one who is asked. */
const OFFERS = {
  draw: { own: 'A draw is offered.', short: 'Draw offered' },
  undo: { own: 'Asked to take back a turn.', short: 'Takeback asked' },
  rematch: { own: 'Asked for a rematch.', short: 'Rematch asked' },
};

/**
 * What is pending between the players: a question to somebody here, or one they have asked.
 * @param {Game} game @param {(1|2)[]} you @param {Asking} asking @returns {Question|null}
 */
export const question = ({ offer, rematch }, you, asking) => {
  const alone = you.length === 1;
  if (offer) {
    const { own, short } = OFFERS[offer.kind];
    const text = asking(offer.seat, offer.kind);
    if (alone && !you.includes(offer.seat)) return { kind: 'offer', text, short };
    return { kind: 'asked', text: alone ? own : text, short: '' };
  }
  if (!rematch?.seat || !alone || you.includes(rematch.seat)) return null;
  const text = asking(rematch.seat, 'rematch');
  return { kind: 'rematch', text, short: OFFERS.rematch.short };
};

/**
 * The start of the page title: what the user has to do.
 * @param {Game} game @param {(1|2)[]} you @param {Asking} asking @param {boolean} mayPlay
 */
export const headline = (game, you, asking, mayPlay) => {
  const open = question(game, you, asking);
  if (open?.short) return `${open.short} – `;
  if (mayPlay) return 'Your turn – ';
  return game.result ? 'Over – ' : '';
};

/**
 * The announcement of an event; moves, results and takebacks are announced with the board.
 * @param {any} event @param {(1|2)[]} you @returns {{words: string, sound: 'offer'|null}|null}
 */
export const announcement = ({ kind, seat, offer, id, words }, you) => {
  if (!['joined', 'offer', 'rematch', 'declined'].includes(kind) || id) return null;
  if (!you.includes(seat)) return { words, sound: you.length > 0 ? 'offer' : null };
  if (kind === 'declined') return null;
  const asked = /** @type {'draw'|'undo'|'rematch'} */ (offer ?? kind);
  return { words: OFFERS[asked]?.own ?? words, sound: null };
};

/** The names of commands. */
const CALLED = /** @type {Record<string, string>} */ ({
  join: 'your name',
  resign: 'your resignation',
  abort: 'calling the game off',
  'offer-draw': 'your draw offer',
  accept: 'your acceptance',
  decline: 'your refusal',
  undo: 'your request to take back',
  rematch: 'your request for a rematch',
});

/** @param {import('../connection/outbox.js').Command} command */
const called = ({ what, fields }) =>
  what === 'move' ? `turn ${fields.turn}` : (CALLED[what] ?? what);

/**
 * The progress of a command, in words.
 * @param {import('../connection/outbox.js').Command} command @param {boolean} connected
 */
export const progress = (command, connected) => {
  if (command.phase === 'refused')
    return capital(`${called(command)} was refused: ${command.reason}`);
  return command.phase === 'sent' && connected
    ? `Sending ${called(command)}…`
    : capital(`${called(command)} waits to be sent`);
};
