/**
 * The board: the drawing, marks over it, and a grid of real buttons on top. It knows cells by number and nothing about
 * the rules.
 *
 * @typedef {import('../program/views.js').View} View
 * @typedef {{to: number, height: number}} Part a part of a stack, and its landing cell
 * @typedef {{place: number}|{from: number, parts: Part[]}} Hint a cell, or an arrow with the parts that move along it
 * @typedef {{from: number, to: number}} Sketch an arrow, or a circle if both cells are the same
 * @typedef {object} Marks
 * @property {number|null} [selected]
 * @property {Set<number>} [targets] legal targets
 * @property {Hint[]} [hints]
 * @property {Hint[]} [later] a premove
 * @property {Hint[]} [past] a turn played here before
 * @property {Sketch[]} [sketch] the user's own marks
 * @property {Part[]} [ghosts] where parts would land
 * @property {Set<number>} [grab] the cells from which a piece can be dragged
 * @property {Set<number>} [faint] empty cells where a piece may be placed
 * @property {(cell: number) => string} [says] what a screen reader adds to the name of a cell
 * @property {boolean} [threat] whether the hints are threats
 *
 * @typedef {object} Handlers
 * @property {(cell: number) => void} [onTap]
 * @property {(from: number, to: number) => void} [onDrag] also called at the start, with `to` equal to `from`
 * @property {(one: Sketch) => void} [onSketch] an arrow or circle was drawn with the right button
 * @property {string} [label]
 *
 * @typedef {object} State
 * @property {Handlers} handlers
 * @property {HTMLElement} element
 * @property {HTMLElement} picture the drawing of the rules
 * @property {SVGElement} layer the marks that lie above the pieces
 * @property {any} cells the grid of buttons
 * @property {HTMLButtonElement[]} buttons by cell number
 * @property {View|null} view
 * @property {Marks} marks
 * @property {string} shape the board for which the buttons were built
 * @property {{width: number, height: number}} pitch the distance between neighbours
 * @property {number} focus the cell that the Tab key leads to
 * @property {number|null} cursor the focused cell, if the focus is visible
 * @property {boolean} swallow whether to ignore the next click, which ends a drag
 */
import { el, parsed, svg } from '../common/dom.js';
import { reducedMotion } from '../common/prefs.js';
import { beginDrag } from './drag.js';
import { layout, neighbour } from './grid.js';
import { drawMarks } from './marks.js';
import { redraw } from './redraw.js';
import { travel } from './travel.js';

const WAYS = /** @type {Record<string, [number, number]>} */ ({
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
});

/** @param {Handlers} handlers */
export const createBoard = (handlers) => {
  const state = emptyBoard(handlers);
  const { cells, element } = state;
  cells.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => onKey(state, event));
  cells.addEventListener('click', (/** @type {MouseEvent} */ event) => onClick(state, event));
  cells.addEventListener('focusin', () => follow(state));
  cells.addEventListener('focusout', () => setTimeout(() => follow(state)));
  cells.addEventListener('pointerdown', (/** @type {PointerEvent} */ event) => {
    state.swallow = false;
    if (event.button === 2) beginSketch(state, event);
    else beginDrag(state, event, (target) => cellOf(state, target));
  });
  cells.addEventListener('contextmenu', (/** @type {Event} */ event) => {
    if (handlers.onSketch) event.preventDefault();
  });
  new ResizeObserver(() => fitLabels(state)).observe(state.picture);
  return {
    element,
    cells,
    /** The cell that the Tab key leads to. @returns {HTMLButtonElement|null} */
    cell: () => state.buttons[state.focus] ?? null,
    current: () => state.view,
    focus: (/** @type {number} */ cell, take = true) => moveFocus(state, cell, take),
    mark: (/** @type {Marks} */ marks) => mark(state, marks),
    show: (/** @type {View} */ view, /** @type {Shown} */ how = {}) => show(state, view, how),
  };
};

