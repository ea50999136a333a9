/** Modal dialogs. */
import { button, copyText } from './controls.js';
import { el } from './dom.js';

/**
 * Opens a dialog, which is removed when it is closed.
 * @param {{id?: string, title: string, className?: string, head?: boolean,
 *   onClose?: (box: HTMLDialogElement) => void}} how `head` is whether the title is visible; it is read out in any case
 * @param {...any} parts
 */
export const openDialog = (
  { id = '', title, className = '', head = true, onClose = () => {} },
  ...parts
) => {
  const form = el('form', { method: 'dialog' }, head && el('h2', title), ...parts);
  const box = el('dialog', { id, className: `box ${className}`, 'aria-label': title }, form);
  box.addEventListener('close', () => {
    onClose(box);
    box.remove();
  });
  document.body.append(box);
  box.showModal();
  return box;
};

/** @param {any[]} before */
export const closeRow = (...before) => el('div.row', ...before, el('button.primary', 'Close'));

/**
 * A modal question.
 * @param {string} question @param {string} yes the label of the confirming button @param {string} [no]
 * @param {boolean} [grave] whether it cannot be undone
 * @returns {Promise<boolean>}
 */
export const confirmBox = (question, yes, no = 'Cancel', grave = false) =>
  new Promise((resolve) => {
    openDialog(
      { title: question, head: false, onClose: (box) => resolve(box.returnValue === 'yes') },
      el('p', question),
      el(
        'div.row',
        el('button', { value: 'no' }, no),
        el(`button.primary${grave ? '.danger' : ''}`, { value: 'yes' }, yes),
      ),
    );
  });

/**
 * A dialog with a game as text, to copy or save.
 * @param {string} text
 * @param {{id: string, title: string, file: string, lead?: string,
 *   more?: any}} how `file` is the name to save it under, `more` another button
 */
export const recordBox = (text, { id, title, file, lead, more }) => {
  const area = el('textarea#record-text', {
    readOnly: true,
    rows: 10,
    value: text,
    'aria-label': 'Record',
  });
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  openDialog(
    { id, title, onClose: () => URL.revokeObjectURL(address) },
    lead && el('p', lead),
    area,
    closeRow(
      el('a.button', { href: address, download: file }, 'Save'),
      button('', 'Copy', () => copyText(text, area)),
      more,
    ),
  );
};
