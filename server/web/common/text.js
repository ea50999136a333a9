/** Formatting texts and numbers. */

/** "1 move", "3 moves". */
export const plural = (/** @type {number} */ n, /** @type {string} */ one, many = `${one}s`) =>
  `${n} ${n === 1 ? one : many}`;

/** Fills in values for their names in braces. @param {string} text @param {Record<string, any>} values */
export const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

export const capital = (/** @type {string} */ text) => text.charAt(0).toUpperCase() + text.slice(1);

/** An error message as a sentence, with foreign text in quotation marks. @param {any} error */
export const reasonOf = (error) =>
  capital(String(error?.message ?? error)).replace(/`([^`]*)`/g, '“$1”');

/** A readable option name: `min_parts` is "min parts". */
export const spaced = (/** @type {string} */ name) => name.replace(/[_-]/g, ' ');

/** Time left: "4:31", "9.4" below ten seconds, "2 d 3 h" above a day. */
export const clockText = (/** @type {number} */ ms) => {
  const left = Math.max(0, ms);
  if (left >= 86_400_000) {
    const days = Math.floor(left / 86_400_000);
    return `${days} d ${Math.floor((left % 86_400_000) / 3_600_000)} h`;
  }
  if (left < 10_000) return (Math.ceil(left / 100) / 10).toFixed(1);
  const seconds = Math.ceil(left / 1000);
  const pad = (/** @type {number} */ n) => String(n).padStart(2, '0');
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? `${h}:${pad(m)}:${pad(s)}` : `${m}:${pad(s)}`;
};

/** The name of a clock: "5 min + 3 s". */
export const clockName = (/** @type {any} */ clock) => {
  if (!clock || clock.kind === 'none') return 'no clock';
  if (clock.kind === 'days') return `${plural(clock.days, 'day')} a turn`;
  const minutes =
    clock.seconds >= 60 ? `${+(clock.seconds / 60).toFixed(1)} min` : `${clock.seconds} s`;
  return clock.increment ? `${minutes} + ${clock.increment} s` : minutes;
};

/**
 * A score from player 1's point of view: "+0.34", "−1.20", "wins in 3".
 * @param {{score: number, win_in: number|null}} line @param {1|2} turn who is to move
 */
export const scoreText = ({ score, win_in: winIn }, turn) => {
  if (winIn !== null && winIn !== undefined)
    return `${winIn > 0 === (turn === 1) ? '+' : '−'}#${Math.abs(winIn)}`;
  const own = turn === 1 ? score : -score;
  return `${own < 0 ? '−' : '+'}${(Math.abs(own) / 100).toFixed(2)}`;
};

/**
 * A score as it is read out.
 * @param {{score: number, win_in: number|null, proof?: string}} line @param {1|2} turn @param {[string, string]} names
 */
export const scoreWords = ({ score, win_in: winIn, proof }, turn, names) => {
  const own = turn === 1 ? score : -score;
  if (winIn !== null && winIn !== undefined) {
    const first = winIn > 0 === (turn === 1);
    return `${names[first ? 0 : 1]} wins in ${plural(Math.abs(winIn), 'turn')}`;
  }
  if (proof) return 'nobody can force a win';
  if (Math.abs(own) < 25) return 'about even';
  const much = Math.abs(own) < 100 ? 'slightly better' : Math.abs(own) < 300 ? 'better' : 'winning';
  return `${names[own > 0 ? 0 : 1]} is ${much}`;
};

/** Player 1's share of an evaluation bar, 0 to 1. @param {{bar: number}} line @param {1|2} turn whose share `bar` is */
export const share = ({ bar }, turn) => (turn === 1 ? bar : 1000 - bar) / 1000;

/** How long ago something happened. */
export const ago = (/** @type {number} */ at) => {
  const minutes = Math.round((Date.now() - at) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)} h ago`;
  return `${Math.round(minutes / 1440)} days ago`;
};
