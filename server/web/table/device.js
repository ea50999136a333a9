/**
 * Games that live in this browser: against the computer, at one screen, or between two computers. The program judges
 * commands and tells what becomes of them; this keeps the games, lets computers play, and follows other pages of the
 * same game through the browser's storage.
 *
 * @typedef {import('./live.js').Game} Game
 * @typedef {{table: (fields: object) => Promise<{table: Game, events: any[], next?: Game}>,
 *   turn: (fields: object, signal: AbortSignal) => Promise<{turn: string|null}>,
 *   now: () => number, sleep: (ms: number) => Promise<void>}} Means
 */
import { Refused } from '../common/refused.js';
import { keysOf, readFrom, writeTo } from '../common/storage.js';
import { isComputer } from './live.js';

const KEY = 'quadrille.device.';
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** A computer answers no sooner, so that one sees what it answers to. */
const BREATH = 350;
/** The most that the strongest level takes for a turn. */
const TURN_MS = 1_500;
/** How often a computer that fails is asked before the page says so; each pause is four times the last. */
const TRIES = 4;

const freshId = () =>
  Array.from(
    crypto.getRandomValues(new Uint8Array(8)),
    (byte) => LETTERS[byte % LETTERS.length],
  ).join('');

/** A game of this browser. @param {Storage} storage @param {string} id @returns {Game|null} */
export const deviceGame = (storage, id) => readFrom(storage, KEY + id, null);

/** Keeps a game, or says what to do where there is no room. @param {Storage} storage @param {Game} game */
const keep = (storage, game) => {
  if (!writeTo(storage, KEY + game.id, JSON.stringify(game)))
    throw new Refused(
      507,
      'this browser has no room left to keep the turn: forget finished games on the first page, then play it again',
    );
};

/** @param {Storage} storage @param {string} id */
export const forgetDeviceGame = (storage, id) => storage.removeItem(KEY + id);

/** The seats that whoever sits here plays. @param {Game} game @returns {(1|2)[]} */
export const seatsHere = (game) =>
  /** @type {(1|2)[]} */ (
    [1, 2].filter((player) => !isComputer(game, /** @type {1|2} */ (player)))
  );

/**
 * Makes a game, and keeps it.
 * @param {Storage} storage @param {Pick<Means, 'table'|'now'>} means
 * @param {{game: string, options: object, start: string, seats: any[], clock: any}} wanted
 * @returns {Promise<string>} its id
 */
export const makeDeviceGame = async (storage, means, wanted) => {
  const shared = wanted.seats.every(({ kind }) => kind === 'person');
  const make = { turns: [], shared, ...wanted };
  const { table } = await means.table({ make, new_id: freshId(), now: means.now() });
  keep(storage, table);
  return table.id;
};

/**
 * A game of this browser, told in the words of this version.
 * @param {Storage} storage @param {Means['table']} ask @param {string} id
 */
export const openDeviceGame = async (storage, ask, id) => {
  const game = deviceGame(storage, id);
  if (!game) throw new Refused(404, 'this browser keeps no such game');
  // Version 0.2 kept neither names of computers nor how a game ended.
  if (game.ending !== undefined) return game;
  const { table } = await ask({ table: game });
  keep(storage, table);
  return table;
};

/** Whether somebody's time is over. @param {Game} game @param {number} now */
const isFlagged = ({ clocks, result }, now) =>
  Boolean(!result && clocks?.running && clocks.left[clocks.running - 1] <= now - clocks.at);

/**
 * Plays a game of this browser.
 * @param {{id: string, storage: Storage, means: Means, onEvent: (event: any) => void,
 *   onStuck: (reason: string|null) => void}} hooks `onStuck` says why a computer cannot play; null once it can
 */
