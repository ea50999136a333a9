/** Clocks: the server or the device keeps them; the page only counts down between two messages. */
import { clockText } from '../common/text.js';

/**
 * @param {{left: [number, number], running: 1|2|null, at: number}|null} clocks
 * @param {1|2} player @param {number} skew how far the server's time is ahead of ours
 */
export const leftNow = (clocks, player, skew) => {
  if (!clocks) return null;
  const gone = clocks.running === player ? Math.max(0, Date.now() + skew - clocks.at) : 0;
  return Math.max(0, clocks.left[player - 1] - gone);
};

/**
 * Writes the time left into an element, and marks it when it runs low.
 * @param {HTMLElement} node @param {number|null} left @param {boolean} running
 */
export const paintClock = (node, left, running) => {
  node.hidden = left === null;
  if (left === null) return;
  const text = clockText(left);
  if (node.textContent !== text) node.textContent = text;
  node.classList.toggle('running', running);
  node.classList.toggle('urgent', running && left < 20_000);
};
