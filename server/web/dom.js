/** Making elements, and the small things that all pages share. */
import { pageAt } from './address.js';

/**
 * An element with properties, attributes and children. Text is always text, never markup.
 * @param {string} name tag name, with classes behind dots: `div.card.wide`
 * @param {Record<string, any>} [props] `on…` listens, `aria-…`, `data-…` and `role` become attributes, the rest properties
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {any}
 */
export const el = (name, props = {}, ...children) => {
  const [tag, ...classes] = name.split('.');
  const node = document.createElement(tag);
  node.classList.add(...classes);
  setProps(node, props);
  node.append(...real(children));
  return node;
};

/** The children that are there. @param {(Node|string|null|undefined|false)[]} children */
const real = (children) =>
  /** @type {(Node|string)[]} */ (children.filter((child) => child || child === ''));

const ATTRIBUTE =
  /^(aria-|data-|role$|for$|list$|popovertarget|inputmode$|enterkeyhint$|autocomplete$|colspan$)/;

/** @param {HTMLElement} node @param {Record<string, any>} props */
export const setProps = (node, props) => {
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (ATTRIBUTE.test(key)) {
      if (value === null || value === false) node.removeAttribute(key);
      else node.setAttribute(key, String(value));
    } else /** @type {any} */ (node)[key] = value;
  }
};

/** Puts children in the place of what was there. */
export const fill = (
  /** @type {Element} */ node,
  /** @type {(Node|string|null|false)[]} */ ...children
) => {
  const next = real(children);
  // What stays is never taken out: it would have to be laid out and painted again.
  for (const old of [...node.childNodes]) if (!next.includes(old)) old.remove();
  next.forEach((child, i) => {
    const there = node.childNodes[i];
    if (there === child) return;
    node.insertBefore(typeof child === 'string' ? new Text(child) : child, there ?? null);
  });
};

/**
 * An element as `el` makes it; where one came with the document, that one, in its place.
 * @param {string} where which one that is, as a selector within the page @param {Parameters<typeof el>} like @returns {any}
 */
export const adopt = (where, ...[name, props = {}, ...children]) => {
  const node = /** @type {HTMLElement|null} */ (document.querySelector(`main ${where}`));
  if (!node) return el(name, props, ...children);
  setProps(node, props);
  fill(node, .../** @type {any[]} */ (children));
  return node;
};

/** What came with the document where it is the same: that is on the screen already. @param {HTMLElement} node */
export const kept = (node) =>
  [...document.querySelectorAll(`main ${node.localName}`)].find((one) => one.isEqualNode(node)) ??
  node;

/** Done when what was drawn last is on the screen, so that what nobody waits for is not in its way. @returns {Promise<void>} */
export const painted = () =>
  new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)));
    // A page that is not looked at is not painted.
    setTimeout(resolve, 1_000);
  });

/** Sets a text only when it differs, so that nothing is announced or laid out twice. */
export const setText = (/** @type {Element} */ node, /** @type {string} */ text) => {
  if (node.textContent !== text) node.textContent = text;
};

const SVG = 'http://www.w3.org/2000/svg';

/** An SVG element. */
export const svg = (
  /** @type {string} */ tag,
  /** @type {Record<string, any>} */ attributes = {},
  /** @type {(Node|string)[]} */ ...children
) => {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  node.append(...children);
  return node;
};

/** A drawing, which is markup of the program, as an element. */
export const drawing = (/** @type {string} */ markup) =>
  document.importNode(
    new DOMParser().parseFromString(markup, 'image/svg+xml').documentElement,
    true,
  );

/** @param {string} label @param {() => void} action @param {Record<string, any>} [props] */
export const button = (label, action, props = {}) => {
  const { className = '', ...rest } = props;
  return el('button', { type: 'button', className, onclick: action, ...rest }, label);
};

