/**
 * Marks on a board: selection, legal targets, hints and threats, and where parts would land.
 *
 * @typedef {import('../program/views.js').View} View
 * @typedef {import('./board.js').Hint} Hint
 * @typedef {{width: number, height: number}} Pitch the distance between neighbours
 */
import { svg } from '../common/dom.js';
import { outline } from './grid.js';

/**
 * The marks: those below the pieces, so that they do not hide any, and those above.
 * @param {import('./board.js').Marks} marks @param {View} view @param {Pitch} pitch
 * @param {{occupied: (cell: number) => boolean, cursor: number|null}} how `cursor` is the cell with a
 *   visible focus
 * @returns {{below: Element[], above: Element[]}}
 */
export const drawMarks = (marks, view, pitch, { occupied, cursor }) => {
  /** @type {Element[]} */
  const below = [];
  /** @type {Element[]} */
  const above = [];
  const at = (/** @type {number} */ cell) => view.cells[cell].at;
  const ring = (
    /** @type {string} */ kind,
    /** @type {number} */ cell,
    /** @type {number} */ inset,
  ) => svg('path', { class: kind, d: outline(at(cell), pitch, inset) });
  const dot = (/** @type {string} */ kind, /** @type {number} */ cell, /** @type {number} */ r) =>
    svg('circle', { class: kind, cx: at(cell)[0], cy: at(cell)[1], r });
  if (marks.selected != null) below.push(ring('selected', marks.selected, 1.6));
  for (const cell of marks.targets ?? []) {
    if (cell === marks.selected) continue;
    if (occupied(cell)) below.push(ring('ring', cell, 1.8));
    else above.push(dot('dot', cell, 5.6));
  }
  for (const cell of marks.faint ?? []) above.push(dot('faint', cell, 2.6));
  if (cursor !== null && view.cells[cursor]) above.push(ring('cursor', cursor, 1.2));
  above.push(...beads(marks.ghosts ?? [], 'ghost', view, occupied, pitch));
  const hints = [
    ...(marks.past ?? []).map((one) => ({ one, kind: 'past' })),
    ...(marks.later ?? []).map((one) => ({ one, kind: 'later' })),
    ...(marks.hints ?? []).map((one) => ({ one, kind: marks.threat ? 'threat' : '' })),
  ];
  for (const { from, to } of marks.sketch ?? [])
    if (from === to) above.push(dot('sketch-ring', from, pitch.width * 0.42));
    else above.push(...arrow(at(from), at(to), 'sketch'));
  for (const { one, kind } of hints) {
    const drawn = hint(one, kind, view, occupied, pitch);
    below.push(...drawn.below);
    above.push(...drawn.above);
  }
  return { below, above };
};

/**
 * The drawing of a turn: a cross in the empty cell where something is placed; otherwise an arrow to the farthest
 * landing, with a bead for each part where it lands, to the side if the cell is occupied.
 * @param {Hint} what @param {string} how @param {View} view @param {(cell: number) => boolean} occupied
 * @param {Pitch} pitch
 * @returns {{below: Element[], above: Element[]}}
 */
const hint = (what, how, view, occupied, pitch) => {
  const kind = `hint ${how}`;
  if ('place' in what) {
    const [x, y] = view.cells[what.place].at;
    const spot = svg('path', { class: `${kind} spot`, d: outline([x, y], pitch, 3) });
    const plus = svg('path', { class: `${kind} plus`, d: `M${x - 7} ${y}h14M${x} ${y - 7}v14` });
    // An occupied cell is only outlined, since a cross would hide its piece.
    return { below: [], above: occupied(what.place) ? [spot] : [spot, plus] };
  }
  const start = view.cells[what.from].at;
  const far = (/** @type {{to: number}} */ { to }) =>
    Math.hypot(view.cells[to].at[0] - start[0], view.cells[to].at[1] - start[1]);
  const last = what.parts.reduce((best, part) => (far(part) > far(best) ? part : best));
  return {
    below: arrow(start, view.cells[last.to].at, how),
    above: what.parts.length > 1 ? beads(what.parts, how, view, occupied, pitch) : [],
  };
};

/**
 * Beads where parts land, to the side of occupied cells, so that no piece is hidden.
 * @param {{to: number, height: number}[]} parts @param {string} how @param {View} view
 * @param {(cell: number) => boolean} occupied @param {Pitch} pitch
 */
const beads = (parts, how, view, occupied, pitch) =>
  parts.flatMap(({ to, height }) => {
    const [x, y] = view.cells[to].at;
    const [bx, by] = occupied(to) ? [x + pitch.width * 0.3, y - pitch.height * 0.36] : [x, y];
    return [
      svg('circle', { class: `bead ${how}`, cx: bx, cy: by, r: 9 }),
      svg(
        'text',
        { class: 'bead-figure', x: bx, y: by, dy: '0.35em', 'text-anchor': 'middle' },
        String(height),
      ),
    ];
  });

/** The shaft and head of an arrow. */
const arrow = (
  /** @type {[number, number]} */ from,
  /** @type {[number, number]} */ to,
  /** @type {string} */ how,
) => {
  const kind = `hint ${how}`;
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const long = Math.hypot(dx, dy);
  const [ux, uy] = [dx / long, dy / long];
  const tip = [to[0] - ux * 9, to[1] - uy * 9];
  const neck = [tip[0] - ux * 11, tip[1] - uy * 11];
  const start = [from[0] + ux * 14, from[1] + uy * 14];
  const wing = (/** @type {1|-1} */ side) => [
    tip[0] - ux * 13 - side * uy * 8,
    tip[1] - uy * 13 + side * ux * 8,
  ];
  const d = `M${start}L${neck}M${wing(1)}L${tip}L${wing(-1)}Z`;
  return ['casing', ''].map((casing) => svg('path', { class: `${kind} ${casing}`, d }));
};
