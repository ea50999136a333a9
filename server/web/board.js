/**
 * The board: the drawing of the server, marks over it, and a grid of real buttons over both.
 * It knows cells by number and nothing of rules.
 *
 * @typedef {import('./api.js').View} View
 * @typedef {{place: number}|{from: number, parts: {to: number, height: number}[]}} Hint a cell, or an arrow with what travels along it
 * @typedef {{selected?: number|null, targets?: Set<number>, hints?: Hint[], later?: Hint[], ghosts?: {to: number, height: number}[], grab?: Set<number>, faint?: Set<number>, says?: (cell: number) => string, threat?: boolean}} Marks
 */
import { drawing, el, svg } from './dom.js';
import { reducedMotion } from './prefs.js';

const MOTION = 180;
const DRAG_FROM = 6;

/** The cells in rows as they are seen, and how far neighbours lie apart. @param {View} view */
const layout = (view) => {
  const order = view.cells
    .map((_, i) => i)
    .sort((a, b) => {
      const [p, q] = [view.cells[a].at, view.cells[b].at];
      return Math.abs(p[1] - q[1]) > 1 ? p[1] - q[1] : p[0] - q[0];
    });
  /** @type {number[][]} */
  const rows = [];
  for (const cell of order) {
    const row = rows.at(-1);
    if (row && Math.abs(view.cells[row[0]].at[1] - view.cells[cell].at[1]) < 1) row.push(cell);
    else rows.push([cell]);
  }
  const at = (/** @type {number} */ cell) => view.cells[cell].at;
  const width = rows.reduce(
    (best, row) => (row.length > 1 ? Math.min(best, at(row[1])[0] - at(row[0])[0]) : best),
    Infinity,
  );
  const height = rows.length > 1 ? at(rows[1][0])[1] - at(rows[0][0])[1] : width;
  return { rows, width, height };
};

/**
 * The next cell in a direction. Up and down lead to the next row; where rows are shifted there are two such cells, of
 * which down takes the right one and up the left one, so that one leads back from the other.
 * @param {View} view @param {number} from @param {[number, number]} way
 */
