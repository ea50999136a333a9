/** Tabs, which are navigated with the arrow keys. */
import { button } from './controls.js';
import { el } from './dom.js';

/**
 * @param {{id: string, name: string, panel: HTMLElement}[]} tabs
 * @returns {{list: HTMLElement, panels: HTMLElement[], show: (id: string, focus?: boolean) => void}}
 */
export const createTabs = (tabs) => {
  const buttons = tabs.map(({ id, name }) =>
    button('', name, () => show(id), {
      id: `tab-${id}`,
      role: 'tab',
      'aria-controls': `panel-${id}`,
    }),
  );
  const panels = tabs.map(({ id, panel }) =>
    el('div', { id: `panel-${id}`, role: 'tabpanel', 'aria-labelledby': `tab-${id}` }, panel),
  );
  const list = el('div.tablist', { role: 'tablist' }, ...buttons);

  const show = (/** @type {string} */ id, focus = false) =>
    tabs.forEach((tab, i) => {
      const chosen = tab.id === id;
      buttons[i].setAttribute('aria-selected', String(chosen));
      buttons[i].tabIndex = chosen ? 0 : -1;
      panels[i].hidden = !chosen;
      if (chosen && focus) buttons[i].focus();
    });

  list.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const at = buttons.findIndex((one) => one === document.activeElement);
    show(tabs[(at + by + tabs.length) % tabs.length].id, true);
  });
  show(tabs[0].id);
  return { list, panels, show };
};
