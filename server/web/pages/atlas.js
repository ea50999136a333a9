/** The atlas of a game: tables of its boards with their values, each linked to the board. */
import { pageAt } from '../address.js';
import { el } from '../common/dom.js';
import { capital } from '../common/text.js';
import { ask } from '../program/ask.js';
import { signOf, valueWords } from './proving.js';

/**
 * @typedef {import('../program/views.js').GameInfo} GameInfo
 * @typedef {import('./proving.js').Value} Value
 * @typedef {{name: string, title: string, moves: string[], position: string, winner: Value['winner'],
 *   within: number|null, exact?: boolean, nodes?: number, cpu_s?: number, stored?: number, bytes?: number,
 *   check_cpu_s?: number}} Row
 */

/** The rows of a game's atlas. @param {string} game @returns {Promise<Row[]>} */
export const atlasOf = async (game) => {
  const { atlas } = await ask('atlas', { game });
  const rows = Object.entries(atlas ?? {}).map(([name, row]) => ({ name, ...row }));
  return inOrder(rows.filter(({ moves }) => moves.length === 0));
};

const numbers = (/** @type {Row} */ { title }) => (title.match(/\d+/g) ?? []).map(Number);

/** Sorts rows by the numbers in their titles. @param {Row[]} rows */
export const inOrder = (rows) =>
  [...rows].sort((a, b) => {
    const [one, two] = [numbers(a), numbers(b)];
    const at = one.findIndex((number, i) => number !== two[i]);
    return at < 0 ? a.title.length - b.title.length : one[at] - two[at];
  });

/** A row in the form of a result. @param {GameInfo} info @param {Row} row */
export const resultOf = (info, row) => {
  const { name, title, position, winner, within, exact } = row;
  const words = capital(valueWords({ winner, within }, info.players));
  const says = exact ? words.replace(' at most', '') : words;
  const { nodes, cpu_s, stored, bytes, check_cpu_s } = row;
  const size = (/** @type {number} */ count) =>
    count < 1000 ? `${count} bytes` : `${Math.round(count / 1000).toLocaleString('en')} KB`;
  return {
    ...{ title, position, winner, within, first: [], says: `${says}.` },
    command: `quadrille atlas -o atlas --only ${name} --turns 0`,
    effort: nodes ? `${nodes.toLocaleString('en')} positions, ${cpu_s} s of processor time` : null,
    certificate: stored
      ? {
          file: null,
          words: `${stored.toLocaleString('en')} positions, ${size(bytes ?? 0)}, checked in ${check_cpu_s} s`,
        }
      : null,
  };
};

/**
 * Groups rows into tables: one for each ending of the titles, with a row for their beginnings and a column for what
 * comes next.
 * @param {Row[]} rows
 */
export const inTables = (rows) => {
  const parts = rows.map((row) => {
    const [first, second, ...rest] = row.title.split(', ');
    return { row, first, second, rest: rest.join(', ') };
  });
  const only = (/** @type {string[]} */ words) => [...new Set(words)];
  return only(parts.map(({ rest }) => rest)).map((rest) => {
    const own = parts.filter((part) => part.rest === rest);
    const columns = only(own.map(({ second }) => second));
    const cells = (/** @type {string} */ name) =>
      columns.map((column) => own.find((p) => p.first === name && p.second === column)?.row);
    const names = only(own.map(({ first }) => first));
    return { caption: rest, columns, rows: names.map((name) => ({ name, cells: cells(name) })) };
  });
};

/** All tables of the atlas. @param {GameInfo} info @param {Row[]} rows @param {Row} current */
export const atlasCard = (info, rows, current) =>
  el(
    'section.card.boards',
    { 'aria-label': 'Atlas' },
    el('h2', 'All boards'),
    el('small', 'Who wins within how many turns; = if nobody can force a win, ? where it is open.'),
    inTables(rows).map((table) => tableOf(info, table, current)),
  );

/** The heads of columns, in which "3 markers", "4 markers" need the word only once. @param {string[]} columns */
export const headsOf = (columns) => {
  const parts = columns.map((column) => column.split(' '));
  const [[, word = ''] = []] = parts;
  const same = word !== '' && parts.every((part) => part.length === 2 && part[1] === word);
  return same
    ? { corner: capital(word), names: parts.map(([count]) => count) }
    : { corner: '', names: columns };
};

/** @param {GameInfo} info @param {ReturnType<typeof inTables>[number]} table @param {Row} current */
const tableOf = (info, { caption, columns, rows }, current) => {
  const { corner, names } = headsOf(columns);
  const head = names.map((name) => el('th', { scope: 'col' }, name));
  const body = rows.map(({ name, cells }) =>
    el(
      'tr',
      el('th', { scope: 'row' }, name),
      cells.map((row) => el('td', link(info, row, current))),
    ),
  );
  return el(
    'table.atlas',
    el('caption', capital(caption || 'usual rules')),
    el('thead', el('tr', el('th', corner), head)),
    el('tbody', body),
  );
};

/** @param {GameInfo} info @param {Row|undefined} row @param {Row} current */
const link = (info, row, current) => {
  if (!row) return '';
  const { name, title, winner, within } = row;
  const who = typeof winner === 'number' ? `${info.players[winner - 1]} ` : '';
  const attributes = {
    href: pageAt(`results/${info.id}/atlas`, `?board=${name}`),
    'aria-current': row === current ? 'page' : null,
  };
  return el(
    'a',
    attributes,
    el('span', { 'aria-hidden': 'true' }, `${who}${signOf({ turn: '', winner, within })}`),
    el('span.sr', `${title}: ${valueWords({ winner, within }, info.players)}`),
  );
};
