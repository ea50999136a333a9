/** The review of a game by the engine: progress, graph, accuracy, and a dialogue about each mistake. */
import { button } from '../common/controls.js';
import { el, fill, keepFocus, say, setText } from '../common/dom.js';
import { capital, plural, reasonOf } from '../common/text.js';
import { MARKS } from '../play/turns.js';
import { graph } from './graph.js';
import {
  accuracy,
  counted,
  gaveAway,
  graded,
  isWhole,
  mistakes,
  moverOf,
  reason,
  verdict,
} from './moments.js';
import { numberOf } from './variations.js';

/**
 * @typedef {import('./moments.js').Entry} Entry
 * @typedef {import('./moments.js').Answer} Answer
 * @typedef {object} Hooks
 * @property {[string, string]} players the names of who played
 * @property {[string, string]} sides what the players are called in the game
 * @property {1|2} first who began
 * @property {() => import('../program/views.js').Place} place the whole game
 * @property {(ply: number) => void} onGo
 * @property {() => void} onChange another position was reviewed, or the review was discarded
 * @property {(entries: Entry[]|undefined) => void} onKeep the complete review, or none
 * @property {(fields: object, hear: (line: any) => void, signal: AbortSignal) => Promise<any>} think reviews a game,
 *   position by position
 * @property {(ply: number, played: string) => void} onTry goes to the position before a mistake, to try again
 * @property {() => void} onAnswered nothing has to be hidden any longer
 * @property {(ply: number, line: string[]) => void} onPlay plays a line out
 * @property {(ply: number, turn: string) => void} onHint shows where a turn starts
 * @property {() => boolean} mayHint whether that tells less than the whole turn
 * @property {Entry[]|undefined} saved
 *
 * @typedef {{hooks: Hooks, entries: Entry[], line: string[], here: number, run: AbortController|null,
 *   asked: Entry|null, open: boolean, said: string, judging: number, answers: Map<number, Answer>,
 *   parts: ReturnType<typeof createParts>}} Review
 *   `line` are the turns reviewed in `entries`; `asked` is the mistake being discussed, `open` while it is unanswered,
 *   and `said` the latest feedback
 */

const PER_POSITION = 300;

/** @param {Hooks} hooks */
export const createReview = (hooks) => {
  const { saved = [] } = hooks;
  // Reviews saved by older versions lack what the graph needs, or are incomplete.
  const whole = isWhole(saved) && saved.every(({ bar }) => bar !== undefined) ? saved : [];
  const entries = graded(whole, hooks.first);
  /** @type {Review} */
  const r = /** @type {any} */ ({
    hooks,
    entries,
    line: entries.length > 0 ? lineOf(hooks).slice(0, entries[0].of) : [],
    here: 0,
    run: null,
    asked: null,
    open: false,
    said: '',
    judging: 0,
    answers: new Map(),
  });
  r.parts = createParts(r);
  return {
    element: r.parts.element,
    card: r.parts.card,
    go: () => go(r),
    nextMistake: () => nextMistake(r),
    judge: (/** @type {string} */ turn) => judge(r, turn),
    trying: () => r.open,
    /** How many turns precede the one being retried; null if none is. */
    asks: () => (r.open && r.asked ? r.asked.ply - 1 : null),
    /** The prompt while a better turn is looked for. */
    question: () => (r.open ? 'Play something better' : ''),
    entries: () => r.entries,
    show: (/** @type {number} */ ply) => {
      r.here = ply;
      paint(r);
    },
    stop: () => r.run?.abort(),
    /** Discards the review if the game's turns have changed. */
    check: () => {
      const now = lineOf(hooks);
      if (r.line.some((turn, i) => now[i] !== turn)) forget(r);
    },
  };
};

/** The turns of the whole game. @param {Hooks} hooks @returns {string[]} */
const lineOf = (hooks) => hooks.place().turns ?? [];

/** @param {Review} r */
const forget = (r) => {
  r.run?.abort();
  Object.assign(r, { run: null, entries: [], line: [] });
  r.answers.clear();
  r.hooks.onKeep(undefined);
  r.hooks.onChange();
  close(r);
};

