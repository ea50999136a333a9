/** The board in words, for people who cannot see it: by threats, by pieces and by rows. */
import { layout } from '../board/grid.js';
import { closeRow, openDialog } from '../common/dialogs.js';
import { el, setText } from '../common/dom.js';
import { capital, reasonOf } from '../common/text.js';
import { ask, thought } from '../program/ask.js';

/** @typedef {import('../program/views.js').View} View */

/** The pieces in each row from the top, omitting empty cells. Pure. @param {View} view @returns {string[]} */
export const byRows = (view) =>
  layout(view).rows.map((row) => {
    const taken = row.map((cell) => view.cells[cell].says).filter((words) => !/empty$/.test(words));
    return taken.join('; ') || 'empty';
  });

/** The positions of each kind of piece. Pure. @param {View} view @returns {string[]} */
export const byPieces = ({ cells }) => {
  /** @type {Map<string, string[]>} */
  const kinds = new Map();
  for (const { name, says } of cells) {
    const kind = says.slice(name.length + 2).replace(/^goal, /, '');
    if (kind !== 'empty' && kind !== 'goal') kinds.set(kind, [...(kinds.get(kind) ?? []), name]);
  }
  if (kinds.size === 0) return ['No pieces'];
  return [...kinds].map(([kind, names]) => `${capital(kind)}: ${names.join(', ')}`);
};

/**
 * What either side could do at once, in words. Pure.
 * @param {{name: string, wins: string|null}} mover @param {{name: string, wins: string|null}} other what each wins by,
 *   the other one if it were to move
 */
export const byThreats = (mover, other) => [
  mover.wins ? `${mover.name} can win at once, by ${mover.wins}.` : '',
  other.wins ? `${other.name} threatens to win, by ${other.wins}.` : '',
  mover.wins || other.wins ? '' : 'Nobody can win with the next turn.',
];

/**
 * The turn with which the player to move wins at once, if there is one.
 * @param {object} place @returns {Promise<string|null>}
 */
const winAt = async (place) => {
  const { engine } = await thought('hint', place);
  return engine?.win_in === 1 ? engine.turn : null;
};

/** @param {View} view */
const threatsOf = async ({ game, position, turn, players }) => {
  const edit = { turn: turn === 1 ? 2 : 1 };
  const turned = await ask('edit', { game, position, edit });
  const [own, others] = await Promise.all([
    winAt({ game, position }),
    winAt({ game, position: turned.position }),
  ]);
  const name = (/** @type {1|2} */ player) => players[player - 1].name;
  return byThreats(
    { name: name(turn), wins: own },
    { name: name(/** @type {1|2} */ (edit.turn)), wins: others },
  );
};

/**
 * Opens the description of a board.
 * @param {View} view @param {boolean} helped whether threats may be told, which only the engine knows
 */
export const describe = (view, helped) => {
  if (document.getElementById('described')) return;
  const threats = el('p#threats', { role: 'status' }, 'Looking…');
  const told = helped && !view.over && !view.in_turn;
  openDialog(
    { id: 'described', title: 'The board in words' },
    el('p', `${capital(view.status)}.${view.said ? ` Last turn: ${view.said}.` : ''}`),
    told && el('h3', 'By threats'),
    told && threats,
    el('h3', 'By pieces'),
    el('ul', ...byPieces(view).map((one) => el('li', one))),
    el('h3', 'By rows, from the top'),
    el('ol', ...byRows(view).map((one) => el('li', one))),
    closeRow(),
  );
  if (told)
    threatsOf(view).then(
      (lines) => setText(threats, lines.filter(Boolean).join(' ')),
      (error) => setText(threats, reasonOf(error)),
    );
};
