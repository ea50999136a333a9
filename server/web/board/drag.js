/** Dragging: the piece follows the pointer and lands on the cell under it. */
import { piecesAt } from './grid.js';

/** A pointer that moves fewer pixels than this is a tap. */
const DRAG_FROM = 6;

/**
 * @param {import('./board.js').State} board @param {PointerEvent} event the pointer comes down
 * @param {(target: EventTarget|null) => number|null} cellOf
 */
export const beginDrag = (board, event, cellOf) => {
  const { view, marks, picture, element, handlers } = board;
  const from = cellOf(event.target);
  const { onDrag } = handlers;
  if (!view || from === null || event.button !== 0 || !onDrag || !marks.grab?.has(from)) return;
  const { pointerId, clientX, clientY } = event;
  const scale = view.size[0] / picture.clientWidth;
  let dragging = false;
  const target = /** @type {HTMLElement} */ (event.target);
  // Touch pointers are captured by the cell where they start, which would hide the cell where they end.
  if (target.hasPointerCapture?.(pointerId)) target.releasePointerCapture(pointerId);

  const lift = () => {
    dragging = true;
    for (const part of piecesAt(picture, from)) {
      part.classList.add('dragged');
      part.parentNode?.append(part);
    }
    element.classList.add('dragging');
    onDrag(from, from);
  };
  const move = (/** @type {PointerEvent} */ at) => {
    if (at.pointerId !== pointerId) return;
    const [dx, dy] = [at.clientX - clientX, at.clientY - clientY];
    if (!dragging && Math.hypot(dx, dy) < DRAG_FROM) return;
    if (!dragging) lift();
    // Starting a drag may have redrawn the board.
    for (const part of piecesAt(picture, from))
      part.setAttribute('transform', `translate(${dx * scale} ${dy * scale})`);
  };
  const end = (/** @type {PointerEvent} */ at) => {
    if (at.pointerId !== pointerId) return;
    removeEventListener('pointermove', move);
    removeEventListener('pointerup', end);
    removeEventListener('pointercancel', end);
    if (!dragging) return;
    element.classList.remove('dragging');
    for (const part of piecesAt(picture, from)) {
      part.removeAttribute('transform');
      part.classList.remove('dragged');
    }
    // The click that follows belongs to the drag.
    board.swallow = true;
    setTimeout(() => {
      board.swallow = false;
    });
    const to = cellOf(document.elementFromPoint(at.clientX, at.clientY));
    if (at.type === 'pointerup' && to !== null) onDrag(from, to);
  };
  addEventListener('pointermove', move);
  addEventListener('pointerup', end);
  addEventListener('pointercancel', end);
};