/** @param {Review} r */
const createParts = (r) => {
  const bar = el('progress#review-progress', { max: 1, value: 0, 'aria-label': 'Review' });
  const words = el('p#review-words', { role: 'status', tabIndex: -1 });
  const picture = el('div#review-graph');
  const list = el('ol#mistakes.mistakes', { 'aria-label': 'Mistakes' });
  const tally = el('div#tally.tally');
  const start = button('#review-start.primary', 'Review this game', () => go(r));
  const next = button('#next-mistake', 'Next mistake', () => nextMistake(r), {
    title: 'Next mistake (n)',
  });
  const retry = button('#retry', 'Retry', () => tryAgain(r, current(r)));
  const element = el(
    'section.review',
    { 'aria-label': 'Review' },
    ...[bar, words, el('div.row', start, next, retry), picture, tally, list],
  );
  const title = el('h2#moment');
  const about = el('p#moment-about');
  const outcome = el('p#moment-words.verdict');
  const hint = button('#moment-hint', 'Hint', () => showHint(r));
  const show = button('#moment-show', 'Show it', () => showIt(r));
  const skip = button('#moment-skip', 'Skip', () => skipOn(r));
  const play = button('#moment-play', 'Play it out', () => playOut(r));
  const on = button('#moment-next.primary', 'Next', () => skipOn(r));
  const hidden = el('small#moment-hidden', 'Engine and lines stay hidden until you have answered.');
  const card = el(
    'section#moment-card.card.moment',
    { 'aria-label': 'Find something better', hidden: true },
    title,
    about,
    outcome,
    el('div.row', hint, show, on, play, skip),
    hidden,
  );
  const asking = { card, title, about, outcome, hint, show, skip, play, on, hidden };
  return { bar, words, picture, list, tally, start, next, retry, element, ...asking };
};

/** The mistake at the current position, or the one about to be made there. @param {Review} r */
const current = ({ entries, here, asked }) =>
  asked ?? mistakes(entries).find(({ ply }) => ply === here);

/** @param {Review} r @param {Entry} entry */
const playedAt = ({ line }, { ply }) => line[ply - 1] ?? '';

/** @param {Review} r */
const paint = (r) => {
  const was = /** @type {HTMLElement|null} */ (document.activeElement)?.dataset.ply;
  keepFocus(
    () => show(r),
    () => nextToFocus(r, was),
  );
};

/** What follows a button that is gone. @param {Review} r @param {string|undefined} ply of a mistake's button */
const nextToFocus = ({ asked, open, parts }, ply) => {
  const { hint, show: reveal, on, next, list, words } = parts;
  if (asked && open) return hint.hidden ? reveal : hint;
  if (asked) return on;
  if (ply) return list.querySelector(`[data-ply="${ply}"]`);
  return next.hidden || next.disabled ? words : next;
};

/** @param {Review} r */
const show = (r) => {
  const { entries, hooks, parts, run, here } = r;
  const { bar, picture, start, next, retry, words, list, tally } = parts;
  const of = entries.at(-1)?.of ?? lineOf(hooks).length;
  const done = isWhole(entries) && !run;
  start.disabled = of === 0;
  bar.hidden = !run;
  bar.value = of ? entries.length / (of + 1) : 0;
  fill(
    picture,
    graph(entries, of, here, (ply) => hooks.onGo(ply)),
  );
  const found = mistakes(entries);
  start.hidden = run !== null || done;
  next.hidden = retry.hidden = entries.length === 0;
  next.disabled = found.length === 0;
  retry.disabled = !current(r) || r.open;
  setText(words, summary(r, found, of));
  fill(
    list,
    found.map((entry) => item(r, entry)),
  );
  fill(tally, ...(done ? hooks.players.map((name, i) => score(r, name, i)) : []));
  paintCard(r);
};

/** The progress of the review, or its result. @param {Review} r @param {Entry[]} found @param {number} of */
const summary = ({ run, entries }, found, of) => {
  if (run) return `Reviewing the game: ${entries.length} of ${of + 1} positions`;
  if (!isWhole(entries)) return 'The engine looks at every turn.';
  if (found.length === 0) return 'No mistakes found.';
  return `${plural(found.length, 'moment')} worth another look.`;
};

