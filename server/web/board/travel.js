/**
 * Animations of pieces: what is pushed slides, what moves by itself hops.
 *
 * @typedef {import('../program/views.js').View} View
 * @typedef {import('../program/views.js').Trace} Trace
 */
import { piecesAt } from './grid.js';

/** The duration of a move, in milliseconds. */
const MOTION = 180;

/** Pushed pieces start to slide shortly before the pushing piece has landed. */
const LAG = 60;

/**
 * A copy of a piece that removes itself after its animation.
 * @param {Element} part @param {(ghost: Element) => void} put @param {Keyframe[]} frames
 * @param {KeyframeAnimationOptions} how
 */
const ghost = (part, put, frames, how) => {
  const copy = /** @type {Element} */ (part.cloneNode(true));
  copy.removeAttribute('data-piece');
  put(copy);
  const gone = () => copy.remove();
  copy.animate(frames, { ...how, fill: 'both' }).finished.then(gone, gone);
};

/**
 * Animates the pieces of a drawing from where they were.
 * @param {Element} fresh the drawing after @param {ParentNode} before what was in it before @param {View} view
 * @param {Trace[]} traces
 */
export const travel = (fresh, before, view, traces) =>
  traces.forEach((trace, i) => {
    const delay = i * MOTION;
    const { placed } = trace;
    if (placed !== null) comeDown(piecesAt(fresh, placed), delay);
    const lag = placed !== null ? LAG : 0;
    for (const { from, to } of trace.travels) {
      if (to === null) leave(fresh, before, view, from, placed, delay + lag);
      else {
        replace(fresh, before, to, delay);
        arrive(piecesAt(fresh, to), apart(view, from, to), placed !== null, delay + lag);
      }
    }
  });

/**
 * The offset from one cell to another.
 * @param {View} view @param {number} cell @param {number} other @returns {[number, number]}
 */
const apart = (view, cell, other) => {
  const [[x, y], [u, v]] = [view.cells[cell].at, view.cells[other].at];
  return [x - u, y - v];
};

/** A piece is placed. @param {Element[]} pieces @param {number} delay */
const comeDown = (pieces, delay) => {
  const frames = [
    { transform: 'translate(0px, -14px)', opacity: 0 },
    { transform: 'none', opacity: 1 },
  ];
  const easing = 'cubic-bezier(.3,.7,.3,1)';
  for (const piece of pieces)
    piece.animate(frames, { duration: MOTION, delay, easing, fill: 'backwards' });
};

/**
 * A piece leaves the board, away from the one that pushed it.
 * @param {Element} fresh @param {ParentNode} before @param {View} view @param {number} from @param {number|null} pusher
 * @param {number} delay
 */
const leave = (fresh, before, view, from, pusher, delay) => {
  const [dx, dy] = pusher === null ? [0, 0] : apart(view, from, pusher);
  const frames = [
    { transform: 'none', opacity: 1 },
    { transform: `translate(${dx}px, ${dy}px)`, opacity: 0 },
  ];
  const how = { duration: MOTION + 40, delay, easing: 'ease-out' };
  for (const part of piecesAt(before, from)) ghost(part, (one) => fresh.append(one), frames, how);
};

/**
 * A captured piece stays until its capturer arrives.
 * @param {Element} fresh @param {ParentNode} before @param {number} to @param {number} delay
 */
const replace = (fresh, before, to, delay) => {
  const [first] = piecesAt(fresh, to);
  const put = (/** @type {Element} */ one) => first?.parentNode?.insertBefore(one, first);
  const frames = [{ opacity: 1 }, { opacity: 1, offset: 0.7 }, { opacity: 0 }];
  for (const part of piecesAt(before, to)) ghost(part, put, frames, { duration: MOTION, delay });
};

/**
 * A piece arrives from where it was.
 * @param {Element[]} pieces @param {[number, number]} from @param {boolean} slides @param {number} delay
 */
const arrive = (pieces, [dx, dy], slides, delay) => {
  const hop = { transform: `translate(${dx / 2}px, ${dy / 2 - 16}px)` };
  const frames = [
    { transform: `translate(${dx}px, ${dy}px)` },
    ...(slides ? [] : [hop]),
    { transform: 'none' },
  ];
  const easing = slides ? 'cubic-bezier(.2,.7,.3,1)' : 'ease-in-out';
  for (const piece of pieces)
    piece.animate(frames, { duration: MOTION, delay, easing, fill: 'backwards' });
};
