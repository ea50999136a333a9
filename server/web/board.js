/**
 * The board: the drawing of the rules, marks over it, and a grid of real buttons over both.
 * It knows cells by number and nothing of rules.
 *
 * @typedef {import('./api.js').View} View
 * @typedef {{place: number}|{from: number, parts: {to: number, height: number}[]}} Hint a cell, or an arrow with what travels along it
 * @typedef {{selected?: number|null, targets?: Set<number>, hints?: Hint[], later?: Hint[], ghosts?: {to: number, height: number}[], grab?: Set<number>, faint?: Set<number>, says?: (cell: number) => string, threat?: boolean}} Marks
 */
import { drawing, el, svg } from './dom.js';
import { layout, neighbour } from './grid.js';
import { drawMarks } from './marks.js';
import { reducedMotion } from './prefs.js';
import { travel } from './travel.js';

const DRAG_FROM = 6;

const WAYS = /** @type {Record<string, [number, number]>} */ ({
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
});

/** @param {{onTap?: (cell: number) => void, onDrag?: (from: number, to: number) => void, label?: string}} handlers */
export const createBoard = ({ onTap, onDrag, label = 'Board' }) => {
  const picture = el('div.picture');
  const marksLayer = svg('svg', { class: 'marks', 'aria-hidden': 'true' });
  const cells = el('div.cells', { role: 'grid', 'aria-label': label });
  const element = el('div.board', {}, picture, marksLayer, cells);
  /** @type {View|null} */
  let view = null;
  /** @type {HTMLButtonElement[]} */
  let buttons = [];
  let focus = 0;
  let shape = '';
  /** @type {Marks} */
  let marks = {};
  let pitch = { width: 48, height: 48 };
  let swallow = false;
  /** The cell that has the focus, where that is to be seen. @type {number|null} */
  let cursor = null;

  const moveFocus = (/** @type {number} */ cell, take = true) => {
    if (buttons[focus]) buttons[focus].tabIndex = -1;
    focus = cell;
    if (!buttons[focus]) return;
    buttons[focus].tabIndex = 0;
    if (take) buttons[focus].focus();
  };

  cells.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
    if (!view || event.ctrlKey || event.metaKey || event.altKey) return;
    const way = WAYS[event.key];
    const { rows } = layout(view);
    const row = rows.find((one) => one.includes(focus)) ?? [];
    const target = way
      ? neighbour(view, focus, way)
      : event.key === 'Home'
        ? row[0]
        : event.key === 'End'
          ? row.at(-1)
          : undefined;
    if (target === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    moveFocus(target);
  });

  const cellOf = (/** @type {EventTarget|null} */ target) => {
    const found = /** @type {HTMLElement|null} */ (target)?.closest?.('button[data-cell]');
    return found && cells.contains(found)
      ? Number(/** @type {HTMLElement} */ (found).dataset.cell)
      : null;
  };

  const follow = () => {
    const here =
      cells.contains(document.activeElement) && document.activeElement?.matches(':focus-visible')
        ? cellOf(document.activeElement)
        : null;
    if (here === cursor) return;
    cursor = here;
    paintMarks();
  };
  cells.addEventListener('focusin', follow);
  cells.addEventListener('focusout', () => setTimeout(follow));

  cells.addEventListener('click', (/** @type {MouseEvent} */ event) => {
    const cell = cellOf(event.target);
    if (cell === null) return;
    if (swallow) {
      swallow = false;
      return;
    }
    moveFocus(cell, false);
    onTap?.(cell);
  });

  /** Dragging: the piece follows the pointer, and the cell under it is where it lands. */
  cells.addEventListener('pointerdown', (/** @type {PointerEvent} */ event) => {
    swallow = false;
    const from = cellOf(event.target);
    if (from === null || event.button !== 0 || !onDrag || !marks.grab?.has(from) || !view) return;
    const pointer = event.pointerId;
    const start = [event.clientX, event.clientY];
    const scale = view.size[0] / picture.clientWidth;
    /** @type {SVGElement[]} */
    let ghost = [];
    let dragging = false;
    const target = /** @type {HTMLElement} */ (event.target);
    // A finger is captured by the cell it came down on, which would hide the cell it goes to.
    if (target.hasPointerCapture?.(pointer)) target.releasePointerCapture(pointer);
    const move = (/** @type {PointerEvent} */ e) => {
      if (e.pointerId !== pointer) return;
      const [dx, dy] = [e.clientX - start[0], e.clientY - start[1]];
      if (!dragging && Math.hypot(dx, dy) < DRAG_FROM) return;
      if (!dragging) {
        dragging = true;
        ghost = [...picture.querySelectorAll(`[data-piece="${from}"], [data-figure="${from}"]`)];
        ghost.forEach((part) => {
          part.classList.add('dragged');
          part.parentNode?.append(part);
        });
        element.classList.add('dragging');
        onDrag(from, from);
      }
      ghost = [...picture.querySelectorAll(`[data-piece="${from}"], [data-figure="${from}"]`)];
      ghost.forEach((part) =>
        part.setAttribute('transform', `translate(${dx * scale} ${dy * scale})`),
      );
    };
    const end = (/** @type {PointerEvent} */ e) => {
      if (e.pointerId !== pointer) return;
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', end);
      removeEventListener('pointercancel', end);
      if (!dragging) return;
      element.classList.remove('dragging');
      ghost.forEach((part) => {
        part.removeAttribute('transform');
        part.classList.remove('dragged');
      });
      swallow = true;
      setTimeout(() => {
        swallow = false;
      }, 0);
      const to = cellOf(document.elementFromPoint(e.clientX, e.clientY));
      if (e.type === 'pointerup' && to !== null) onDrag(from, to);
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', end);
    addEventListener('pointercancel', end);
  });

  /** Coordinates keep their size on the screen, whatever the size of the board. */
  const fitLabels = () => {
    if (!view || picture.clientWidth === 0) return;
    const scale = picture.clientWidth / view.size[0];
    element.style.setProperty('--label', `${Math.min(12.5, Math.max(5, 14 / scale)).toFixed(2)}px`);
  };
  new ResizeObserver(fitLabels).observe(picture);

  /** Builds the buttons; they stay as long as the board has the same cells. */
  const build = (/** @type {View} */ next) => {
    const [width, height] = next.size;
    const plan = layout(next);
    pitch = { width: plan.width, height: plan.height };
    // Where the page has room for it is reckoned from its form.
    document.documentElement.style.setProperty('--wide', (width / height).toFixed(4));
    buttons = new Array(next.cells.length);
    cells.setAttribute('aria-rowcount', String(plan.rows.length));
    // A hexagon is hit where it is drawn: its tips reach into the rows beside it.
    const six = plan.height < plan.width * 0.95;
    const tall = six ? (plan.width * 2) / Math.sqrt(3) : plan.height;
    cells.classList.toggle('six', six);
    cells.replaceChildren(
      ...plan.rows.map((row) =>
        el(
          'div.line',
          { role: 'row' },
          ...row.map((cell) => {
            const [x, y] = next.cells[cell].at;
            const one = el('button', {
              type: 'button',
              role: 'gridcell',
              tabIndex: -1,
              'data-cell': cell,
              'data-name': next.cells[cell].name,
              id: `cell-${next.cells[cell].name}`,
            });
            one.style.setProperty('left', `${((x - plan.width / 2) / width) * 100}%`);
            one.style.setProperty('top', `${((y - tall / 2) / height) * 100}%`);
            one.style.setProperty('width', `${(plan.width / width) * 100}%`);
            one.style.setProperty('height', `${(tall / height) * 100}%`);
            buttons[cell] = one;
            return one;
          }),
        ),
      ),
    );
    marksLayer.setAttribute('viewBox', `0 0 ${width} ${height}`);
    moveFocus(Math.min(focus, buttons.length - 1), false);
    // To measure now would lay the page out once more than it is painted.
    requestAnimationFrame(fitLabels);
  };

  const spoken = () => {
    if (!view) return;
    view.cells.forEach((cell, i) => {
      const more = marks.says?.(i);
      const words = more ? `${cell.says}, ${more}` : cell.says;
      if (buttons[i].getAttribute('aria-label') !== words)
        buttons[i].setAttribute('aria-label', words);
      buttons[i].classList.toggle('grab', Boolean(marks.grab?.has(i)));
      buttons[i].classList.toggle('target', Boolean(marks.targets?.has(i)));
      if (marks.selected === i) buttons[i].setAttribute('aria-selected', 'true');
      else buttons[i].removeAttribute('aria-selected');
    });
  };

  const paintMarks = () => {
    if (!view) return;
    const occupied = (/** @type {number} */ cell) =>
      picture.querySelector(`[data-piece="${cell}"]`) !== null;
    const { below, above } = drawMarks(marks, view, pitch, { occupied, cursor });
    picture.querySelector('.under')?.remove();
    const firstPiece = picture.querySelector('[data-piece]');
    firstPiece?.parentNode?.insertBefore(svg('g', { class: 'marks under' }, ...below), firstPiece);
    marksLayer.replaceChildren(...above);
  };

  const mark = (/** @type {Marks} */ next) => {
    marks = next;
    spoken();
    paintMarks();
  };

  /** Shows a position; `animate` lets the pieces travel as the last turn says. @param {View} next @param {{animate?: boolean, steps?: import('./api.js').Trace[]}} [how] */
  const show = (next, { animate = false, steps } = {}) => {
    if (view === next) return;
    const before = picture.firstElementChild;
    const old = view;
    const outline = JSON.stringify([next.size, next.cells.map((cell) => [cell.name, cell.at])]);
    view = next;
    if (outline !== shape) {
      shape = outline;
      build(next);
    }
    const fresh = drawing(next.svg);
    picture.replaceChildren(fresh);
    mark(marks);
    if (animate && before && old && old.cells.length === next.cells.length && !reducedMotion())
      travel(fresh, before, next, steps ?? next.last);
  };

  return { element, show, mark, focus: moveFocus, current: () => view, cells };
};
