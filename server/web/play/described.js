/** The board in words, for those who cannot see it: by rows and by pieces. */
import { layout } from '../board/grid.js';
import { closeRow, openDialog } from '../common/dialogs.js';
import { el } from '../common/dom.js';
import { capital } from '../common/text.js';

/** @typedef {import('../program/views.js').View} View */

/** What stands in each row, from the top; nothing of empty cells. Pure. @param {View} view @returns {string[]} */
export const byRows = (view) =>
  layout(view).rows.map((row) => {
    const taken = row.map((cell) => view.cells[cell].says).filter((words) => !/empty$/.test(words));
    return taken.join('; ') || 'empty';
  });

/** Where the pieces of each kind stand. Pure. @param {View} view @returns {string[]} */
export const byPieces = ({ cells }) => {
  /** @type {Map<string, string[]>} */
  const kinds = new Map();
  for (const { name, says } of cells) {
    const kind = says.slice(name.length + 2).replace(/^goal, /, '');
    if (kind !== 'empty' && kind !== 'goal') kinds.set(kind, [...(kinds.get(kind) ?? []), name]);
  }
  return [...kinds].map(([kind, names]) => `${capital(kind)}: ${names.join(', ')}`);
};

/** Opens the description of a board. @param {View} view */
export const describe = (view) => {
  if (document.getElementById('described')) return;
  openDialog(
    { id: 'described', title: 'The board in words' },
    el('p', `${capital(view.status)}.${view.said ? ` Last turn: ${view.said}.` : ''}`),
    el('h3', 'By pieces'),
    el('ul', ...byPieces(view).map((one) => el('li', one))),
    el('h3', 'By rows, from the top'),
    el('ol', ...byRows(view).map((one) => el('li', one))),
    closeRow(),
  );
};