/** An arrow from here to where the right button is released. @param {State} state @param {PointerEvent} event */
const beginSketch = (state, event) => {
  const from = cellOf(state, event.target);
  if (from === null) return;
  const end = (/** @type {PointerEvent} */ at) => {
    const to = cellOf(state, document.elementFromPoint(at.clientX, at.clientY));
    if (to !== null) state.handlers.onSketch?.({ from, to });
  };
  addEventListener('pointerup', end, { once: true });
};

/** @param {Handlers} handlers @returns {State} */
const emptyBoard = (handlers) => {
  const picture = el('div.picture');
  const layer = svg('svg', { class: 'marks', 'aria-hidden': 'true' });
  const cells = el('div.cells', { role: 'grid', 'aria-label': handlers.label ?? 'Board' });
  return {
    handlers,
    element: el('div.board', picture, layer, cells),
    picture,
    layer,
    cells,
    buttons: [],
    view: null,
    marks: {},
    shape: '',
    pitch: { width: 48, height: 48 },
    focus: 0,
    cursor: null,
    swallow: false,
  };
};

/** @param {State} state @param {number} cell @param {boolean} take whether to focus the cell now */
const moveFocus = (state, cell, take) => {
  const { buttons } = state;
  if (buttons[state.focus]) buttons[state.focus].tabIndex = -1;
  state.focus = cell;
  if (!buttons[cell]) return;
  buttons[cell].tabIndex = 0;
  if (take) buttons[cell].focus();
};

/** The cell that a key leads to. @param {View} view @param {number} from @param {string} key */
const cellByKey = (view, from, key) => {
  if (WAYS[key]) return neighbour(view, from, WAYS[key]);
  const row = layout(view).rows.find((one) => one.includes(from)) ?? [];
  if (key === 'Home') return row[0];
  return key === 'End' ? row.at(-1) : undefined;
};

