/** The notices on the game page: invitations, offers, and notes about links. */
import { gameAt, whole } from '../address.js';
import { button, copyField, form, submit } from '../common/controls.js';
import { el, fill } from '../common/dom.js';
import { prefs, setPrefs } from '../common/prefs.js';

/**
 * @typedef {{id: string, colour: string, onJoin: (name: string|undefined) => void, onPutOff: () => void,
 *   onAgain: () => void,
 *   onAnswer: (yes: boolean, kind: import('./notices.js').Question['kind']) => void}} Hooks
 *   `colour` is the side that an invited friend would play
 */

/**
 * Shows a notice, unless it is the same as before.
 * @param {HTMLElement} box @param {import('./gamestate.js').Notice|null} notice @param {() => Hooks} hooks
 */
export const showNotice = (box, notice, hooks) => {
  const kind = notice ? JSON.stringify(notice) : '';
  if ((box.dataset.kind ?? '') === kind) return;
  if (kind) box.dataset.kind = kind;
  else delete box.dataset.kind;
  fill(box, notice && card(notice, hooks()));
};

/** @param {import('./gamestate.js').Notice} notice @param {Hooks} hooks */
const card = (notice, hooks) => {
  switch (notice.kind) {
    case 'join':
      return joinForm(notice.joining, hooks);
    case 'invite':
      return el(
        'div.card',
        el('p', 'Send this link to your friend. Whoever opens it may take the other seat.'),
        copyField('Link for your friend', whole(gameAt(hooks.id, notice.secret)), 'invite-link'),
      );
    case 'question':
      return questionCard(notice.open, notice.answering, hooks);
    case 'next':
      return el(
        'p.card',
        'They play again: ',
        el('a#to-rematch', { href: gameAt(notice.id) }, 'watch the rematch'),
        '.',
      );
    case 'stuck':
      return el(
        'div#stuck.card',
        { role: 'alert' },
        el('p', notice.text),
        el('div.row', button('#again.primary', 'Try again', hooks.onAgain)),
      );
    case 'note':
      return el('p#seat-note.card', notice.text);
  }
};

/** @param {boolean} joining @param {Hooks} hooks */
const joinForm = (joining, { colour, onJoin }) => {
  const field = el('input#join-name', {
    type: 'text',
    maxLength: 40,
    value: prefs().name,
    placeholder: 'Your name',
    'aria-label': 'Your name',
    disabled: joining,
  });
  const send = () => {
    const name = field.value.trim();
    setPrefs({ name });
    onJoin(name || undefined);
  };
  const join = submit('#join.primary', joining ? 'Joining…' : 'Join', { disabled: joining });
  return form(
    '.card',
    send,
    el('p', `You are invited to play ${colour}.`),
    el('div.joined', field, join),
  );
};

/** @param {import('./notices.js').Question} open @param {boolean} answering @param {Hooks} hooks */
const questionCard = ({ kind, text }, answering, { onAnswer, onPutOff }) => {
  if (kind === 'asked') return el('p.card', text);
  const no = button(
    '#decline',
    kind === 'rematch' ? 'Not now' : 'Decline',
    () => (kind === 'rematch' ? onPutOff() : onAnswer(false, kind)),
    { disabled: answering },
  );
  const yes = button('#accept.primary', 'Accept', () => onAnswer(true, kind), {
    disabled: answering,
  });
  return el(
    'div.card',
    { role: 'group', 'aria-label': 'Offer' },
    el('p', text),
    el('div.row', no, yes),
  );
};
