/**
 * Local games in this browser: against the computer, with two players at one screen, or between two computers. The
 * WebAssembly program decides commands; this stores the games, lets computers play, and follows other pages with the
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

/** How many milliseconds a computer waits before answering, so that one can see what it answers. */
const BREATH = 350;
/** The most milliseconds that the strongest level takes for a turn. */
const TURN_MS = 1_500;
/** How often a failing computer is retried before the page reports it; each delay is four times the previous one. */
const TRIES = 4;

const freshId = () =>
  Array.from(
    crypto.getRandomValues(new Uint8Array(8)),
    (byte) => LETTERS[byte % LETTERS.length],
  ).join('');

/** A game in this browser. @param {Storage} storage @param {string} id @returns {Game|null} */
export const deviceGame = (storage, id) => readFrom(storage, KEY + id, null);

/**
 * Stores a game; if there is no space, throws an error that says what to do.
 * @param {Storage} storage @param {Game} game
 */
const keep = (storage, game) => {
  if (!writeTo(storage, KEY + game.id, JSON.stringify(game)))
    throw new Refused(
      507,
      'this browser has no room left to keep the turn: forget finished games on the first page, then play it again',
    );
};

/** @param {Storage} storage @param {string} id */
export const forgetDeviceGame = (storage, id) => storage.removeItem(KEY + id);

/** The seats that are played by people. @param {Game} game @returns {(1|2)[]} */
export const seatsHere = (game) =>
  /** @type {(1|2)[]} */ (
    [1, 2].filter((player) => !isComputer(game, /** @type {1|2} */ (player)))
  );

/**
 * Creates a game and stores it.
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
 * A game in this browser, converted to the current format.
 * @param {Storage} storage @param {Means['table']} ask @param {string} id
 */
export const openDeviceGame = async (storage, ask, id) => {
  const game = deviceGame(storage, id);
  if (!game) throw new Refused(404, 'this browser keeps no such game');
  // Version 0.2 stored neither the names of computers nor how a game ended.
  if (game.ending !== undefined) return game;
  const { table } = await ask({ table: game });
  keep(storage, table);
  return table;
};

/** Whether the player to move has run out of time. @param {Game} game @param {number} now */
const isFlagged = ({ clocks, result }, now) =>
  Boolean(!result && clocks?.running && clocks.left[clocks.running - 1] <= now - clocks.at);

/**
 * Plays a game in this browser.
 * @param {{id: string, storage: Storage, means: Means, onEvent: (event: any) => void,
 *   onStuck: (reason: string|null) => void}} hooks `onStuck` gets the reason why a computer cannot play, then null
 */
export const createDevice = ({ id, storage, means, onEvent, onStuck }) => {
  /** @type {AbortController|null} */
  let thinking = null;
  let drives = false;
  let ticking = false;
  let failures = 0;
  /** Commands are decided one after another. @type {Promise<any>} */
  let last = Promise.resolve();

  const game = () => deviceGame(storage, id);
  /** The game as last stored or read by this page. */
  let seen = game();

  /**
   * The stored game, for a command. If all of the storage was cleared, this page restores the game; if only this game
   * is gone, somebody has removed it.
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

  /** Decides a command, stores the result, and then reports it. @param {any} command @returns {Promise<any[]>} */
  const judge = async (command) => {
    const before = kept();
    const asked = { table: before, command, new_id: freshId(), now: means.now() };
    const { table, events, next } = await means.table(asked);
    // Another page has changed the game meanwhile, so decide again.
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
    if (event.kind !== 'move') throw new Refused(409, 'time is up');
    failures = 0;
    onStuck(null);
    drive();
  };

  /** The turn chosen by a computer. @param {Game} now @param {AbortSignal} signal */
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
    if (!turn) throw new Error('it found no turn');
    return turn;
  };

  /** Lets computers play while it is their turn. */
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
    /** Executes a command, or throws the reason why not. @param {string} what @param {any} fields */
    give: async (what, fields) => {
      const now = kept();
      const here = seatsHere(now);
      const seat = here.length === 1 ? here[0] : now.turn;
      if (what === 'move') return move({ seat, ...fields });
      halt();
      await act({ do: what, seat, ...fields }).finally(drive);
    },
    /** Makes this page the one that plays for the computers. Clocks do not count the time during which no page did. */
    lead: () => {
      drives = true;
      const now = game();
      if (now?.clocks?.running && !now.result) act({ do: 'resume' }).catch(() => {});
      drive();
    },
    /** Another page has changed the game. */
    changed: () => {
      halt();
      drive();
    },
    /** Retries a computer's turn that has failed. */
    again: () => {
      failures = 0;
      onStuck(null);
      drive();
    },
    /** Ends the game if a player has run out of time. */
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
