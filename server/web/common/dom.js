/**
 * Making elements, and telling people what happens.
 *
 * @typedef {Node|string|null|undefined|false} Child what is not there is left out
 * @typedef {{[on: `on${string}`]: ((event: any) => void)|undefined, [key: string]: any}} Props `on…` listens,
 *   `aria-…`, `data-…` and `role` become attributes, the rest properties
 */
import { reasonOf } from './text.js';

/**
 * An element. Text is always text, never markup.
 * @param {string} name tag name, with an id behind # and classes behind dots: `div#menu.card.wide`
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

/** What follows the name of an element. @param {(Props|Child|Child[])[]} rest */
const parted = (rest) => {
  const [first, ...others] = rest;
  const isProps = first && Object.getPrototypeOf(first) === Object.prototype;
  return {
    props: /** @type {Props} */ (isProps ? first : {}),
    children: /** @type {(Child|Child[])[]} */ (isProps ? others : rest),
  };
};

/** The children that are there. @param {(Child|Child[])[]} children */
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
 * An attribute, or none where the value is null or false.
 * @param {Element} node @param {string} key @param {any} value
 */
export const setAttribute = (node, key, value) => {
  if (value === null || value === false) node.removeAttribute(key);
  else node.setAttribute(key, String(value));
};

/** Puts children in the place of what was there. @param {Element} node @param {...(Child|Child[])} children */
export const fill = (node, ...children) => {
  const next = real(children);
  // What stays is never taken out: it would have to be laid out and painted again.
  for (const old of [...node.childNodes]) if (!next.includes(old)) old.remove();
  next.forEach((child, i) => {
    const before = node.childNodes[i];
    if (before === child) return;
    node.insertBefore(typeof child === 'string' ? new Text(child) : child, before ?? null);
  });
};

/**
 * An element as `el` makes it; where one came with the document, that one, in its place.
 * @param {string} where which one that is, as a selector within the page @param {Parameters<typeof el>} like
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

/** What came with the document where it is the same: that is on the screen already. @param {HTMLElement} node */
export const kept = (node) =>
  [...document.querySelectorAll(`main ${node.localName}`)].find((one) => one.isEqualNode(node)) ??
  node;

/**
 * Done when what was drawn last is on the screen, so that what nobody waits for is not in its way.
 * @returns {Promise<void>}
 */
export const painted = () =>
  new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)));
    // A page that is not looked at is not painted.
    setTimeout(resolve, 1_000);
  });

/**
 * Does the last of what it is told, once, when the next frame is on the screen: for what follows from something that is
 * to be seen first, and may follow from the next thing before it is done.
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

/** Does something that nobody waits for, and that may fail. @param {() => Promise<any>} act */
export const whenPainted = (act) =>
  painted()
    .then(act)
    .catch(() => {});

/** Sets a text only when it differs, so that nothing is announced or laid out twice. */
export const setText = (/** @type {Element} */ node, /** @type {string} */ text) => {
  if (node.textContent !== text) node.textContent = text;
};

/**
 * Scrolls a box so that an item in it is seen, and never the page.
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

/** A drawing, which is markup of the program, as an element of a document of its own. @param {string} markup */
export const parsed = (markup) =>
  new DOMParser().parseFromString(markup, 'image/svg+xml').documentElement;

/** A drawing, which is markup of the program, as an element. @param {string} markup */
export const drawing = (markup) => document.importNode(parsed(markup), true);

/** A short message that goes away by itself; it is also announced. */
export const toast = (/** @type {string} */ text, kind = '') => {
  document.getElementById('toast')?.remove();
  const node = el('div#toast', { className: `toast ${kind}` }, text);
  document.body.append(node);
  say(text);
  setTimeout(() => {
    node.remove();
    unsay(text);
  }, 5000);
};

/** Says why something did not work. @param {any} error */
export const complain = (error) => toast(reasonOf(error), 'bad');

/** Announces something politely. */
export const say = (/** @type {string} */ text) => {
  const live = document.getElementById('live');
  if (live) live.textContent = text;
};

/** Puts something in the place of an announcement that is no longer true, unless another has followed. */
export const unsay = (/** @type {string} */ text, instead = '') => {
  if (document.getElementById('live')?.textContent === text) say(instead);
};

const WRITING = 'input:not([type=radio]):not([type=checkbox]), textarea, select';

/** The keys that the cells of a board take for themselves. */
const OF_CELLS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', ' ', 'Home', 'End'];

/**
 * Listens to keys of a page, except where somebody writes.
 * @param {Record<string, () => void>} keys
 */
export const onKeys = (keys) => {
  document.addEventListener('keydown', (event) => {
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (key === 'Escape' && target.matches?.('input, textarea')) target.blur();
    if ((key === ' ' || key === 'Enter') && target.closest?.('button, a, summary')) return;
    if (target.matches?.(WRITING) || document.querySelector('dialog:modal')) return;
    const action = keys[key] ?? keys[key.toLowerCase()];
    if (!action || (target.closest?.('.cells') && OF_CELLS.includes(key))) return;
    event.preventDefault();
    action();
  });
};
