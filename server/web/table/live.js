/**
 * A game's state as a fold over its events. Pure. It must agree with `Course::apply` in the crate `table`; ROOMS.md
 * says why both exist.
 *
 * @typedef {{kind: 'person'|'open'|'level'|'seed', name?: string|null, level?: number, player?: string,
 *   joined?: boolean}} SeatInfo
 * @typedef {{id: string, seq: number, at?: number, board_seq: number, game: string, options: object, start: string,
 *   seats: [SeatInfo, SeatInfo], shared: boolean, clock: any, turns: string[], began?: number, turn: 1|2,
 *   result: null|{winner: 1|2|'draw'|null, reason: string}, ending?: string|null,
 *   offer: null|{kind: 'draw'|'undo', seat: 1|2}, rematch: any, clocks: any, you?: (1|2)[],
 *   club?: {rated: boolean}}} Game
 *   `ending` is the result in words, `began` the number of turns it was created with; public games have a `club`
 */

/** @param {{start: string}} game @returns {1|2} who moves first from the start */
export const firstPlayer = ({ start }) => (/ 2[^ ]*$/.test(start) ? 2 : 1);

/** @param {Game} game @param {1|2} player @param {Partial<SeatInfo>} change */
const withSeat = ({ seats }, player, change) => ({
  seats: /** @type {[SeatInfo, SeatInfo]} */ (
    seats.map((seat, i) => (i + 1 === player ? { ...seat, ...change } : seat))
  ),
});

/** @param {Game} game @param {string[]} turns */
const withTurns = (game, turns) => ({
  turns,
  turn: /** @type {1|2} */ (((firstPlayer(game) - 1 + turns.length) % 2) + 1),
});

/** The changes caused by each kind of event. @type {Record<string, (game: Game, event: any) => Partial<Game>>} */
const CHANGES = {
  joined: (game, { seat, name = null }) => withSeat(game, seat, { name, joined: true }),
  move: (game, { seq, seat, turn }) => ({
    board_seq: seq,
    ...withTurns(game, [...game.turns, turn]),
    ...withSeat(game, seat, { joined: true }),
    // An offer survives its maker's own move; the opponent's move declines it.
    offer: game.offer?.seat === seat ? game.offer : null,
  }),
  offer: (_, { offer: kind, seat }) => ({ offer: { kind, seat } }),
  declined: () => ({ offer: null }),
  undone: (game, { seq, turns }) => ({
    board_seq: seq,
    ...withTurns(game, game.turns.slice(0, turns)),
    offer: null,
  }),
  result: (_, { winner, reason, words }) => ({
    result: { winner, reason },
    ending: words?.replace(/\.$/, ''),
    offer: null,
  }),
  rematch: (_, { id, seat }) => ({ rematch: id ? { id } : { seat } }),
};

/** The game after an event. @param {Game} game @param {any} event @returns {Game} */
export const after = (game, event) => ({
  ...game,
  seq: event.seq,
  at: event.at,
  clocks: event.clocks ?? game.clocks,
  ...CHANGES[event.kind]?.(game, event),
});

/** The name shown for a seat. @param {Game} game @param {1|2} player @param {string} colour its name in the rules */
export const seatName = (game, player, colour) => {
  const { kind, name, joined, level } = game.seats[player - 1];
  if (kind === 'open' && !joined) return 'Waiting for a friend';
  return name || (level ? `Level ${level}` : colour);
};

/**
 * Whether a local game can be moved to a server without loss: its clocks would restart there, and a server can end
 * games only by their turns, by resignation, and by agreement with both players at one screen.
 * @param {Game} game
 */
export const canBeGiven = ({ clocks, result, shared }) =>
  result
    ? ['rules', 'repetition', 'resigned', ...(shared ? ['agreed'] : [])].includes(result.reason)
    : !clocks;

/** Whether a seat is played by a program. @param {Game} game @param {1|2} player */
export const isComputer = (game, player) => ['level', 'seed'].includes(game.seats[player - 1].kind);

/**
 * How a game ended, in a few words; nothing while it is running.
 * @param {Game} game @param {[string, string]} names
 */
export const endedWords = ({ result }, names) => {
  if (!result) return '';
  if (result.winner === null) return 'Called off';
  return result.winner === 'draw' ? 'Draw' : `${names[result.winner - 1]} won`;
};