const ICONS = /** @type {Record<string, string>} */ ({
  first: 'M5 4v12M16 4l-8 6 8 6z',
  back: 'M14 4l-8 6 8 6z',
  on: 'M6 4l8 6-8 6z',
  last: 'M15 4v12M4 4l8 6-8 6z',
  flip: 'M6 16V5M3 8l3-3 3 3M14 4v11M11 12l3 3 3-3',
  undo: 'M7 5L3.5 8.5 7 12M4 8.5h8a4.5 4.5 0 0 1 0 9H8',
  hint: 'M8 15.5h4M8.5 18h3M10 2.5a5 5 0 0 0-3 9c.8.7 1.2 1.3 1.2 2h3.6c0-.7.4-1.3 1.2-2a5 5 0 0 0-3-9z',
  more: 'M4.5 10h.01M10 10h.01M15.5 10h.01',
  again: 'M4 10a6 6 0 0 1 10.5-4M16 10a6 6 0 0 1-10.5 4M14.5 2.5V6H11M5.5 17.5V14H9',
  review: 'M3 16h14M4 13l4-5 3 3 5-7',
  analyse: 'M8.5 14a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM13 13l4 4',
  friend:
    'M7 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2 17c0-3 2-4.5 5-4.5s5 1.5 5 4.5M13 9.5a3 3 0 0 0 0-6M14.5 12.7c2.2.5 3.5 2 3.5 4.3',
  learn: 'M10 4L1.5 8 10 12l8.5-4zM5 10v4c1.5 1.3 3.2 2 5 2s3.5-.7 5-2v-4',
  proof:
    'M10 2l7 2.5v5c0 4-3 7-7 8.500-4-1.500-7-4.500-7-8.500v-5zM6.500 9.500l2.500 2.500 4.500-4.500',
  less: 'M4 10h12',
  none: 'M5 5l10 10M15 5L5 15',
  home: 'M3 10l7-6 7 6M5 9v8h10V9',
  settings:
    'M3 6h6M13 6h4M3 14h2M9 14h8M11 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7 16a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
});

/** A small picture on a button. */
export const sign = (/** @type {string} */ icon) =>
  svg(
    'svg',
    { class: 'sign', viewBox: '0 0 20 20', 'aria-hidden': 'true' },
    svg('path', { d: ICONS[icon] }),
  );

/** A button of the bar: a sign over its name. @param {string} icon @param {string} label @param {() => void} action @param {Record<string, any>} [props] */
export const barButton = (icon, label, action, props = {}) => {
  const one = button('', action, props);
  one.append(sign(icon), el('span', {}, label));
  return one;
};

/** A link of the bar. @param {string} icon @param {string} label @param {Record<string, any>} [props] */
export const barLink = (icon, label, props = {}) => {
  const one = el('a.button', props);
  one.append(sign(icon), el('span', {}, label));
  return one;
};

/** What is used seldom, behind one button. @param {any[]} items */
export const moreMenu = (...items) => {
  const list = el('div.card', { id: 'more-menu', hidden: true }, ...items);
  const open = (/** @type {boolean} */ shown) => {
    list.hidden = !shown;
    more.setAttribute('aria-expanded', String(shown));
    if (shown) list.querySelector('button:not([hidden]), a:not([hidden])')?.focus();
  };
  const more = barButton('more', 'More', () => open(list.hidden), {
    id: 'more',
    'aria-expanded': 'false',
    'aria-controls': 'more-menu',
  });
  const element = el('div.menu', {}, more, list);
  list.addEventListener('click', () => {
    open(false);
    more.focus();
  });
  element.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== 'Escape' || list.hidden) return;
    event.stopPropagation();
    open(false);
    more.focus();
  });
  document.addEventListener('pointerdown', ({ target }) => {
    if (!list.hidden && !element.contains(/** @type {Node} */ (target))) open(false);
  });
  return element;
};

/** The line that names what one looks at; on small screens it leads home and to the settings, too. @param {string} name @param {string} about @param {Node|null} [state] */
export const placeLine = (name, about, state = null) => {
  const home = el('a.button.home', { href: pageAt(''), 'aria-label': 'Quadrille' });
  home.append(sign('home'));
  const settings = el('button.settings', {
    type: 'button',
    popovertarget: 'settings',
    'aria-label': 'Settings',
  });
  settings.append(sign('settings'));
  return el(
    'header.place',
    {},
    home,
    kept(el('h1', {}, name)),
    el('small', {}, about),
    state ? el('span.state', {}, state) : null,
    settings,
  );
};