/** @param {Review} r @param {string} name @param {number} i */
const score = ({ entries, hooks }, name, i) => {
  const player = /** @type {1|2} */ (i + 1);
  const share = accuracy(entries, player, hooks.first);
  return el(
    'div',
    el('span', `${name}: accuracy `, el('b', share === null ? '–' : `${share} %`)),
    el('small', counted(entries, player, hooks.first)),
  );
};

const STATES = { found: 'Found', shown: 'Shown' };

/** @param {Review} r @param {Entry} entry */
const item = (r, entry) => {
  const { ply, mistake, best } = entry;
  const asked = r.open && r.asked === entry;
  const answer = r.answers.get(ply);
  const told = (answer === 'found' || answer === 'shown') && !asked;
  const one = button('', '', () => (told ? r.hooks.onGo(ply) : tryAgain(r, entry)), {
    'data-ply': ply,
    'aria-current': ply === r.here || asked ? 'true' : null,
  });
  const state = asked
    ? 'Your turn'
    : told
      ? `${STATES[answer]} · better ${best[0] ?? ''}`
      : answer && 'Tried, not yet found';
  one.append(
    el(`b.mark-${mistake}`, MARKS[mistake ?? ''] ?? ''),
    el('span', `${numberOf(ply + r.hooks.first - 2)} ${playedAt(r, entry)}`),
    el('small', state || `${capital(mistake ?? '')}, not yet tried`),
  );
  if (answer === 'found') one.append(el('span.done', { 'aria-hidden': 'true' }, '✓'));
  return el('li', one);
};

/** The dialogue about a mistake. @param {Review} r */
const paintCard = (r) => {
  const { asked, open, parts, hooks, entries, said } = r;
  const { card, title, about, outcome, hint, show, skip, play, on, hidden } = parts;
  card.hidden = !asked;
  if (!asked) return;
  const mover = hooks.sides[moverOf(asked.ply, hooks.first) - 1];
  const number = numberOf(asked.ply + hooks.first - 2).replace(/[.…]/, '');
  const played = playedAt(r, asked);
  const mark = el(`span.mark-${asked.mistake}`, MARKS[asked.mistake ?? ''] ?? '');
  if (open) fill(title, `Find something better than ${played} `, mark);
  else fill(title, `Better than ${played} `, mark, `: ${asked.best[0]}`);
  setText(
    about,
    open
      ? `Turn ${number}, ${mover} to move. ${gaveAway(entries, asked, hooks.first)}`
      : reason(entries, asked, hooks.sides),
  );
  setText(outcome, said);
  outcome.hidden = !said;
  show.hidden = skip.hidden = hidden.hidden = !open;
  hint.hidden = !open || !hooks.mayHint();
  play.hidden = on.hidden = open;
  setText(on, following(r) ? 'Next' : 'Done');
};

/** The next mistake without an answer. @param {Review} r */
const following = ({ entries, asked, answers }) => {
  const left = mistakes(entries).filter((one) => one !== asked && !answers.has(one.ply));
  return left.find(({ ply }) => ply > (asked?.ply ?? 0)) ?? left[0];
};

/** @param {Review} r */
const go = async (r) => {
  if (r.run) return;
  const mine = new AbortController();
  const line = lineOf(r.hooks);
  Object.assign(r, { run: mine, entries: [], line, asked: null, open: false, said: '' });
  r.answers.clear();
  paint(r);
  let wrong = '';
  try {
    const hear = (/** @type {any} */ told) => {
      if (told.ply === undefined || r.run !== mine) return;
      const all = [...r.entries, told].sort((a, b) => a.ply - b.ply);
      r.entries = graded(all, r.hooks.first);
      r.hooks.onChange();
      paint(r);
    };
    await r.hooks.think({ ...r.hooks.place(), time_ms: PER_POSITION }, hear, mine.signal);
    if (r.run !== mine) return;
    r.hooks.onKeep(r.entries);
    say(`Review done. ${plural(mistakes(r.entries).length, 'mistake')} found.`);
  } catch (error) {
    wrong = reasonOf(error);
  }
  if (r.run !== mine) return;
  r.run = null;
  paint(r);
  if (wrong) setText(r.parts.words, wrong);
};

