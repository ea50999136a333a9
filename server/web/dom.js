/** Making elements, and the small dialogs that all pages share. */

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
const real = (children) => /** @type {(Node|string)[]} */ (children.filter((child) => child || child === ''));

const ATTRIBUTE = /^(aria-|data-|role$|for$|list$|popovertarget|inputmode$|enterkeyhint$|autocomplete$|colspan$)/;

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

/** Puts children in the place of what was there, unless that would change nothing. */
export const fill = (/** @type {Element} */ node, /** @type {(Node|string|null|false)[]} */ ...children) =>
  node.replaceChildren(...real(children));

/** Sets a text only when it differs, so that nothing is announced or laid out twice. */
export const setText = (/** @type {Element} */ node, /** @type {string} */ text) => {
  if (node.textContent !== text) node.textContent = text;
};

const SVG = 'http://www.w3.org/2000/svg';

/** An SVG element. */
export const svg = (/** @type {string} */ tag, /** @type {Record<string, any>} */ attributes = {}, /** @type {(Node|string)[]} */ ...children) => {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  node.append(...children);
  return node;
};

/** A drawing of the server as an element. */
export const drawing = (/** @type {string} */ markup) =>
  document.importNode(new DOMParser().parseFromString(markup, 'image/svg+xml').documentElement, true);

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
});

/** A button with a sign on it and a name for those who cannot see it. @param {string} icon @param {string} label @param {() => void} action @param {Record<string, any>} [props] */
export const iconButton = (icon, label, action, props = {}) => {
  const one = button('', action, { 'aria-label': label, ...props });
  one.append(svg('svg', { class: 'sign', viewBox: '0 0 20 20', 'aria-hidden': 'true' }, svg('path', { d: ICONS[icon] })));
  return one;
};

/**
 * The buttons that lead through a game.
 * @param {{first: () => void, back: () => void, on: () => void, last: () => void, flip: () => void}} ways
 */
export const stepsNav = ({ first, back, on, last, flip }) => el('nav.steps', { 'aria-label': 'Through the game' },
  iconButton('first', 'First position', first, { id: 'nav-first', title: 'First position (Home)' }),
  iconButton('back', 'One turn back', back, { id: 'nav-back', title: 'One turn back (←)' }),
  iconButton('on', 'One turn on', on, { id: 'nav-on', title: 'One turn on (→)' }),
  iconButton('last', 'Last position', last, { id: 'nav-last', title: 'Last position (End)' }),
  iconButton('flip', 'Turn the board round', flip, { id: 'flip', title: 'Turn the board round (f)' }));

/**
 * A modal question.
 * @param {string} question
 * @param {string} yes what the button says that does it
 * @returns {Promise<boolean>}
 */
export const confirmBox = (question, yes, no = 'Cancel') =>
  new Promise((resolve) => {
    const box = el('dialog.box', { 'aria-label': question },
      el('form', { method: 'dialog' },
        el('p', {}, question),
        el('div.row', {},
          el('button', { value: 'no' }, no),
          el('button.primary', { value: 'yes' }, yes))));
    box.addEventListener('close', () => { resolve(box.returnValue === 'yes'); box.remove(); });
    document.body.append(box);
    box.showModal();
  });

/** A short message that goes away by itself; it is also announced. */
export const toast = (/** @type {string} */ text, kind = '') => {
  const old = document.getElementById('toast');
  old?.remove();
  const node = el('div', { id: 'toast', className: `toast ${kind}` }, text);
  document.body.append(node);
  say(text);
  setTimeout(() => { node.remove(); unsay(text); }, 5000);
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
  const input = el('input', { type: 'text', readOnly: true, value, id, 'aria-label': label, onfocus: () => input.select() });
  const copy = button('Copy', async () => {
    await copyText(value, input);
    copy.textContent = 'Copied';
    say(`${label} copied`);
    setTimeout(() => { copy.textContent = 'Copy'; }, 2000);
  }, { 'aria-label': `Copy: ${label}` });
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
    if ((event.key === ' ' || event.key === 'Enter') && target.closest?.('button, a, summary')) return;
    if (target.matches?.('input:not([type=radio]):not([type=checkbox]), textarea, select') || document.querySelector('dialog:modal')) return;
    const action = keys[event.key] ?? keys[event.key.toLowerCase()];
    if (!action || !active()) return;
    if (target.closest?.('.cells') && (event.key.startsWith('Arrow') || event.key === ' ' || event.key === 'Home' || event.key === 'End')) return;
    event.preventDefault();
    action(event);
  });
};