export const createDevice = ({ id, storage, means, onEvent, onStuck }) => {
  /** @type {AbortController|null} */
  let thinking = null;
  let drives = false;
  let ticking = false;
  let failures = 0;
  /** One command is judged after another. @type {Promise<any>} */
  let last = Promise.resolve();

  const game = () => deviceGame(storage, id);
  /** The game as this page last kept or saw it. */
  let seen = game();

  /**
   * The game, for a command. Where everything was cleared this page still knows it, and keeps it again; where only this
   * game is gone, somebody wanted that.
   */
  const kept = () => {
    const now = game();
    if (now) return (seen = now);
    if (!seen || keysOf(storage, 'quadrille.').length > 0)
      throw new Refused(404, 'this browser no longer keeps this game');
    keep(storage, seen);
    return seen;
  };

  const halt = () => {
    thinking?.abort();
    thinking = null;
  };

  /** What a command becomes is kept, then told. @param {any} command @returns {Promise<any[]>} */
  const judge = async (command) => {
    const before = kept();
    const asked = { table: before, command, new_id: freshId(), now: means.now() };
    const { table, events, next } = await means.table(asked);
    // Another page was quicker: the command is judged by what there is now.
    if (kept().seq !== before.seq) return judge(command);
    if (next) keep(storage, next);
    keep(storage, table);
    seen = table;
    events.forEach(onEvent);
    return events;
  };

  /** @param {any} command */
  const act = (command) => {
    const events = last.then(() => judge(command));
    last = events.catch(() => {});
    return events;
  };

  const move = async (/** @type {object} */ fields) => {
    const [event] = await act({ do: 'move', ...fields });
    if (event.kind !== 'move') throw new Refused(409, 'the time is over');
    failures = 0;
    onStuck(null);
    drive();
  };

  /** The turn that a computer chooses. @param {Game} now @param {AbortSignal} signal */
  const chosen = async (now, signal) => {
    const { kind, level, player } = now.seats[now.turn - 1];
    const left = now.clocks?.left[now.turn - 1];
    const [{ turn }] = await Promise.all([
      means.turn(
        {
          game: now.game,
          options: now.options,
          position: now.start,
          turns: now.turns,
          player: kind === 'level' ? { kind, level } : { kind, player },
          seed: crypto.getRandomValues(new Uint32Array(1))[0],
          ...(left !== undefined && { time_ms: Math.max(50, Math.min(TURN_MS, left / 30) | 0) }),
        },
        signal,
      ),
      means.sleep(BREATH),
    ]);
    if (!turn) throw new Error('it finds no turn');
    return turn;
  };

  /** Lets the computer play while it is its turn. */
  const drive = async () => {
    const now = game();
    if (!drives || thinking || !now || now.result || !isComputer(now, now.turn)) return;
    const mine = new AbortController();
    thinking = mine;
    try {
      const turn = await chosen(now, mine.signal);
      if (thinking !== mine) return;
      thinking = null;
      await move({ turn, seat: now.turn, board_seq: now.board_seq });
    } catch (error) {
      if (thinking === mine) thinking = null;
      if (mine.signal.aborted) return;
      failures += 1;
      if (failures >= TRIES) onStuck(/** @type {Error} */ (error).message);
      else means.sleep(BREATH * 4 ** failures).then(drive);
    }
  };

  return {
    /** Does what is asked, or says why not. @param {string} what @param {any} fields */
    give: async (what, fields) => {
      const now = kept();
      const here = seatsHere(now);
      const seat = here.length === 1 ? here[0] : now.turn;
      if (what === 'move') return move({ seat, ...fields });
      halt();
      await act({ do: what, seat, ...fields }).finally(drive);
    },
    /** From now on this page plays for the computers. No time has passed while no page did. */
    lead: () => {
      drives = true;
      const now = game();
      if (now?.clocks?.running && !now.result) act({ do: 'resume' }).catch(() => {});
      drive();
    },
    /** Another page has played. */
    changed: () => {
      halt();
      drive();
    },
    /** Asks a computer again that could not play. */
    again: () => {
      failures = 0;
      onStuck(null);
      drive();
    },
    /** Ends a game whose time is over. */
    tick: async () => {
      const now = game();
      if (ticking || !now || !isFlagged(now, means.now())) return;
      ticking = true;
      const ended = await act({ do: 'tick' }).finally(() => {
        ticking = false;
      });
      if (ended.length > 0) halt();
    },
  };
};
