/** A game as its events tell it. Pure: events in, states out. */

/**
 * @typedef {{kind: 'person'|'open'|'level'|'seed', name?: string|null, level?: number, player?: string, joined?: boolean}} SeatInfo
 * @typedef {{id: string, seq: number, at?: number, board_seq: number, game: string, options: object, start: string, seats: [SeatInfo, SeatInfo], shared: boolean,
 *   clock: any, turns: string[], turn: 1|2, result: null|{winner: 1|2|'draw', reason: string},
 *   offer: null|{kind: 'draw'|'undo', seat: 1|2}, rematch: any, clocks: any, you?: (1|2)[]}} Game
 */

/** @param {Game} game @returns {1|2} who moves first from the start */
export const firstPlayer = (game) => (/ 2[^ ]*$/.test(game.start) ? 2 : 1);

const moverAt = (/** @type {Game} */ game, /** @type {number} */ ply) =>
  /** @type {1|2} */ (((firstPlayer(game) - 1 + ply) % 2) + 1);

/** @param {Game} game @param {1|2|undefined} player @param {Partial<SeatInfo>} change @returns {[SeatInfo, SeatInfo]} */
const withSeat = (game, player, change) =>
  /** @type {[SeatInfo, SeatInfo]} */ (
    game.seats.map((seat, i) => (i + 1 === player ? { ...seat, ...change } : seat))
  );

/**
 * The game after an event, as the server would tell it. An offer outlives a move of its maker; it ends with a move of
 * the other, an answer, a turn taken back, or the result.
 * @param {Game} game @param {any} event @returns {Game}
 */
export const after = (game, event) => {
  const next = { ...game, seq: event.seq, at: event.at, clocks: event.clocks ?? game.clocks };
  switch (event.kind) {
    case 'joined':
      return {
        ...next,
        seats: withSeat(game, event.seat, { name: event.name ?? null, joined: true }),
      };
    case 'move': {
      const turns = [...game.turns, event.turn];
      const offer = game.offer?.seat === event.seat ? game.offer : null;
      const seats = withSeat(game, event.seat, { joined: true });
      return {
        ...next,
        board_seq: event.seq,
        seats,
        turns,
        turn: moverAt(game, turns.length),
        offer,
      };
    }
    case 'offer':
      return { ...next, offer: { kind: event.offer, seat: event.seat } };
    case 'declined':
      return { ...next, offer: null };
    case 'undone':
      return {
        ...next,
        board_seq: event.seq,
        turns: game.turns.slice(0, event.turns),
        turn: moverAt(game, event.turns),
        offer: null,
      };
    case 'result':
      return { ...next, result: { winner: event.winner, reason: event.reason }, offer: null };
    case 'rematch':
      return { ...next, rematch: event.id ? { id: event.id } : { seat: event.seat } };
    default:
      return next;
  }
};

/** What a seat is called. @param {Game} game @param {1|2} player @param {string} colour what the rules call it */
export const seatName = (game, player, colour) => {
  const seat = game.seats[player - 1];
  if (seat.kind === 'open' && !seat.joined) return 'Waiting for a friend';
  return (
    seat.name ||
    (seat.kind === 'level'
      ? `Level ${seat.level}`
      : seat.kind === 'seed'
        ? String(seat.player)
        : colour)
  );
};

/** Whether a program plays this seat. @param {Game} game @param {1|2} player */
export const isComputer = (game, player) => ['level', 'seed'].includes(game.seats[player - 1].kind);
