/** A game as its events tell it. Pure: events in, states out. */

/**
 * @typedef {{kind: 'person'|'open'|'level'|'seed', name?: string, level?: number, player?: string, joined?: boolean}} SeatInfo
 * @typedef {{id: string, seq: number, game: string, options: object, start: string, seats: [SeatInfo, SeatInfo], shared: boolean,
 *   clock: any, turns: string[], turn: 1|2, result: null|{winner: 1|2|'draw', reason: string},
 *   offer: null|{kind: 'draw'|'undo', seat: 1|2}, rematch: any, clocks: any, you?: (1|2)[]}} Game
 */

/** @param {Game} game @returns {1|2} who moves first from the start */
export const firstPlayer = (game) => (/ 2[^ ]*$/.test(game.start) ? 2 : 1);

const moverAt = (/** @type {Game} */ game, /** @type {number} */ ply) => /** @type {1|2} */ ((firstPlayer(game) - 1 + ply) % 2 + 1);

/** The game after an event. @param {Game} game @param {any} event @returns {Game} */
export const after = (game, event) => {
  const next = { ...game, seq: event.seq, clocks: event.clocks ?? game.clocks };
  switch (event.kind) {
    case 'joined': {
      const seats = /** @type {[SeatInfo, SeatInfo]} */ ([...game.seats]);
      seats[event.seat - 1] = { ...seats[event.seat - 1], name: event.name ?? seats[event.seat - 1].name, joined: true };
      return { ...next, seats };
    }
    case 'move': {
      const turns = [...game.turns, event.turn];
      const offer = game.offer?.kind === 'undo' || (game.offer && game.offer.seat !== event.seat) ? null : game.offer;
      return { ...next, turns, turn: moverAt(game, turns.length), offer };
    }
    case 'offer': return { ...next, offer: { kind: event.offer, seat: event.seat } };
    case 'declined': return { ...next, offer: null };
    case 'undone': return { ...next, turns: game.turns.slice(0, event.turns), turn: moverAt(game, event.turns), offer: null };
    case 'result': return { ...next, result: { winner: event.winner, reason: event.reason }, offer: null };
    case 'rematch': return { ...next, rematch: event.id ? { id: event.id } : { seat: event.seat } };
    default: return next;
  }
};

/** What a seat is called. @param {Game} game @param {1|2} player @param {string} colour what the rules call it */
export const seatName = (game, player, colour) => {
  const seat = game.seats[player - 1];
  if (seat.kind === 'open' && !seat.joined) return 'Waiting for a friend';
  return seat.name || (seat.kind === 'level' ? `Level ${seat.level}` : seat.kind === 'seed' ? String(seat.player) : colour);
};

/** Whether a program plays this seat. @param {Game} game @param {1|2} player */
export const isComputer = (game, player) => ['level', 'seed'].includes(game.seats[player - 1].kind);