/** @param {State} state @param {KeyboardEvent} event */
const onKey = (state, event) => {
  if (!state.view || event.ctrlKey || event.metaKey || event.altKey) return;
  const target = cellByKey(state.view, state.focus, event.key);
  if (target === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  moveFocus(state, target, true);
};

/** The cell of a button, if it is one. @param {State} state @param {EventTarget|null} target */
const cellOf = ({ cells }, target) => {
  const found = /** @type {HTMLElement|null} */ (target)?.closest?.('button[data-cell]');
  return found && cells.contains(found)
    ? Number(/** @type {HTMLElement} */ (found).dataset.cell)
    : null;
};

/** Marks the focused cell. @param {State} state */
const follow = (state) => {
  const active = document.activeElement;
  const isSeen = state.cells.contains(active) && active?.matches(':focus-visible');
  const here = isSeen ? cellOf(state, active) : null;
  if (here === state.cursor) return;
  state.cursor = here;
  paintMarks(state);
};

/** @param {State} state @param {MouseEvent} event */
const onClick = (state, event) => {
  const cell = cellOf(state, event.target);
  if (cell === null) return;
  if (state.swallow) {
    state.swallow = false;
    return;
  }
  moveFocus(state, cell, false);
  state.handlers.onTap?.(cell);
};

/** Keeps coordinates at the same size on the screen, whatever the size of the board. @param {State} state */
const fitLabels = ({ view, picture, element }) => {
  if (!view || picture.clientWidth === 0) return;
  const scale = picture.clientWidth / view.size[0];
  element.style.setProperty('--label', `${Math.min(12.5, Math.max(5, 14 / scale)).toFixed(2)}px`);
};

/**
 * Builds the buttons, which are reused as long as the board has the same cells.
 * @param {State} state @param {View} view
 */
const build = (state, view) => {
  const [width, height] = view.size;
  const plan = layout(view);
  // A hexagon is clicked where it is drawn: its tips overlap the neighbouring rows.
  const six = plan.height < plan.width * 0.95;
  const tall = six ? (plan.width * 2) / Math.sqrt(3) : plan.height;
  const box = { wide: plan.width, tall };
  state.pitch = { width: plan.width, height: plan.height };
  state.buttons = view.cells.map((_, cell) => cellButton(view, cell, box));
  // The page layout depends on the board's aspect ratio.
  document.documentElement.style.setProperty('--wide', (width / height).toFixed(4));
  state.cells.setAttribute('aria-rowcount', String(plan.rows.length));
  state.cells.classList.toggle('six', six);
  state.cells.replaceChildren(
    ...plan.rows.map((row) =>
      el('div.line', { role: 'row' }, ...row.map((cell) => state.buttons[cell])),
    ),
  );
  state.layer.setAttribute('viewBox', `0 0 ${width} ${height}`);
  moveFocus(state, Math.min(state.focus, state.buttons.length - 1), false);
  // Measuring now would force an extra layout.
  requestAnimationFrame(() => fitLabels(state));
};

/** @param {View} view @param {number} cell @param {{wide: number, tall: number}} box @returns {HTMLButtonElement} */
const cellButton = ({ size: [width, height], cells }, cell, { wide, tall }) => {
  const { name, at } = cells[cell];
  const one = el('button', {
    type: 'button',
    role: 'gridcell',
    tabIndex: -1,
    'data-cell': cell,
    'data-name': name,
    id: `cell-${name}`,
  });
  const place = (/** @type {string} */ side, /** @type {number} */ share) =>
    one.style.setProperty(side, `${share * 100}%`);
  place('left', (at[0] - wide / 2) / width);
  place('top', (at[1] - tall / 2) / height);
  place('width', wide / width);
  place('height', tall / height);
  return one;
};

/** Labels and styles each button by what can be done with its cell. @param {State} state */
const paintButtons = ({ view, buttons, marks }) => {
  view?.cells.forEach((cell, i) => {
    const more = marks.says?.(i);
    const words = more ? `${cell.says}, ${more}` : cell.says;
    const one = buttons[i];
    if (one.getAttribute('aria-label') !== words) one.setAttribute('aria-label', words);
    one.classList.toggle('grab', Boolean(marks.grab?.has(i)));
    one.classList.toggle('target', Boolean(marks.targets?.has(i)));
    if (marks.selected === i) one.setAttribute('aria-selected', 'true');
    else one.removeAttribute('aria-selected');
  });
};

/** @param {State} state */
const paintMarks = ({ view, marks, pitch, picture, layer, cursor }) => {
  if (!view) return;
  const occupied = (/** @type {number} */ cell) =>
    picture.querySelector(`[data-piece="${cell}"]`) !== null;
  const { below, above } = drawMarks(marks, view, pitch, { occupied, cursor });
  picture.querySelector('.under')?.remove();
  const firstPiece = picture.querySelector('[data-piece]');
  firstPiece?.parentNode?.insertBefore(svg('g', { class: 'marks under' }, ...below), firstPiece);
  layer.replaceChildren(...above);
};

/** @param {State} state @param {Marks} marks */
const mark = (state, marks) => {
  state.marks = marks;
  paintButtons(state);
  paintMarks(state);
};

/**
 * Shows a position; with `animate`, the pieces move as in `steps` or the last turn.
 * @typedef {{animate?: boolean, steps?: import('../program/views.js').Trace[]}} Shown
 * @param {State} state @param {View} view @param {Shown} how
 */
const show = (state, view, { animate = false, steps }) => {
  const old = state.view;
  if (old === view) return;
  const shape = JSON.stringify([view.size, view.cells.map((cell) => [cell.name, cell.at])]);
  state.view = view;
  if (shape !== state.shape) {
    state.shape = shape;
    build(state, view);
  }
  state.picture.querySelector('.under')?.remove();
  const before = redraw(state.picture, parsed(view.svg));
  mark(state, state.marks);
  const fresh = state.picture.firstElementChild;
  if (animate && fresh && old?.cells.length === view.cells.length && !reducedMotion())
    travel(fresh, before, view, steps ?? view.last);
};
