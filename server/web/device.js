/**
 * Games that live in this browser: against the computer, at one screen, or between two computers. What a server does
 * for games between people, this does here: it judges commands by the rules, keeps every turn before anybody sees it,
 * runs the clocks and lets computers play. Other pages of the same game follow through the browser's storage.
 *
 * @typedef {import('./live.js').Game} Game
 * @typedef {{view: (place: import('./api.js').Place) => Promise<import('./api.js').View>,
 *   turn: (fields: object, signal: AbortSignal) => Promise<{turn: string|null}>,
 *   now: () => number, sleep: (ms: number) => Promise<void>}} Means
 */
import { after, isComputer } from './live.js';

const KEY = 'quadrille.device.';
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** A computer answers no sooner, so that one sees what it answers to. */
const BREATH = 350;
/** The most that the strongest level takes for a turn. */
const TURN_MS = 1_500;

const freshId = () =>
  Array.from(
    crypto.getRandomValues(new Uint8Array(8)),
    (byte) => LETTERS[byte % LETTERS.length],
  ).join('');

/** A game of this browser. @param {Storage} storage @param {string} id @returns {Game|null} */
export const deviceGame = (storage, id) => {
  try {
    return JSON.parse(storage.getItem(KEY + id) ?? 'null');
  } catch {
    return null;
  }
};

/** @param {Storage} storage @param {Game} game */
const keep = (storage, game) => storage.setItem(KEY + game.id, JSON.stringify(game));

/** @param {Storage} storage @param {string} id */
export const forgetDeviceGame = (storage, id) => storage.removeItem(KEY + id);

/** The seats that whoever sits here plays. @param {Game} game @returns {(1|2)[]} */
export const seatsHere = (game) =>
  /** @type {(1|2)[]} */ (
    [1, 2].filter((player) => !isComputer(game, /** @type {1|2} */ (player)))
  );

/**
 * Makes a game, and keeps it.
 * @param {Storage} storage
 * @param {{game: string, options: object, start: string, turn: 1|2, seats: [any, any], clock: any}} wanted
 * @returns {string} its id
 */
export const makeDeviceGame = (storage, { game, options, start, turn, seats, clock }) => {
  const id = freshId();
  const left = clock?.kind === 'time' ? clock.seconds * 1000 : null;
  keep(storage, {
    id,
    seq: 1,
    board_seq: 1,
    game,
    options,
    start,
    seats: /** @type {any} */ (seats.map((seat) => ({ ...seat, joined: true }))),
    shared: seats.every((seat) => seat.kind === 'person'),
    clock,
    turns: [],
    turn,
    result: null,
    offer: null,
    rematch: null,
    clocks: left === null ? null : { left: [left, left], running: null, at: 0 },
  });
  return id;
};

/** The same game again, with the seats exchanged. @param {Storage} storage @param {Game} game @param {1|2} turn */
const again = (storage, game, turn) =>
  makeDeviceGame(storage, { ...game, turn, seats: [game.seats[1], game.seats[0]] });

/** The clocks after a turn. @param {Game} game @param {1|2} seat @param {number} now */
const clocksAfter = ({ clocks, clock }, seat, now) => {
  if (!clocks) return clocks;
  const left = /** @type {[number, number]} */ ([...clocks.left]);
  if (clocks.running === seat)
    left[seat - 1] = Math.max(0, left[seat - 1] - (now - clocks.at)) + clock.increment * 1000;
  return { left, running: seat === 1 ? 2 : 1, at: now };
};

/** Whose time is over. @param {Game} game @param {number} now @returns {1|2|null} */
export const flagged = ({ clocks, result }, now) => {
  const running = /** @type {1|2|null} */ (result ? null : (clocks?.running ?? null));
  return running && clocks.left[running - 1] <= now - clocks.at ? running : null;
};

const refuse = (/** @type {string} */ words) => Object.assign(new Error(words), { status: 409 });

/**
 * The referee of a game.
 * @param {{id: string, storage: Storage, means: Means, onEvent: (event: any) => void}} hooks
 */
