/**
 * A game with its variations: a list of turns, each with the index of the turn it follows. Among those that follow the
 * same one, the first is the main line. The WebAssembly program edits trees; this only reads them. All functions are
 * pure.
 *
 * @typedef {{turn: string, after: number|null, comment: string, glyph: string}} TreeNode
 * @typedef {{game: string, options: object, start: string, tags: [string, string][], comment: string,
 *   nodes: TreeNode[]}} Tree
 */

/** @param {string} game @param {string} start @param {object} [options] @returns {Tree} */
export const emptyTree = (game, start, options = {}) => ({
  game,
  options,
  start,
  tags: [],
  comment: '',
  nodes: [],
});

/** The turns after a node, or the first ones. @param {Tree} tree @param {number|null} node @returns {number[]} */
export const children = (tree, node) =>
  tree.nodes.flatMap(({ after }, i) => (after === node ? [i] : []));

/** The nodes from the first turn to this one. @param {Tree} tree @param {number|null} node @returns {number[]} */
export const pathOf = (tree, node) => {
  const path = [];
  for (let at = node; at !== null && tree.nodes[at]; at = tree.nodes[at].after) path.unshift(at);
  return path;
};

/** @param {Tree} tree @param {number|null} node */
export const turnsOf = (tree, node) => pathOf(tree, node).map((at) => tree.nodes[at].turn);

/**
 * The main continuation from a node.
 * @param {Tree} tree @param {number|null} node @returns {number[]}
 */
export const lineFrom = (tree, node) => {
  const line = [];
  for (let next = children(tree, node)[0]; next !== undefined; next = children(tree, next)[0])
    line.push(next);
  return line;
};

/** @param {Tree} tree */
export const mainLine = (tree) => lineFrom(tree, null);

/** @param {Tree} tree @param {number|null} node @param {string} comment @returns {Tree} */
export const withComment = (tree, node, comment) =>
  node === null
    ? { ...tree, comment }
    : { ...tree, nodes: tree.nodes.map((one, i) => (i === node ? { ...one, comment } : one)) };

/** @param {Tree} tree @param {number|null} node */
export const commentOf = (tree, node) =>
  node === null ? tree.comment : (tree.nodes[node]?.comment ?? '');

/** Whether a turn is on the main line. @param {Tree} tree @param {number|null} node */
export const isMain = (tree, node) => node === null || mainLine(tree).includes(node);

/** The previous or next sibling of a node. @param {Tree} tree @param {number|null} node @param {number} by */
export const sibling = (tree, node, by) => {
  if (node === null) return null;
  const all = children(tree, tree.nodes[node].after);
  return all[all.indexOf(node) + by] ?? node;
};
