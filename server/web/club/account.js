/** The account box: a guest can take a name; a player can copy the key to another device. */
import { pageAt, whole } from '../address.js';
import { button, copyField, field, form, submit } from '../common/controls.js';
import { closeRow, confirmBox, openDialog } from '../common/dialogs.js';
import { complain, el, fill, keepFocus, setText, svg } from '../common/dom.js';
import { reasonOf } from '../common/text.js';
import { forever } from '../common/storage.js';
import { deleteJson, getJson, postJson } from '../connection/server.js';
import { answered, become, earlier, leave, propose, resolve } from './keys.js';
import { PREFIX, freshKey, me } from './me.js';
import { outline, qrCode } from './qr.js';

/** The player with a key. @param {string} key @returns {Promise<{id: string, name: string}>} */
const whoHas = (key) => getJson('me', key);

/** The prefix of invitations in links, and the invitation that this page was opened with. */
const INVITED = 'invite-';
let invitation = '';

/**
 * Handles a key in the address: it may come from another of the player's devices, or from anybody, so the user is asked
 * first. Before that, finds out what became of a key whose request got no answer. Also takes up an invitation.
 */
export const bringKey = async () => {
  const key = location.hash.slice(1);
  if (key.startsWith(INVITED)) invitation = key.slice(INVITED.length);
  // Keep it out of the address and the history.
  if (invitation || key.startsWith(PREFIX)) history.replaceState(null, '', location.pathname);
  await resolve(forever, whoHas);
  const own = me();
  if (!key.startsWith(PREFIX) || key === own?.key) return;
  try {
    const { id, name } = await whoHas(key);
    const here = own && own.id !== id ? `You are ${own.name} here, and can be again. ` : '';
    const question =
      `${here}This link has the key of ${name}. Whoever sent it can play as ${name}, too. ` +
      `Play as ${name} here?`;
    const no = own ? `Stay ${own.name}` : 'Stay a guest';
    if (await confirmBox(question, `Play as ${name}`, no)) become(forever, { id, name, key });
  } catch (error) {
    complain(error);
  }
};

/**
 * @param {HTMLElement} box @param {() => void} onChange
 * @param {any} [refused] why the server refuses the player's key
 */
export const showAccount = (box, onChange, refused) => {
  const changed = () => {
    keepFocus(
      () => showAccount(box, onChange),
      () => box.querySelector('#key-open, #player-name'),
    );
    onChange();
  };
  const own = me();
  const parts = own ? playerParts(own, changed, refused) : guestParts(changed);
  fill(box, ...parts, ...earlierParts(changed));
};

/** Players who have used this browser before. @param {() => void} changed */
const earlierParts = (changed) =>
  earlier(forever).map((one) =>
    button('.plain.earlier', `Play as ${one.name} again`, () => {
      become(forever, one);
      changed();
    }),
  );

/** @param {import('./keys.js').Me} own @param {() => void} changed @param {any} refused */
const playerParts = (own, changed, refused) => {
  const forget = () => {
    leave(forever, own);
    changed();
  };
  return [
    el('p.who', 'You are ', el('a', { href: pageAt(`player/${own.id}`) }, el('b', own.name)), '.'),
    refused && el('p.error', { role: 'alert' }, reasonOf(refused)),
    refused?.status === 401
      ? button('#forget-old-key', 'Forget this key', forget)
      : button('#key-open', 'Your key', () => showKey(own, changed)),
  ];
};

/** @param {() => void} changed */
const guestParts = (changed) => {
  const problem = el('p.error', { id: 'name-error', role: 'alert' });
  const name = el('input', {
    ...{ type: 'text', id: 'player-name', name: 'name', maxLength: 24, autocomplete: 'off' },
    'aria-label': 'Your name',
    'aria-describedby': 'name-error',
  });
  const code = el('input', {
    type: 'text',
    id: 'invitation',
    autocomplete: 'off',
    value: invitation,
  });
  const invited = field('Invitation', code, undefined, { hidden: !invitation });
  getJson('players')
    .then(({ registration }) => registration === 'closed' && (invited.hidden = false))
    .catch(() => {});
  const send = async () => {
    setText(problem, '');
    const wanted = name.value.trim();
    // Store the key before sending it, so that the player is not lost with the answer.
    const key = propose(forever, { name: wanted }, freshKey);
    if (!key) {
      setText(problem, 'This browser keeps nothing, so your key would be lost');
      return;
    }
    try {
      const invitation = code.value.trim() || undefined;
      const made = await postJson('players', { name: wanted, key, invitation });
      become(forever, { id: made.id, name: made.name, key });
      answered(forever);
      changed();
    } catch (error) {
      const { field: at, status } = /** @type {any} */ (error);
      if (status >= 400 && status < 500) answered(forever);
      if (at === 'invitation') invited.hidden = false;
      setText(problem, reasonOf(error));
    }
  };
  return [
    el('p.who', 'You are a guest. With a name you can play rated games; no e-mail, no password.'),
    form(
      '#register',
      send,
      field('Your name', el('div.joined', name, submit('.primary', 'Take this name')), problem),
      invited,
    ),
  ];
};

/** Draws a QR code. @param {string} text */
const drawn = (text) => {
  const code = qrCode(text);
  if (!code) return null;
  const size = code.length;
  return svg(
    'svg',
    {
      class: 'qr',
      viewBox: `-4 -4 ${size + 8} ${size + 8}`,
      role: 'img',
      'aria-label': 'The link as a QR code',
    },
    svg('path', { class: 'paper', d: `M-4 -4h${size + 8}v${size + 8}h-${size + 8}z` }),
    svg('path', { class: 'ink', d: outline(code) }),
  );
};

/** @param {import('./keys.js').Me} own @param {() => void} changed */
const showKey = (own, changed) => {
  const link = `${whole(pageAt('lobby'))}#${own.key}`;
  const close = () => /** @type {HTMLDialogElement} */ (document.getElementById('key')).close();
  const act = async (/** @type {() => Promise<any>} */ what) => {
    try {
      await what();
      close();
      changed();
    } catch (error) {
      complain(error);
    }
  };
  const replace = async () => {
    const sure = 'Links and devices with the old key stop working. Go on?';
    if (!(await confirmBox(sure, 'Replace the key'))) return;
    await act(async () => {
      const key = propose(forever, { from: own.key }, freshKey);
      if (!key) throw new Error('this browser keeps nothing, so the new key would be lost');
      await postJson('me/key', { key }, own.key);
      become(forever, { ...own, key });
      answered(forever);
    });
  };
  const away = async () => {
    const sure =
      'This browser forgets the key, and your seats in games. Without a copy of it nobody can play as you again.';
    if (await confirmBox(sure, 'Forget the key')) await act(async () => leave(forever, own));
  };
  const gone = async () => {
    const sure =
      `${own.name} is deleted for good. Your games remain, as those of a “deleted player”; ` +
      'those that go on are lost.';
    if (!(await confirmBox(sure, 'Delete this player', 'Cancel', true))) return;
    await act(async () => {
      await deleteJson('me', own.key);
      leave(forever, own);
    });
  };
  openDialog(
    { id: 'key', title: 'Your key' },
    el(
      'p',
      'Anybody with this link can play as you. Open it on another device, and keep it to yourself.',
    ),
    drawn(link),
    copyField('Link with your key', link, 'key-link'),
    copyField('For the terminal', own.key, 'key-text'),
    el(
      'div.row.wrap',
      button('#replace-key', 'Replace', replace),
      button('#forget-key', 'Forget here', away),
      button('#delete-player', 'Delete player', gone),
    ),
    closeRow(),
  );
};