export const createReferee = ({ id, storage, means, onEvent }) => {
  /** @type {AbortController|null} */
  let thinking = null;
  let drives = false;

  const game = () => /** @type {Game} */ (deviceGame(storage, id));
  const place = (/** @type {Game} */ now, turns = now.turns) => ({
    game: now.game,
    options: now.options,
    position: now.start,
    turns,
  });

  /** Keeps what has happened, then tells it. @param {any} fact */
  const happen = (fact) => {
    const now = game();
    const event = { ...fact, seq: now.seq + 1, at: means.now() };
    keep(storage, after(now, event));
    onEvent(event);
  };

  /** How a game that is over has ended: by the rules, or because a position came again. */
  const end = async (/** @type {import('./api.js').View} */ shown) => {
    const alone = await means.view({
      game: shown.game,
      options: shown.options,
      position: shown.text,
    });
    happen({ kind: 'result', winner: shown.winner, reason: alone.over ? 'rules' : 'repetition' });
  };

  const move = async (/** @type {string} */ turn, /** @type {number|undefined} */ boardSeq) => {
    const before = game();
    if (before.result) throw refuse('the game is over');
    const shown = await means.view(place(before, [...before.turns, turn]));
    if (shown.in_turn) throw refuse(`${turn} is only a part of a turn`);
    const now = game();
    if (now.result) throw refuse('the game is over');
    if (
      now.board_seq !== before.board_seq ||
      (boardSeq !== undefined && boardSeq !== now.board_seq)
    )
      throw refuse('the board has changed meanwhile');
    const seat = now.turn;
    happen({
      kind: 'move',
      seat,
      turn: shown.turns.at(-1),
      clocks: clocksAfter(now, seat, means.now()),
    });
    if (shown.over) await end(shown);
    drive();
  };

  /** Takes back to where somebody here was to move. */
  const undo = () => {
    thinking?.abort();
    thinking = null;
    const now = game();
    const here = seatsHere(now);
    const mover = (/** @type {number} */ count) =>
      ((now.turn - 1 + now.turns.length - count) % 2) + 1;
    let turns = now.turns.length - 1;
    while (turns > 0 && here.length === 1 && mover(turns) !== here[0]) turns -= 1;
    if (turns < 0 || (here.length === 1 && mover(turns) !== here[0]))
      throw refuse('there is nothing to take back');
    const clocks = now.clocks && {
      ...now.clocks,
      running: turns > 0 ? mover(turns) : null,
      at: means.now(),
    };
    happen({ kind: 'undone', turns, clocks });
    drive();
  };

  /** Lets the computer play while it is its turn. */
  const drive = async () => {
    const now = game();
    if (!drives || thinking || now.result || !isComputer(now, now.turn)) return;
    const mine = new AbortController();
    thinking = mine;
    try {
      const left = now.clocks?.left[now.turn - 1] ?? Infinity;
      const { kind, level, player } = now.seats[now.turn - 1];
      const who = kind === 'level' ? { kind, level } : { kind, player };
      const effort = Number.isFinite(left)
        ? { time_ms: Math.max(50, Math.min(TURN_MS, Math.floor(left / 30))) }
        : {};
      const seed = crypto.getRandomValues(new Uint32Array(1))[0];
      const [{ turn }] = await Promise.all([
        means.turn({ ...place(now), player: who, seed, ...effort }, mine.signal),
        means.sleep(BREATH),
      ]);
      if (thinking !== mine) return;
      thinking = null;
      if (turn) await move(turn, now.board_seq);
    } catch {
      if (thinking === mine) thinking = null;
      // Another page was quicker, or it was stopped; whatever the board is now, it is somebody's turn.
      if (!mine.signal.aborted) setTimeout(drive, BREATH);
    }
  };

  return {
    game,
    /** Does what is asked, or says why not. @param {string} what @param {any} fields */
    give: async (what, fields) => {
      const now = game();
      switch (what) {
        case 'move':
          return move(fields.turn, fields.board_seq);
        case 'undo':
          return undo();
        case 'resign': {
          if (now.result) throw refuse('the game is over');
          thinking?.abort();
          thinking = null;
          const seat = fields.seat ?? seatsHere(now)[0];
          return happen({ kind: 'result', seat, winner: seat === 1 ? 2 : 1, reason: 'resigned' });
        }
        case 'rematch': {
          const start = await means.view(place(now, []));
          return happen({
            kind: 'rematch',
            seat: seatsHere(now)[0],
            id: again(storage, now, start.turn),
          });
        }
        default:
          throw refuse(`a game on this device has no ${what}`);
      }
    },
    /** From now on this page plays for the computers. */
    lead: () => {
      drives = true;
      drive();
    },
    /** Another page has played. */
    changed: () => {
      thinking?.abort();
      thinking = null;
      drive();
    },
    /** Ends a game whose time is over. */
    tick: () => {
      const now = game();
      const loser = now && flagged(now, means.now());
      if (!loser) return;
      thinking?.abort();
      thinking = null;
      happen({ kind: 'result', winner: loser === 1 ? 2 : 1, reason: 'time' });
    },
    /** A page that opens finds its clock as the last turn left it. */
    resume: () => {
      const now = game();
      if (now?.clocks?.running && !now.result)
        keep(storage, { ...now, clocks: { ...now.clocks, at: means.now() } });
    },
    stop: () => {
      thinking?.abort();
      thinking = null;
    },
  };
};