export const neighbour = (view, from, [dx, dy]) => {
  const { rows } = layout(view);
  const at = rows.findIndex((row) => row.includes(from));
  if (dx !== 0) return rows[at][rows[at].indexOf(from) + dx] ?? from;
  const x = view.cells[from].at[0];
  const far = (/** @type {number} */ cell) =>
    Math.abs(view.cells[cell].at[0] - x) - 0.01 * dy * (view.cells[cell].at[0] - x);
  const next = rows[at + dy] ?? [];
  return next.reduce((best, cell) => (best === from || far(cell) < far(best) ? cell : best), from);
};

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
    drawMarks();
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
    fitLabels();
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

  const drawMarks = () => {
    if (!view) return;
    const now = view;
    const occupied = (/** @type {number} */ cell) =>
      picture.querySelector(`[data-piece="${cell}"]`) !== null;
    /** @type {Element[]} */
    const parts = [];
    /** @type {Element[]} */
    const under = [];
    if (marks.selected != null)
      under.push(
        svg('path', { class: 'selected', d: outline(now.cells[marks.selected].at, pitch, 1.6) }),
      );
    for (const cell of marks.targets ?? []) {
      const [x, y] = now.cells[cell].at;
      if (cell === marks.selected) continue;
      if (occupied(cell))
        under.push(svg('path', { class: 'ring', d: outline([x, y], pitch, 1.8) }));
      else parts.push(svg('circle', { class: 'dot', cx: x, cy: y, r: 5.6 }));
    }
    for (const cell of marks.faint ?? [])
      parts.push(
        svg('circle', {
          class: 'faint',
          cx: now.cells[cell].at[0],
          cy: now.cells[cell].at[1],
          r: 2.6,
        }),
      );
    if (cursor !== null && now.cells[cursor])
      parts.push(svg('path', { class: 'cursor', d: outline(now.cells[cursor].at, pitch, 1.2) }));
    parts.push(...beads(marks.ghosts ?? [], 'ghost', now, occupied, pitch));
    const how = marks.threat ? 'threat' : '';
    for (const [one, kind] of [
      ...(marks.later ?? []).map((one) => /** @type {[Hint, string]} */ ([one, 'later'])),
      ...(marks.hints ?? []).map((one) => /** @type {[Hint, string]} */ ([one, how])),
    ]) {
      const { below, above } = hint(one, kind, now, occupied, pitch);
      under.push(...below);
      parts.push(...above);
    }
    // Outlines and arrows lie below the pieces, so that they hide no figure.
    picture.querySelector('.under')?.remove();
    const firstPiece = picture.querySelector('[data-piece]');
    firstPiece?.parentNode?.insertBefore(svg('g', { class: 'marks under' }, ...under), firstPiece);
    marksLayer.replaceChildren(...parts);
  };

  const mark = (/** @type {Marks} */ next) => {
    marks = next;
    spoken();
    drawMarks();
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

/** The outline of a cell, a little smaller than the cell: a square, or a hexagon where rows lie closer than columns. @param {[number, number]} at @param {{width: number, height: number}} pitch @param {number} inset */
const outline = ([x, y], { width, height }, inset) => {
  const half = width / 2 - inset;
  if (height > width * 0.95)
    return `M${x - half} ${y - half}h${2 * half}v${2 * half}h${-2 * half}z`;
  const tall = half / Math.sqrt(3);
  return `M${x} ${y - 2 * tall}l${half} ${tall}v${2 * tall}l${-half} ${tall}l${-half} ${-tall}v${-2 * tall}z`;
};

/**
 * A turn as it is drawn: a cross in the cell where something is placed; an arrow to the farthest landing, with a bead
 * for each part where it lands, aside where something stands.
 * @param {Hint} what @param {string} how @param {View} view @param {(cell: number) => boolean} occupied @param {{width: number, height: number}} pitch
 * @returns {{below: Element[], above: Element[]}}
 */
const hint = (what, how, view, occupied, pitch) => {
  const kind = `hint ${how}`;
  if ('place' in what) {
    const [x, y] = view.cells[what.place].at;
    return {
      below: [],
      above: [
        svg('path', { class: `${kind} spot`, d: outline([x, y], pitch, 3) }),
        svg('path', { class: `${kind} plus`, d: `M${x - 7} ${y}h14M${x} ${y - 7}v14` }),
      ],
    };
  }
  const start = view.cells[what.from].at;
  const far = (/** @type {{to: number}} */ { to }) =>
    Math.hypot(view.cells[to].at[0] - start[0], view.cells[to].at[1] - start[1]);
  const last = what.parts.reduce((best, part) => (far(part) > far(best) ? part : best));
  return {
    below: arrow(start, view.cells[last.to].at, how),
    above: what.parts.length > 1 ? beads(what.parts, how, view, occupied, pitch) : [],
  };
};

/** Parts where they land, aside where something stands, so that no figure is covered. @param {{to: number, height: number}[]} parts @param {string} how @param {View} view @param {(cell: number) => boolean} occupied @param {{width: number, height: number}} pitch */
const beads = (parts, how, view, occupied, pitch) =>
  parts.flatMap(({ to, height }) => {
    const [x, y] = view.cells[to].at;
    const [bx, by] = occupied(to) ? [x + pitch.width * 0.3, y - pitch.height * 0.36] : [x, y];
    return [
      svg('circle', { class: `bead ${how}`, cx: bx, cy: by, r: 9 }),
      svg(
        'text',
        { class: 'bead-figure', x: bx, y: by, dy: '0.35em', 'text-anchor': 'middle' },
        String(height),
      ),
    ];
  });

/** The shaft and head of an arrow. */
const arrow = (
  /** @type {[number, number]} */ from,
  /** @type {[number, number]} */ to,
  /** @type {string} */ how,
) => {
  const kind = `hint ${how}`;
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const long = Math.hypot(dx, dy);
  const [ux, uy] = [dx / long, dy / long];
  const tip = [to[0] - ux * 9, to[1] - uy * 9];
  const neck = [tip[0] - ux * 11, tip[1] - uy * 11];
  const start = [from[0] + ux * 14, from[1] + uy * 14];
  const d = `M${start}L${neck}M${[tip[0] - ux * 13 - uy * 8, tip[1] - uy * 13 + ux * 8]}L${tip}L${[tip[0] - ux * 13 + uy * 8, tip[1] - uy * 13 - ux * 8]}Z`;
  return ['casing', ''].map((casing) => svg('path', { class: `${kind} ${casing}`, d }));
};

/**
 * Pieces travel: what is pushed by a new piece slides, what moves by itself hops.
 * @param {Element} fresh the drawing after @param {Element} before the drawing before @param {View} view
 * @param {import('./api.js').Trace[]} traces
 */
const travel = (fresh, before, view, traces) => {
  const parts = (/** @type {Element} */ from, /** @type {number} */ cell) => [
    ...from.querySelectorAll(`[data-piece="${cell}"], [data-figure="${cell}"]`),
  ];
  let delay = 0;
  for (const trace of traces) {
    const placed = trace.placed;
    const slide = placed !== null;
    if (placed !== null) {
      for (const part of parts(fresh, placed)) {
        part.animate(
          [
            { transform: 'translate(0px, -14px)', opacity: 0 },
            { transform: 'none', opacity: 1 },
          ],
          { duration: MOTION, delay, easing: 'cubic-bezier(.3,.7,.3,1)', fill: 'backwards' },
        );
      }
    }
    const lag = placed !== null ? 60 : 0;
    for (const { from, to } of trace.travels) {
      const [x, y] = view.cells[from].at;
      if (to === null) {
        const push =
          placed === null ? [0, 0] : [x - view.cells[placed].at[0], y - view.cells[placed].at[1]];
        for (const part of parts(before, from)) {
          const ghost = /** @type {Element} */ (part.cloneNode(true));
          ghost.removeAttribute('data-piece');
          fresh.append(ghost);
          ghost
            .animate(
              [
                { transform: 'none', opacity: 1 },
                { transform: `translate(${push[0]}px, ${push[1]}px)`, opacity: 0 },
              ],
              { duration: MOTION + 40, delay: delay + lag, easing: 'ease-out', fill: 'both' },
            )
            .finished.then(
              () => ghost.remove(),
              () => ghost.remove(),
            );
        }
        continue;
      }
      const [dx, dy] = [x - view.cells[to].at[0], y - view.cells[to].at[1]];
      // What stood on the target stays until the traveller has come.
      const first = parts(fresh, to)[0];
      for (const part of parts(before, to)) {
        const ghost = /** @type {Element} */ (part.cloneNode(true));
        ghost.removeAttribute('data-piece');
        first?.parentNode?.insertBefore(ghost, first);
        ghost
          .animate([{ opacity: 1 }, { opacity: 1, offset: 0.7 }, { opacity: 0 }], {
            duration: MOTION,
            delay,
            fill: 'both',
          })
          .finished.then(
            () => ghost.remove(),
            () => ghost.remove(),
          );
      }
      const start = `translate(${dx}px, ${dy}px)`;
      const frames = slide
        ? [{ transform: start }, { transform: 'none' }]
        : [
            { transform: start },
            { transform: `translate(${dx / 2}px, ${dy / 2 - 16}px)` },
            { transform: 'none' },
          ];
      for (const part of parts(fresh, to)) {
        part.animate(frames, {
          duration: MOTION,
          delay: delay + lag,
          easing: slide ? 'cubic-bezier(.2,.7,.3,1)' : 'ease-in-out',
          fill: 'backwards',
        });
      }
    }
    delay += MOTION;
  }
};
