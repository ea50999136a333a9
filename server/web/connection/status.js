/** The state of the connection as it is seen and heard: a line that stands only while something is wrong. */
import { el, say, setText, unsay } from '../common/dom.js';
import { reach } from './reach.js';

/** A trouble that is over sooner is not worth a word. */
const GRACE = 900;

/** How long it is said that all is well again. */
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

/** Shows a state; trouble only once it has lasted. @param {Told} state */
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

/** On pages without a connection of their own the answers to requests tell. */
export const followRequests = () => {
  reach.watch((answering) => showState(answering ? WELL : AWAY));
  if (!reach.answering()) showState(AWAY);
};
