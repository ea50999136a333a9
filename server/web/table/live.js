/**
 * A game as its events tell it. Pure: events in, states out. It means what `Course::apply` of the crate `table` means;
 * ROOMS.md says why it is written twice.
 *
 * @typedef {{kind: 'person'|'open'|'level'|'seed', name?: string|null, level?: number, player?: string,
 *   joined?: boolean}} SeatInfo
 * @typedef {{id: string, seq: number, at?: number, board_seq: number, game: string, options: object, start: string,
 *   seats: [SeatInfo, SeatInfo], shared: boolean, clock: any, turns: string[], began?: number, turn: 1|2,
 *   result: null|{winner: 1|2|'draw'|null, reason: string}, ending?: string|null,
 *   offer: null|{kind: 'draw'|'undo', seat: 1|2}, rematch: any, clocks: any, you?: (1|2)[]}} Game
 *   `ending` says in words how it ended, `began` with how many turns it began
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

/** What an event changes. @type {Record<string, (game: Game, event: any) => Partial<Game>>} */
const CHANGES = {
  joined: (game, { seat, name = null }) => withSeat(game, seat, { name, joined: true }),
  move: (game, { seq, seat, turn }) => ({
    board_seq: seq,
    ...withTurns(game, [...game.turns, turn]),
    ...withSeat(game, seat, { joined: true }),
    // An offer survives its maker's own move; the other's move declines it.
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

/** What a seat is called. @param {Game} game @param {1|2} player @param {string} colour what the rules call it */
export const seatName = (game, player, colour) => {
  const { kind, name, joined, level } = game.seats[player - 1];
  if (kind === 'open' && !joined) return 'Waiting for a friend';
  return name || (level ? `Level ${level}` : colour);
};

/**
 * Whether a server can be given all that a game of this browser is: its own clocks would begin anew, and it ends games
 * by the turns, by resignation, and by agreement at one screen.
 * @param {Game} game
 */
export const canBeGiven = ({ clocks, result, shared }) =>
  result
    ? ['rules', 'repetition', 'resigned', ...(shared ? ['agreed'] : [])].includes(result.reason)
    : !clocks;

/** Whether a program plays this seat. @param {Game} game @param {1|2} player */
export const isComputer = (game, player) => ['level', 'seed'].includes(game.seats[player - 1].kind);

/**
 * How a game ended, in a word or two; nothing while it goes on.
 * @param {Game} game @param {[string, string]} names
 */
export const endedWords = ({ result }, names) => {
  if (!result) return '';
  if (result.winner === null) return 'Called off';
  return result.winner === 'draw' ? 'Draw' : `${names[result.winner - 1]} won`;
};
