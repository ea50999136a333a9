/**
 * The geometry of a board: rows, distances, neighbours, outlines. All functions are pure.
 *
 * @typedef {import('../program/views.js').View} View
 */

/** The cells in rows as displayed, and the distance between neighbours. @param {View} view */
export const layout = (view) => {
  const order = view.cells
    .map((_, i) => i)
    .sort((a, b) => {
      const [p, q] = [view.cells[a].at, view.cells[b].at];
      return Math.abs(p[1] - q[1]) > 1 ? p[1] - q[1] : p[0] - q[0];
    });
  /** @type {number[][]} */
  const rows = [];
  for (const cell of order) {
    const row = rows.at(-1);
    if (row && Math.abs(view.cells[row[0]].at[1] - view.cells[cell].at[1]) < 1) row.push(cell);
    else rows.push([cell]);
  }
  const at = (/** @type {number} */ cell) => view.cells[cell].at;
  const width = rows.reduce(
    (best, row) => (row.length > 1 ? Math.min(best, at(row[1])[0] - at(row[0])[0]) : best),
    Infinity,
  );
  const height = rows.length > 1 ? at(rows[1][0])[1] - at(rows[0][0])[1] : width;
  return { rows, width, height };
};

/**
 * The next cell in a direction. Up and down lead to the next row; where rows are offset there are two candidates, of
 * which down takes the right one and up the left one, so that one undoes the other.
 * @param {View} view @param {number} from @param {[number, number]} way
 */
export const neighbour = (view, from, [dx, dy]) => {
  const { rows } = layout(view);
  const at = rows.findIndex((row) => row.includes(from));
  if (dx !== 0) return rows[at][rows[at].indexOf(from) + dx] ?? from;
  const x = view.cells[from].at[0];
  const far = (/** @type {number} */ cell) =>
    Math.abs(view.cells[cell].at[0] - x) - 0.01 * dy * (view.cells[cell].at[0] - x);
  const next = rows[at + dy] ?? [];
  return next.reduce((best, cell) => (best === from || far(cell) < far(best) ? cell : best), from);
};

/**
 * The outline of a cell, slightly inset: a square, or a hexagon if rows are closer together than columns.
 * @param {[number, number]} at @param {{width: number, height: number}} pitch @param {number} inset
 */
export const outline = ([x, y], { width, height }, inset) => {
  const half = width / 2 - inset;
  if (height > width * 0.95)
    return `M${x - half} ${y - half}h${2 * half}v${2 * half}h${-2 * half}z`;
  const tall = half / Math.sqrt(3);
  return `M${x} ${y - 2 * tall}l${half} ${tall}v${2 * tall}l${-half} ${tall}l${-half} ${-tall}v${-2 * tall}z`;
};

/** The drawn pieces on a cell. @param {ParentNode} picture @param {number} cell */
export const piecesAt = (picture, cell) => [
  ...picture.querySelectorAll(`[data-piece="${cell}"], [data-figure="${cell}"]`),
];
