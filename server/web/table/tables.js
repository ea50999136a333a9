/**
 * Where a game is kept: on a server, or in this browser. The game page treats both alike.
 *
 * @typedef {import('./live.js').Game} Game
 * @typedef {import('./seats.js').Seat} Seat
 * @typedef {Parameters<typeof connect>[1] & {onStuck: (reason: string|null) => void}} Hooks
 */
import { gameAt, playAt } from '../address.js';
import { forever } from '../common/storage.js';
import { createCommands } from '../connection/commands.js';
import { EMPTY } from '../connection/outbox.js';
import { sleep } from '../connection/reach.js';
import { getJson, patient, postJson } from '../connection/server.js';
import { connect } from '../connection/socket.js';
import { ask, thought } from '../program/ask.js';
import { arrive, chooseHere } from './arrive.js';
import { createDevice, deviceGame, openDeviceGame, seatsHere } from './device.js';
import { seatName } from './live.js';
import { rememberGame } from './mine.js';
import { hold, playedBy, whoOf } from './seats.js';

/**
 * A game as a tree without variations.
 * @param {Game} game @param {[string, string]} colours @returns {import('../analysis/tree.js').Tree}
 */
export const treeOf = (game, colours) => {
  const result = { 1: '1-0', 2: '0-1', draw: '1/2-1/2' }[
    /** @type {1|2|'draw'} */ (game.result?.winner)
  ];
  const name = (/** @type {1|2} */ n) => seatName(game, n, colours[n - 1]);
  const nodes = game.turns.map((turn, i) => ({
    turn,
    after: i === 0 ? null : i - 1,
    comment: '',
    glyph: '',
  }));
  return {
    game: game.game,
    options: game.options,
    start: game.start,
    tags: [
      ['Player1', name(1)],
      ['Player2', name(2)],
      ...(result ? [/** @type {[string, string]} */ (['Result', result])] : []),
    ],
    comment: '',
    nodes,
  };
};

/** @param {string} id */
export const serverTable = (id) => ({
  here: false,
  /** The query that lets an analysis find the game. */
  query: `game=${id}`,
  arrive: (
    /** @type {HTMLElement} */ main,
    /** @type {(game: Game) => Promise<[string, string]>} */ colours,
  ) => arrive(main, id, colours),
  /** @returns {Promise<Game>} */
  look: () => patient(() => getJson(`games/${id}`)),
  desk: (/** @type {Seat} */ seat, /** @type {() => void} */ onChange) =>
    createCommands({ game: id, who: whoOf(seat.you), storage: forever, onChange }),
  connect: (/** @type {Hooks} */ hooks) => connect(id, hooks),
  /** The path of the rematch, to which the user keeps the secret. */
  rematch: async (
    /** @type {string} */ next,
    /** @type {string} */ game,
    /** @type {string|undefined} */ token,
  ) => {
    if (token) {
      const { tokens } = await patient(() => getJson(`games/${id}/rematch`, token));
      const own = tokens.find((/** @type {string|null} */ one) => one);
      if (own) {
        const mine = playedBy(tokens, own);
        hold(forever, next, whoOf(mine), own);
        rememberGame({ id: next, game });
        chooseHere(next, whoOf(mine));
      }
    }
    return gameAt(next);
  },
});

/**
 * Moves a local game to the server, so that others can see it.
 * @param {Game} game @returns {Promise<string>} its new address
 */
export const handOver = async (game) => {
  const seats = game.seats.map(({ kind, name, level, player }) =>
    kind === 'person'
      ? { kind, ...(name ? { name } : {}) }
      : kind === 'level'
        ? { kind, level }
        : { kind, player },
  );
  const { id, tokens } = await postJson('games', {
    game: game.game,
    options: game.options,
    position: game.start,
    turns: game.turns,
    seats,
    shared: game.shared,
  });
  const own = tokens.find((/** @type {string|null} */ one) => one);
  rememberGame({ id, game: game.game, at: Date.now() });
  if (own) hold(forever, id, whoOf(playedBy(tokens, own)), own);
  const end = endOf(game);
  if (own && end) await postJson(`games/${id}/commands`, end, own);
  return gameAt(id);
};

/** The command that ended a game, if it was not the last turn. @param {Game} game */
const endOf = ({ result, shared }) => {
  if (result?.reason === 'agreed') return { type: 'offer-draw', seat: 1 };
  if (result?.reason !== 'resigned') return null;
  return { type: 'resign', ...(shared ? { seat: result.winner === 1 ? 2 : 1 } : {}) };
};

const askTable = (/** @type {object} */ fields) => ask('table', fields);

/** What local games need from outside. @type {import('./device.js').Means} */
export const MEANS = {
  table: askTable,
  turn: (fields, signal) => thought('turn', fields, signal),
  now: Date.now,
  sleep,
};

/** @param {string} id */
export const deviceTable = (id) => {
  /** @type {ReturnType<typeof createDevice>} */
  let device;
  const look = () => openDeviceGame(forever, askTable, id);
  return {
    here: true,
    query: `device=${id}`,
    /** @returns {Promise<{game: Game, seat: Seat|null, note: string}>} */
    arrive: async () => {
      const game = await look();
      return { game, seat: { token: '', you: seatsHere(game), invitation: false }, note: '' };
    },
    look,
    desk: () =>
      /** @type {ReturnType<typeof createCommands>} */ (
        /** @type {any} */ ({
          box: () => EMPTY,
          moved: () => {},
          forget: () => {},
          give: (/** @type {string} */ what, /** @type {any} */ fields) =>
            device.give(what, fields),
        })
      ),
    connect: (/** @type {Hooks} */ { onEvent, onGap, onState, onStuck }) => {
      device = createDevice({ id, storage: forever, means: MEANS, onEvent, onStuck });
      addEventListener('storage', ({ key }) => {
        if (!key?.endsWith(`.device.${id}`) || !deviceGame(forever, id)) return;
        onGap();
        device.changed();
      });
      setInterval(() => device.tick().catch(() => {}), 200);
      onState({ kind: 'connected', words: 'On this device' });
      // If several pages show the game, one of them plays for the computers until it is closed.
      if (navigator.locks)
        navigator.locks.request(`quadrille.device.${id}`, () => {
          device.lead();
          return new Promise(() => {});
        });
      else device.lead();
      return { flush: () => {}, again: () => device.again() };
    },
    rematch: async (/** @type {string} */ next, /** @type {string} */ game) => {
      rememberGame({ id: next, game, device: true });
      return playAt(next);
    },
  };
};

/** @typedef {ReturnType<typeof serverTable>|ReturnType<typeof deviceTable>} Table */

/** A game as a record. @param {Game} game @param {[string, string]} colours @returns {Promise<string>} */
export const recordOf = async (game, colours) =>
  (await ask('record', treeOf(game, colours))).record;
