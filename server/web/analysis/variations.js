/** A tree of variations as clickable text. */
import { button } from '../common/controls.js';
import { el, fill, reveal } from '../common/dom.js';
import { MARKS } from '../play/turns.js';
import { children } from './tree.js';

/**
 * @typedef {import('./tree.js').Tree} Tree
 * @typedef {{node: number, ply: number, numbered: boolean, variations: Item[][]}} Item a turn, whether its number
 *   is written, and its variations
 */

/**
 * The line after a node, with its variations. Pure.
 * @param {Tree} tree @param {number|null} from @param {number} ply @returns {Item[]}
 */
export const lineAfter = (tree, from, ply) => {
  /** @type {Item[]} */
  const line = [];
  let numbered = true;
  let [next, ...others] = children(tree, from);
  while (next !== undefined) {
    const variations = others.map((node) => [
      { node, ply: ply + line.length, numbered: true, variations: [] },
      ...lineAfter(tree, node, ply + line.length + 1),
    ]);
    line.push({ node: next, ply: ply + line.length, numbered, variations });
    // After anything between two turns, the number is repeated.
    numbered = others.length > 0 || Boolean(tree.nodes[next].comment);
    [next, ...others] = children(tree, next);
  }
  return line;
};

/**
 * The number of a turn as written: "3." for the first player, "3…" for the second.
 * @param {number} at turns before it, counted from the first player's
 */
export const numberOf = (at) => `${Math.floor(at / 2) + 1}${at % 2 === 0 ? '.' : '…'}`;

/**
 * What a box shows, so that stepping through a long game does not rebuild all its turns.
 * @type {WeakMap<HTMLElement, {tree: Tree, marks: string}>}
 */
const painted = new WeakMap();

/**
 * @param {HTMLElement} box @param {Tree} tree
 * @param {{node: number|null, first: 1|2, marks: Map<number, string|null>, onPick: (node: number) => void}} how
 *   the current turn, who moves first, and the sizes of mistakes
 */
export const paintTree = (box, tree, { node: here, first, marks, onPick }) => {
  const now = { tree, marks: JSON.stringify([...marks]) };
  const before = painted.get(box);
  if (before?.tree !== tree || before.marks !== now.marks)
    paintTurns(box, tree, { first, marks, onPick });
  painted.set(box, now);
  box.querySelector('[aria-current]')?.removeAttribute('aria-current');
  /** @type {HTMLElement|null} */
  const current = here === null ? null : box.querySelector(`[data-node="${here}"]`);
  current?.setAttribute('aria-current', 'step');
  requestAnimationFrame(() => {
    if (current) reveal(box, current);
    else box.scrollTop = 0;
  });
};

/**
 * @param {HTMLElement} box @param {Tree} tree
 * @param {{first: 1|2, marks: Map<number, string|null>, onPick: (node: number) => void}} how
 */
const paintTurns = (box, tree, { first, marks, onPick }) => {
  const turn = (/** @type {Item} */ { node, ply, numbered }) => {
    const at = ply + first - 1;
    const { turn: text, glyph, comment } = tree.nodes[node];
    const mark = marks.get(node);
    const number = (at % 2 === 0 || numbered) && el('span.number', numberOf(at));
    const pick = button('', text + (glyph ?? ''), () => onPick(node), {
      'data-node': node,
    });
    const sign = mark && el(`span.mark.mark-${mark}`, { title: mark }, MARKS[mark] ?? '');
    // A number or mark must not be separated from its turn by a line break.
    return [el('span.one', number, pick, sign), comment && el('span.comment', ` ${comment} `)];
  };
  /** @returns {any[]} */
  const nodes = (/** @type {Item[]} */ line) =>
    line.flatMap((item) => [
      ...turn(item),
      ...item.variations.map((one) => el('span.variation', ...nodes(one))),
    ]);
  const parts = nodes(lineAfter(tree, null, 0));
  fill(
    box,
    tree.comment && el('span.comment', tree.comment),
    ...(parts.length > 0 ? parts : [el('small', 'Play a turn on the board, or type it.')]),
  );
};
