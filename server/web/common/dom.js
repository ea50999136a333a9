/**
 * Creating elements, and notifying the user.
 *
 * @typedef {Node|string|null|undefined|false} Child missing children are left out
 * @typedef {{[on: `on${string}`]: ((event: any) => void)|undefined, [key: string]: any}} Props `on…` are
 *   listeners; `aria-…`, `data-…` and `role` become attributes, and everything else properties
 */
import { reasonOf } from './text.js';

/**
 * Creates an element. Strings are always text, never markup.
 * @param {string} name tag name, with an id after # and classes after dots: `div#menu.card.wide`
 * @param {...(Props|Child|Child[])} rest properties, if there are any, and children
 * @returns {any}
 */
export const el = (name, ...rest) => {
  const [tag, ...marks] = name.split(/(?=[#.])/);
  const node = document.createElement(tag);
  for (const mark of marks) {
    if (mark.startsWith('#')) node.id = mark.slice(1);
    else node.classList.add(mark.slice(1));
  }
  const { props, children } = parted(rest);
  setProps(node, props);
  node.append(...real(children));
  return node;
};

/** Separates the properties from the children. @param {(Props|Child|Child[])[]} rest */
const parted = (rest) => {
  const [first, ...others] = rest;
  const isProps = first && Object.getPrototypeOf(first) === Object.prototype;
  return {
    props: /** @type {Props} */ (isProps ? first : {}),
    children: /** @type {(Child|Child[])[]} */ (isProps ? others : rest),
  };
};

/** The children without missing ones. @param {(Child|Child[])[]} children */
const real = (children) =>
  /** @type {(Node|string)[]} */ (children.flat().filter((child) => child || child === ''));

const ATTRIBUTE =
  /^(aria-|data-|role$|for$|list$|popovertarget|inputmode$|enterkeyhint$|autocomplete$|colspan$)/;

/** @param {HTMLElement} node @param {Props} props */
const setProps = (node, props) => {
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (ATTRIBUTE.test(key)) setAttribute(node, key, value);
    else /** @type {any} */ (node)[key] = value;
  }
};

/**
 * Sets an attribute, or removes it if the value is null or false.
 * @param {Element} node @param {string} key @param {any} value
 */
export const setAttribute = (node, key, value) => {
  if (value === null || value === false) node.removeAttribute(key);
  else node.setAttribute(key, String(value));
};

/** Replaces the children of an element. @param {Element} node @param {...(Child|Child[])} children */
export const fill = (node, ...children) => {
  const next = real(children);
  // Children that stay are never taken out: the browser would lay them out and paint them again.
  for (const old of [...node.childNodes]) if (!next.includes(old)) old.remove();
  next.forEach((child, i) => {
    const before = node.childNodes[i];
    if (before === child) return;
    node.insertBefore(typeof child === 'string' ? new Text(child) : child, before ?? null);
  });
};

/**
 * Like `el`, but reuses the matching element of the served document, if there is one.
 * @param {string} where a selector within `main` @param {Parameters<typeof el>} like
 * @returns {any}
 */
export const adopt = (where, ...[name, ...rest]) => {
  const node = /** @type {HTMLElement|null} */ (document.querySelector(`main ${where}`));
  if (!node) return el(name, ...rest);
  const { props, children } = parted(rest);
  setProps(node, props);
  fill(node, ...children);
  return node;
};

/**
 * The same element from the served document, if it is there, since it is on the screen already; otherwise this one.
 * @param {HTMLElement} node
 */
export const kept = (node) =>
  [...document.querySelectorAll(`main ${node.localName}`)].find((one) => one.isEqualNode(node)) ??
  node;

/**
 * Resolves after the next paint, to defer work that nobody is waiting for.
 * @returns {Promise<void>}
 */
export const painted = () =>
  new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)));
    // Hidden pages are not painted.
    setTimeout(resolve, 1_000);
  });

/**
 * Defers an action until after the next frame; only the last of several actions in a frame is executed.
 * @returns {(act: () => void) => void}
 */
