/**
 * Updates one drawing to another. Most of a board stays the same from turn to turn, and whatever is replaced has to be
 * styled, laid out and painted again, so equal elements are kept.
 */

/**
 * Which old items are kept, in order: for each new item the equal old one, or null. Pure.
 * @template T @param {T[]} old @param {T[]} next @param {(one: T, other: T) => boolean} equal @returns {(T|null)[]}
 */
export const kept = (old, next, equal) => {
  let from = 0;
  return next.map((item) => {
    const at = old.findIndex((one, i) => i >= from && equal(one, item));
    if (at < 0) return null;
    from = at + 1;
    return old[at];
  });
};

/**
 * Shows a drawing in a box. Returns what was removed.
 * @param {Element} box @param {Element} drawing parsed into a document of its own
 * @returns {DocumentFragment}
 */
export const redraw = (box, drawing) => {
  const gone = document.createDocumentFragment();
  const root = box.firstElementChild;
  if (!root) {
    box.append(document.adoptNode(drawing));
    return gone;
  }
  const next = [...drawing.childNodes];
  const same = kept([...root.childNodes], next, (one, other) => one.isEqualNode(other));
  const stays = new Set(same);
  for (const node of [...root.childNodes]) if (!stays.has(node)) gone.append(node);
  let before = root.firstChild;
  next.forEach((node, i) => {
    if (same[i]) before = /** @type {ChildNode} */ (same[i]).nextSibling;
    else root.insertBefore(document.adoptNode(node), before);
  });
  for (const { name, value } of drawing.attributes)
    if (root.getAttribute(name) !== value) root.setAttribute(name, value);
  return gone;
};