/** A button with a sign on it and a name for those who cannot see it. @param {string} icon @param {string} label @param {() => void} action @param {Record<string, any>} [props] */
export const iconButton = (icon, label, action, props = {}) => {
  const one = button('', action, { 'aria-label': label, ...props });
  one.append(sign(icon));
  return one;
};

/**
 * The buttons that lead through a game.
 * @param {{first: () => void, back: () => void, on: () => void, last: () => void}} ways
 */
export const stepsNav = ({ first, back, on, last }) =>
  el(
    'nav.steps',
    { 'aria-label': 'Through the game' },
    iconButton('first', 'First position', first, {
      id: 'nav-first',
      title: 'First position (Home)',
    }),
    iconButton('back', 'One turn back', back, { id: 'nav-back', title: 'One turn back (←)' }),
    iconButton('on', 'One turn on', on, { id: 'nav-on', title: 'One turn on (→)' }),
    iconButton('last', 'Last position', last, { id: 'nav-last', title: 'Last position (End)' }),
  );

/**
 * The keys that lead through a game.
 * @param {{first: () => void, step: (by: number) => void, last: () => void}} ways
 */
export const stepKeys = ({ first, step, last }) => ({
  ArrowLeft: () => step(-1),
  k: () => step(-1),
  ArrowRight: () => step(1),
  j: () => step(1),
  PageUp: () => step(-10),
  PageDown: () => step(10),
  Home: first,
  End: last,
});

/** Only the board, or all of the page. */
export const zen = () => document.documentElement.classList.toggle('zen');

/** The way back from the board alone. */
export const unzenButton = () =>
  button('Show everything', () => zen(), { className: 'unzen', id: 'unzen' });

/** A short message that goes away by itself; it is also announced. */
export const toast = (/** @type {string} */ text, kind = '') => {
  const old = document.getElementById('toast');
  old?.remove();
  const node = el('div', { id: 'toast', className: `toast ${kind}` }, text);
  document.body.append(node);
  say(text);
  setTimeout(() => {
    node.remove();
    unsay(text);
  }, 5000);
};

/** Announces something politely. */
export const say = (/** @type {string} */ text) => {
  const live = document.getElementById('live');
  if (live) live.textContent = text;
};

/** Puts something in the place of an announcement that is no longer true, unless another has followed. */
export const unsay = (/** @type {string} */ text, instead = '') => {
  if (document.getElementById('live')?.textContent === text) say(instead);
};

/** Copies a text; pages without encryption have only the old way. @param {string} text @param {HTMLInputElement|HTMLTextAreaElement} [field] */
export const copyText = async (text, field) => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    field?.select();
    return Boolean(field) && document.execCommand('copy');
  }
};

/** A field that shows a text and copies it. */
export const copyField = (/** @type {string} */ label, /** @type {string} */ value, id = '') => {
  const input = el('input', {
    type: 'text',
    readOnly: true,
    value,
    id,
    'aria-label': label,
    onfocus: () => input.select(),
  });
  const copy = button(
    'Copy',
    async () => {
      await copyText(value, input);
      copy.textContent = 'Copied';
      say(`${label} copied`);
      setTimeout(() => {
        copy.textContent = 'Copy';
      }, 2000);
    },
    { 'aria-label': `Copy: ${label}` },
  );
  return el('div.copy', {}, el('span.label', {}, label), el('div.joined', {}, input, copy));
};

/**
 * Listens to keys of a page, except where somebody writes.
 * @param {Record<string, (event: KeyboardEvent) => void>} keys
 * @param {() => boolean} [active]
 */
export const onKeys = (keys, active = () => true) => {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.key === 'Escape' && target.matches?.('input, textarea')) target.blur();
    if ((event.key === ' ' || event.key === 'Enter') && target.closest?.('button, a, summary'))
      return;
    if (
      target.matches?.('input:not([type=radio]):not([type=checkbox]), textarea, select') ||
      document.querySelector('dialog:modal')
    )
      return;
    const action = keys[event.key] ?? keys[event.key.toLowerCase()];
    if (!action || !active()) return;
    if (
      target.closest?.('.cells') &&
      (event.key.startsWith('Arrow') ||
        event.key === ' ' ||
        event.key === 'Home' ||
        event.key === 'End')
    )
      return;
    event.preventDefault();
    action(event);
  });
};
