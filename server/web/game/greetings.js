/** Greetings: fixed phrases instead of a chat, which can be muted. */
import { button } from '../common/controls.js';
import { closeRow, openDialog } from '../common/dialogs.js';
import { el, toast } from '../common/dom.js';
import { remember, remembered } from '../common/storage.js';
import { catalogue } from '../program/views.js';

const MUTED = 'muted';

/** A dialog to send one. @param {(word: string) => void} say */
export const greetBox = async (say) => {
  const { greetings } = await catalogue();
  const mute = el('input', {
    type: 'checkbox',
    checked: remembered(MUTED, false),
    onchange: (/** @type {any} */ { target }) => remember(MUTED, target.checked),
  });
  const close = () => /** @type {HTMLDialogElement} */ (document.getElementById('greet')).close();
  const one = (/** @type {{word: string, text: string}} */ { word, text }) =>
    button(
      '',
      text,
      () => {
        say(word);
        close();
      },
      { 'data-word': word },
    );
  openDialog(
    { id: 'greet', title: 'Say something' },
    el('div.row.wrap', ...greetings.map(one)),
    el('label.flag', mute, 'Hide what other players say'),
    closeRow(),
  );
};

/** Shows an opponent's greeting. @param {string} name @param {string} text */
export const hearGreeting = (name, text) => {
  if (!remembered(MUTED, false)) toast(`${name}: ${text}`);
};
