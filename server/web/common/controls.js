/** Buttons, fields and menus. */
import { pageAt } from '../address.js';
import { el, kept, say, setAttribute, svg } from './dom.js';

/** @typedef {import('./dom.js').Props} Props */

/**
 * @param {string} name an id after # and classes after dots: `#go.primary` @param {string} label
 * @param {() => void} action @param {Props} [props]
 */
export const button = (name, label, action, props = {}) =>
  el(`button${name}`, { type: 'button', onclick: action, ...props }, label);

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
    'M7 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2 17c0-3 2-4.5 5-4.5s5 1.5 5 4.5' +
    'M13 9.5a3 3 0 0 0 0-6M14.5 12.7c2.2.5 3.5 2 3.5 4.3',
  learn: 'M10 4L1.5 8 10 12l8.5-4zM5 10v4c1.5 1.3 3.2 2 5 2s3.5-.7 5-2v-4',
  proof:
    'M10 2l7 2.5v5c0 4-3 7-7 8.500-4-1.500-7-4.500-7-8.500v-5zM6.500 9.500l2.500 2.500 4.500-4.500',
  less: 'M4 10h12',
  none: 'M5 5l10 10M15 5L5 15',
  home: 'M3 10l7-6 7 6M5 9v8h10V9',
  settings:
    'M3 6h6M13 6h4M3 14h2M9 14h8M11 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7 16a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
});

/** An icon for a button. @param {string} icon */
export const sign = (icon) =>
  svg(
    'svg',
    { class: 'sign', viewBox: '0 0 20 20', 'aria-hidden': 'true' },
    svg('path', { d: ICONS[icon] }),
  );

/**
 * A button of the toolbar: an icon above its name.
 * @param {string} name @param {string} icon @param {string} label @param {() => void} action @param {Props} [props]
 */
export const barButton = (name, icon, label, action, props = {}) =>
  el(`button${name}`, { type: 'button', onclick: action, ...props }, sign(icon), el('span', label));

/** A link of the toolbar. @param {string} name @param {string} icon @param {string} label */
export const barLink = (name, icon, label) => el(`a${name}.button`, sign(icon), el('span', label));

/**
 * A button with an icon only, and an accessible name.
 * @param {string} name @param {string} icon @param {string} label @param {() => void} action @param {Props} [props]
 */
export const iconButton = (name, icon, label, action, props = {}) =>
  el(
    `button${name}`,
    { type: 'button', onclick: action, 'aria-label': label, ...props },
    sign(icon),
  );

/** Rarely used items, behind a menu button. @param {any[]} items */
export const moreMenu = (...items) => {
  const list = el('div#more-menu.card', { hidden: true }, items);
  const open = (/** @type {boolean} */ shown) => {
    list.hidden = !shown;
    setAttribute(more, 'aria-expanded', String(shown));
    if (shown) list.querySelector('button:not([hidden]), a:not([hidden])')?.focus();
  };
  const close = () => {
    open(false);
    more.focus();
  };
  const more = barButton('#more', 'more', 'More', () => open(list.hidden), {
    'aria-expanded': 'false',
    'aria-controls': 'more-menu',
  });
  const onkeydown = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== 'Escape' || list.hidden) return;
    event.stopPropagation();
    close();
  };
  const element = el('div.menu', { onkeydown }, more, list);
  // In the capture phase, before the item acts, so that whatever it opens keeps the focus.
  list.addEventListener('click', close, true);
  document.addEventListener('pointerdown', ({ target }) => {
    if (!list.hidden && !element.contains(/** @type {Node} */ (target))) open(false);
  });
  return element;
};

/**
 * The line that names the game; on small screens it also leads to the home page and the settings.
 * @param {string} name @param {string} about @param {Node} [state]
 */
export const placeLine = (name, about, state) =>
  el(
    'header.place',
    el('a.button.home', { href: pageAt(''), 'aria-label': 'Quadrille' }, sign('home')),
    kept(el('h1', name)),
    el('small', about),
    state && el('span.state', state),
    el(
      'button.settings',
      { type: 'button', popovertarget: 'settings', 'aria-label': 'Settings' },
      sign('settings'),
    ),
  );

/**
 * A choice between a few values, side by side.
 * @param {string} mark @param {{name: string, title: string, chosen?: string, onchange?: (value: string) => void}} how
 * @param {{value: string, label: any, about?: string}[]} values @param {Props} [props]
 */
export const segments = (mark, { name, title, chosen, onchange }, values, props = {}) =>
  el(
    `fieldset${mark}.segments`,
    props,
    el('legend', title),
    values.map(({ value, label, about = '' }) => {
      const checked = value === chosen;
      const choose = () => onchange?.(value);
      const input = el('input', { type: 'radio', name, value, checked, onchange: choose });
      return el('label', { title: about }, input, el('span', label));
    }),
  );

/**
 * The options of a select.
 * @param {{value: any, label: string}[]} values @param {any} [chosen]
 */
export const options = (values, chosen) =>
  values.map(({ value, label }) =>
    el('option', { value: String(value), selected: String(value) === String(chosen) }, label),
  );

/**
 * A choice between many values.
 * @param {Props} props @param {{value: any, label: string}[]} values @param {any} [chosen]
 */
export const select = (props, values, chosen) => el('select', props, options(values, chosen));

/**
 * A field with its label.
 * @param {string} label @param {HTMLElement} input @param {any} [more] @param {Props} [props]
 */
export const field = (label, input, more, props = {}) =>
  el('div.field', props, el('label', { for: input.id }, label), input, more);

/**
 * A form that does not reload the page.
 * @param {string} name @param {() => void} onSend @param {...any} parts
 */
export const form = (name, onSend, ...parts) =>
  el(
    `form${name}`,
    {
      onsubmit: (event) => {
        event.preventDefault();
        onSend();
      },
    },
    ...parts,
  );

/** The submit button of a form. @param {string} name @param {string} label @param {Props} [props] */
export const submit = (name, label, props = {}) =>
  el(`button${name}`, { type: 'submit', ...props }, label);

/**
 * Copies a text to the clipboard. Insecure pages only have the old API.
 * @param {string} text @param {HTMLInputElement|HTMLTextAreaElement} [shown]
 */
export const copyText = async (text, shown) => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    shown?.select();
    return Boolean(shown) && document.execCommand('copy');
  }
};

/** A read-only field. @param {string} id @param {string} label @param {string} [value] */
export const shownText = (id, label, value = '') =>
  el('input', {
    ...{ type: 'text', readOnly: true, value, id, 'aria-label': label },
    onfocus: ({ target }) => target.select(),
  });

/** A read-only field with a button to copy it. @param {string} label @param {string} value @param {string} id */
export const copyField = (label, value, id) => {
  const input = shownText(id, label, value);
  const act = async () => {
    await copyText(value, input);
    copy.textContent = 'Copied';
    say(`${label} copied`);
    setTimeout(() => {
      copy.textContent = 'Copy';
    }, 2000);
  };
  const copy = button('', 'Copy', act, { 'aria-label': `Copy: ${label}` });
  return el('div.copy', el('span.label', label), el('div.joined', input, copy));
};
