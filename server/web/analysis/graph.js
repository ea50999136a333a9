/** The evaluation of a game over its turns, as a curve. */
import { svg } from '../common/dom.js';
import { share } from '../common/text.js';

const HEIGHT = 100;
/** The worse the mistake, the longer its mark. */
const TICKS = /** @type {Record<string, number>} */ ({ inaccuracy: 6, mistake: 12, blunder: 20 });

/**
 * @param {{ply: number, bar: number, mistake: string|null}[]} entries from player 1's view
 * @param {number} of how many turns there are @param {number} here the current ply @param {(ply: number) =>
 *   void} onPick
 */
export const graph = (entries, of, here, onPick) => {
  const width = Math.max(of, 1);
  const y = (/** @type {any} */ entry) => (1 - share(entry, 1)) * (HEIGHT - 8) + 4;
  const points = entries.map((entry) => `${entry.ply} ${y(entry).toFixed(1)}`);
  const root = svg('svg', {
    class: 'graph',
    viewBox: `0 0 ${width} ${HEIGHT}`,
    preserveAspectRatio: 'none',
    role: 'img',
    'aria-label': `Evaluation over ${of} turns`,
  });
  const mid = HEIGHT / 2;
  if (points.length > 0) {
    root.append(
      svg('path', {
        class: 'area',
        d: `M${entries[0].ply} ${mid}L${points.join('L')}L${entries[entries.length - 1].ply} ${mid}Z`,
      }),
    );
    root.append(svg('path', { class: 'curve', d: `M${points.join('L')}` }));
  }
  for (const { ply, mistake } of entries)
    if (mistake)
      root.append(
        svg('path', { class: `tick ${mistake}`, d: `M${ply} ${HEIGHT}v${-TICKS[mistake]}` }),
      );
  root.append(
    svg('path', { class: 'zero', d: `M0 ${mid}H${width}` }),
    svg('path', { class: 'here', d: `M${here} 0V${HEIGHT}` }),
  );
  root.addEventListener('click', (event) => {
    const box = root.getBoundingClientRect();
    onPick(Math.round(((event.clientX - box.left) / box.width) * width));
  });
  return root;
};
