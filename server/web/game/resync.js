/**
 * Catching up with a game when the page is out of sync, and finding out what was missed.
 *
 * @typedef {import('../table/live.js').Game} Game
 */

/**
 * Fetches the game on request, one request at a time, and discards answers older than what has been received meanwhile.
 * @param {{look: () => Promise<Game>, seq: () => number, take: (game: Game) => void}} hooks
 */
export const createResync = ({ look, seq, take }) => {
  let running = false;
  let due = false;
  const once = async () => {
    const known = seq();
    const now = await look();
    if (seq() !== known && now.seq < seq()) due = true;
    else take(now);
  };
  return async () => {
    due = true;
    if (running) return;
    running = true;
    try {
      while (due) {
        due = false;
        await once();
      }
    } finally {
      running = false;
    }
  };
};

/**
 * What has happened in a game between two states. Pure.
 * @param {Game} before @param {Game} now
 */
export const missed = (before, now) => {
  const goesOn = before.turns.every((turn, i) => now.turns[i] === turn);
  return {
    played: goesOn ? now.turns.length - before.turns.length : 0,
    undone: !goesOn,
    ended: Boolean(now.result && !before.result),
    next: /** @type {string|undefined} */ (before.rematch?.id ? undefined : now.rematch?.id),
  };
};

/**
 * Who played the last turn. Pure.
 * @param {Game} game @param {1|2} first who began @returns {1|2}
 */
export const lastMover = ({ turns }, first) =>
  /** @type {1|2} */ (((first - 1 + turns.length - 1) % 2) + 1);