/** @param {Review} r */
const nextMistake = (r) => {
  const all = mistakes(r.entries);
  const found = all.find((entry) => entry.ply > r.here) ?? all[0];
  if (!found) return;
  close(r);
  r.hooks.onGo(found.ply);
  say(`${capital(found.mistake ?? '')}: ${playedAt(r, found)}.`);
};

/** Asks for a better turn than a mistake. @param {Review} r @param {Entry|undefined} entry */
const tryAgain = (r, entry) => {
  if (!entry) return;
  Object.assign(r, { asked: entry, open: true, said: '', judging: r.judging + 1 });
  r.hooks.onTry(entry.ply - 1, playedAt(r, entry));
  paint(r);
  say(`${r.parts.title.textContent} ${r.parts.about.textContent}`);
};

/** Ends the dialogue about a mistake. @param {Review} r */
const close = (r) => {
  Object.assign(r, { asked: null, open: false, said: '', judging: r.judging + 1 });
  r.hooks.onAnswered();
  paint(r);
};

/** @param {Review} r @param {Answer} answer @param {string} text */
const settle = (r, answer, text) => {
  if (!r.asked) return;
  if (r.answers.get(r.asked.ply) !== 'found') r.answers.set(r.asked.ply, answer);
  // A pending judgement of another try is no longer wanted.
  Object.assign(r, { open: false, said: text, judging: r.judging + 1 });
  r.hooks.onAnswered();
  paint(r);
  say(`${text} ${r.parts.title.textContent}. ${r.parts.about.textContent}`);
};

/** @param {Review} r */
const showHint = (r) => {
  if (r.asked && r.open) r.hooks.onHint(r.asked.ply - 1, r.asked.best[0]);
};

/** @param {Review} r */
const showIt = (r) => {
  if (!r.asked) return;
  settle(r, 'shown', '');
  playOut(r);
};

/** @param {Review} r */
const playOut = ({ asked, hooks }) => {
  if (asked) hooks.onPlay(asked.ply - 1, asked.best);
};

/** Goes on to the next unanswered mistake. @param {Review} r */
const skipOn = (r) => {
  const next = following(r);
  if (next) return tryAgain(r, next);
  const all = mistakes(r.entries).length;
  const found = [...r.answers.values()].filter((answer) => answer === 'found').length;
  close(r);
  setText(r.parts.words, `${found} of ${plural(all, 'moment')} answered without help.`);
};

/**
 * Judges a try by the same standard as the review: by the positions before and after it.
 * @param {Review} r @param {string[]} turns @returns {Promise<Entry|null>}
 */
const reviewed = async ({ hooks }, turns) => {
  const enough = new AbortController();
  let last = /** @type {Entry|null} */ (null);
  const hear = (/** @type {any} */ line) => {
    last ??= line.ply === turns.length ? line : null;
    if (last) enough.abort();
  };
  const asked = { ...hooks.place(), turns, time_ms: 2 * PER_POSITION };
  await hooks.think(asked, hear, enough.signal).catch(() => {});
  return last;
};

/** Judges a turn that was tried. @param {Review} r @param {string} turn */
const judge = async (r, turn) => {
  const { asked, open } = r;
  if (!asked || !open) return;
  const mine = ++r.judging;
  const played = playedAt(r, asked);
  r.said = `Looking at ${turn}…`;
  paint(r);
  const plain = turn === played || turn === asked.best[0];
  const turns = [...r.line.slice(0, asked.ply - 1), turn];
  const told = plain ? null : await reviewed(r, turns);
  if (mine !== r.judging) return;
  const { text, good, open: again } = verdict(asked, played, turn, told);
  if (good) return settle(r, 'found', text);
  if (!r.answers.has(asked.ply)) r.answers.set(asked.ply, 'missed');
  if (again) r.hooks.onTry(asked.ply - 1, played);
  r.said = text;
  paint(r);
  say(text);
};
