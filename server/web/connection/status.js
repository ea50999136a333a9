/** The connection's status, shown and announced only while something is wrong. */
import { el, say, setText, unsay } from '../common/dom.js';
import { reach } from './reach.js';

/** Problems shorter than this are not shown. */
const GRACE = 900;

/** For how long the recovery is shown. */
const RELIEF = 4_000;

const AWAY = { kind: 'reconnecting', words: 'The server does not answer. Trying again…' };
const WELL = { kind: 'connected', words: 'Connected' };
const AGAIN = 'Connected again.';

/** @typedef {{kind: string, words: string}} Told */

const line = el('section#link.link', { hidden: true, 'aria-label': 'Connection' });
document.body.append(line);

let told = '';
/** @type {Told} */
let now = WELL;
/** @type {any} */
let timer = null;

const trouble = (/** @type {Told} */ { kind, words }) => {
  line.hidden = false;
  line.dataset.kind = kind;
  setText(line, words);
  if (told !== words) {
    told = words;
    say(words);
  }
};

const relief = () => {
  line.hidden = true;
  if (!told) return;
  unsay(told, AGAIN);
  told = '';
  setTimeout(() => unsay(AGAIN), RELIEF);
};

/** Shows a state; problems only after a delay. @param {Told} state */
export const showState = (state) => {
  now = state;
  if (state.kind === 'connected') {
    clearTimeout(timer);
    timer = null;
    relief();
  } else if (!line.hidden) trouble(state);
  else
    timer ??= setTimeout(() => {
      timer = null;
      trouble(now);
    }, GRACE);
};

/** On pages without a socket, the status follows from how requests go. */
export const followRequests = () => {
  reach.watch((answering) => showState(answering ? WELL : AWAY));
  if (!reach.answering()) showState(AWAY);
};
