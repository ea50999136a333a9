/** Single pieces, drawn as on the board: for seats, and for the editor's brushes. */
import { drawing, svg } from '../common/dom.js';
import { ask } from '../program/ask.js';
import { view as askView } from '../program/views.js';
import { piecesAt } from './grid.js';

/** Half the side of the drawing in board units: cells are a little wider than twice that. */
const HALF = 22;

/**
 * The piece that each of the editor's brushes paints, obtained by painting it on an empty cell and cutting it out.
 * Brushes that erase have none.
 * @param {import('../program/views.js').GameInfo} info @returns {Promise<Map<string, Element>>}
 */
export const piecesOf = async (info) => {
  const change = (/** @type {any} */ position, /** @type {any} */ edit) =>
    ask('edit', { game: info.id, position, edit });
  const { position } = await askView({ game: info.id });
  const bare = await change(position, { clear: true });
  const picture = drawing(bare.svg);
  const cell = bare.cells.findIndex(
    (/** @type {any} */ _, /** @type {number} */ i) => piecesAt(picture, i).length === 0,
  );
  const [x, y] = bare.cells[cell].at;
  const viewBox = `${x - HALF} ${y - HALF} ${2 * HALF} ${2 * HALF}`;
  const found = info.brushes.map(async ({ id }) => {
    const { svg: markup } = await change(bare.position, { cell, brush: id });
    const parts = piecesAt(drawing(markup), cell);
    const like = { viewBox, fill: 'none', 'text-anchor': 'middle' };
    return /** @type {[string, Element|null]} */ ([
      id,
      parts.length > 0 ? svg('svg', like, ...parts) : null,
    ]);
  });
  const all = await Promise.all(found);
  return new Map(/** @type {[string, Element][]} */ (all.filter(([, one]) => one !== null)));
};