export const inNextFrame = () => {
  /** @type {(() => void)|null} */
  let waits = null;
  return (act) => {
    if (!waits)
      painted().then(() => {
        const last = waits;
        waits = null;
        last?.();
      });
    waits = act;
  };
};

/** @param {Element|null} node */
const takesFocus = (node) =>
  Boolean(node?.isConnected && !node.matches(':disabled') && node.checkVisibility());

/**
 * Changes the page. If what had the focus is hidden, disabled or replaced by that, the focus goes to what follows:
 * otherwise somebody who uses the keyboard would be back at the top of the page.
 * @param {() => void} change @param {() => Element|null} next
 */
export const keepFocus = (change, next) => {
  const was = document.activeElement;
  change();
  if (was && was !== document.body && !takesFocus(was))
    /** @type {HTMLElement|null} */ (next())?.focus();
};

/** Does something after the next paint, ignoring errors. @param {() => Promise<any>} act */
export const whenPainted = (act) =>
  painted()
    .then(act)
    .catch(() => {});

/** Sets a text only if it differs, to avoid repeated announcements and layouts. */
export const setText = (/** @type {Element} */ node, /** @type {string} */ text) => {
  if (node.textContent !== text) node.textContent = text;
};

/**
 * Scrolls a box so that an item in it is visible, without scrolling the page.
 * @param {HTMLElement} box @param {HTMLElement} item
 */
export const reveal = (box, item) => {
  const [top, bottom] = [item.offsetTop, item.offsetTop + item.offsetHeight];
  if (top < box.scrollTop) box.scrollTop = top - 8;
  else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight + 8;
};

const SVG = 'http://www.w3.org/2000/svg';

/** An SVG element. @param {string} tag @param {Record<string, any>} attributes @param {...(Node|string)} children */
export const svg = (tag, attributes, ...children) => {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  node.append(...children);
  return node;
};

/**
 * Parses an SVG drawing, which is trusted markup, into a document of its own. Chromium reads a board as HTML within a
 * millisecond, as XML in up to forty.
 * @param {string} markup
 */
export const parsed = (markup) =>
  /** @type {Element} */ (
    new DOMParser().parseFromString(markup, 'text/html').body.firstElementChild
  );

/** An SVG drawing, which is trusted markup, as an element. @param {string} markup */
export const drawing = (markup) => document.importNode(parsed(markup), true);

/** Shows and announces a message that disappears by itself. */
export const toast = (/** @type {string} */ text, kind = '') => {
  document.getElementById('toast')?.remove();
  const node = el('section#toast', { className: `toast ${kind}`, 'aria-label': 'Message' }, text);
  document.body.append(node);
  say(text);
  setTimeout(() => {
    node.remove();
    unsay(text);
  }, 5000);
};

/** Shows an error message. @param {any} error */
export const complain = (error) => toast(reasonOf(error), 'bad');

/** Announces something politely to screen readers. */
export const say = (/** @type {string} */ text) => {
  const live = document.getElementById('live');
  if (live) live.textContent = text;
};

/** Replaces an announcement that is no longer true, unless another one has followed. */
export const unsay = (/** @type {string} */ text, instead = '') => {
  if (document.getElementById('live')?.textContent === text) say(instead);
};

const WRITING = 'input:not([type=radio]):not([type=checkbox]), textarea, select';

/** The keys that the cells of a board handle themselves. */
const OF_CELLS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', ' ', 'Home', 'End'];

/**
 * Listens for keys, except in text fields and while something lies over the page.
 * @param {Record<string, () => void>} keys
 */
export const onKeys = (keys) => {
  document.addEventListener('keydown', (event) => {
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (document.querySelector('dialog:modal, :popover-open')) return;
    if (key === 'Escape' && target.matches?.('input, textarea')) target.blur();
    if ((key === ' ' || key === 'Enter') && target.closest?.('button, a, summary')) return;
    if (target.matches?.(WRITING)) return;
    const action = keys[key] ?? keys[key.toLowerCase()];
    if (!action || (target.closest?.('.cells') && OF_CELLS.includes(key))) return;
    event.preventDefault();
    action();
  });
};
