/** What is to be answered, and what is announced. Pure: games and events in, words out. */
import { capital } from './text.js';

/**
 * @typedef {import('./live.js').Game} Game
 * @typedef {(player: 1|2) => string} Names
 * @typedef {{kind: 'offer'|'asked'|'rematch', text: string, short: string}} Question
 */

const OFFERS = {
  draw: { asks: 'offers a draw.', own: 'A draw is offered.', short: 'Draw offered' },
  undo: {
    asks: 'asks to take back a turn.',
    own: 'Asked to take back a turn.',
    short: 'Takeback asked',
  },
};

/** What is open between the players: a question to those who sit here, or one that they have asked. @param {Game} game @param {(1|2)[]} you @param {Names} name @returns {Question|null} */
export const question = (game, you, name) => {
  const { offer, rematch } = game;
  const alone = you.length === 1;
  if (offer) {
    const { asks, own, short } = OFFERS[offer.kind];
    if (alone && !you.includes(offer.seat))
      return { kind: 'offer', text: `${name(offer.seat)} ${asks}`, short };
    return { kind: 'asked', text: alone ? own : `${name(offer.seat)} ${asks}`, short: '' };
  }
  if (rematch?.seat && alone && !you.includes(rematch.seat)) {
    return {
      kind: 'rematch',
      text: `${name(rematch.seat)} asks for a rematch.`,
      short: 'Rematch asked',
    };
  }
  return null;
};

/** The beginning of the page's title: what its reader is to do. @param {Game} game @param {(1|2)[]} you @param {Names} name @param {boolean} mayPlay */
export const headline = (game, you, name, mayPlay) => {
  const open = question(game, you, name);
  if (open?.short) return `${open.short} – `;
  if (mayPlay) return 'Your turn – ';
  return game.result ? 'Over – ' : '';
};

/**
 * What an event is announced with; moves, results and turns taken back are told with the board.
 * @param {Game} game after the event @param {any} event @param {(1|2)[]} you @param {Names} name
 * @returns {{words: string, sound: 'offer'|null}|null}
 */
export const announcement = (game, event, you, name) => {
  const own = you.includes(event.seat);
  switch (event.kind) {
    case 'joined':
      return { words: `${name(event.seat)} has joined.`, sound: own ? null : 'offer' };
    case 'offer':
      return {
        words: question(game, you, name)?.text ?? '',
        sound: own || you.length === 0 ? null : 'offer',
      };
    case 'rematch':
      if (event.id) return null;
      return {
        words: own ? 'Asked for a rematch.' : `${name(event.seat)} asks for a rematch.`,
        sound: own || you.length === 0 ? null : 'offer',
      };
    case 'declined':
      return own
        ? null
        : { words: `${name(event.seat)} has declined.`, sound: you.length > 0 ? 'offer' : null };
    default:
      return null;
  }
};

/** What a command is called. */
const CALLED = /** @type {Record<string, string>} */ ({
  join: 'your name',
  resign: 'your resignation',
  'offer-draw': 'your draw offer',
  accept: 'your acceptance',
  decline: 'your refusal',
  undo: 'your request to take back',
  rematch: 'your request for a rematch',
});

/** @param {import('./outbox.js').Command} command */
const called = ({ what, fields }) =>
  what === 'move' ? `turn ${fields.turn}` : (CALLED[what] ?? what);

/** How far a command has come. @param {import('./outbox.js').Command} command @param {boolean} connected */
export const progress = (command, connected) => {
  if (command.phase === 'refused')
    return capital(`${called(command)} was refused: ${command.reason}`);
  return command.phase === 'sent' && connected
    ? `Sending ${called(command)}…`
    : capital(`${called(command)} waits to be sent`);
};
