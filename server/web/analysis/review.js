/** The engine goes over a game: progress, curve, mistakes by size, and another try at each. */
import { button } from '../common/controls.js';
import { el, fill, say, setText } from '../common/dom.js';
import { capital, plural, reasonOf, scoreText } from '../common/text.js';
import { MARKS } from '../play/turns.js';
import { think } from '../program/ask.js';
import { graph } from './graph.js';
import { numberOf } from './variations.js';

/**
 * @typedef {{ply: number, of: number, score: number, win_in: number|null, bar: number, best: string[], loss: number,
 *   mistake: string|null}} Entry
 */

/** The sizes of mistakes, one and several. */
const SIZES = { blunder: 'blunders', mistake: 'mistakes', inaccuracy: 'inaccuracies' };
const PER_POSITION = 300;
/** A turn that gives away no more than this is as good as the best. */
const SMALL = 60;

/** A score as the other side sees it. @param {{score: number, win_in: number|null}} line */
const negated = ({ score, win_in: winIn }) => ({
  score: -score,
  win_in: winIn == null ? null : -winIn,
});

/** The mistakes, in the order of the game. @param {Entry[]} entries */
export const mistakes = (entries) => entries.filter((entry) => Boolean(entry.mistake));

/**
 * @param {{players: [string, string], first: 1|2, place: () => import('../program/views.js').Place, onGo: (ply:
 *   number) => void, onChange: (entries: Entry[]) => void,
 *   onRetry: (ply: number) => void, onJudged: () => void, saved?: Entry[]}} hooks
 */
export const createReview = (hooks) => {
  const { players, first, place, saved, onGo, onChange, onRetry, onJudged } = hooks;
  // Reviews of older versions lack what the graph needs.
  /** @type {Entry[]} */
  let entries = saved?.every(({ bar }) => bar !== undefined) ? saved : [];
  let here = 0;
  /** @type {AbortController|null} */
  let run = null;
  /** @type {{entry: Entry, before: Entry|undefined}|null} */
  let trying = null;
  /** The mistakes whose answer has been looked for. @type {Set<number>} */
  const answered = new Set();

  const bar = el('progress#review-progress', { max: 1, value: 0, 'aria-label': 'Review' });
  const words = el('p#review-words', { role: 'status' });
  const picture = el('div#review-graph');
  const list = el('ul#mistakes.mistakes', { 'aria-label': 'Mistakes' });
  const start = button('#review-start.primary', 'Review this game', () => go());
  const next = button('#next-mistake', 'Next mistake', () => nextMistake(), {
    title: 'Next mistake (n)',
  });
  const retry = button('#retry', 'Retry', () => tryAgain());
  const element = el(
    'section.review',
    { 'aria-label': 'Review' },
    ...[bar, words, picture, list],
    el('div.row', start, next, retry),
  );

  const moverOf = (/** @type {Entry} */ entry) =>
    /** @type {1|2} */ (((first - 1 + entry.ply - 1) % 2) + 1);
  const current = () => mistakes(entries).find((entry) => entry.ply === here);

  const paint = () => {
    const of = entries.at(-1)?.of ?? place().turns?.length ?? 0;
    const running = run !== null;
    start.disabled = of === 0;
    bar.hidden = !running;
    bar.value = of ? entries.length / (of + 1) : 0;
    fill(
      picture,
      graph(entries, of, here, (ply) => onGo(ply)),
    );
    const found = mistakes(entries);
    start.hidden = running || entries.length > 0;
    next.hidden = retry.hidden = entries.length === 0;
    next.disabled = found.length === 0;
    retry.disabled = !current();
    if (!trying) setText(words, summary(found, of));
    fill(list, found.map(item));
  };

  /** How far the review is, or what it has found. @param {Entry[]} found @param {number} of */
  const summary = (found, of) => {
    if (run) return `Going over the game: ${entries.length} of ${of + 1} positions`;
    if (entries.length === 0) return 'The engine looks at every turn.';
    if (found.length === 0) return 'No mistakes found.';
    return players.map((name, i) => `${name}: ${counted(found, i + 1)}`).join(' · ');
  };

  /** The mistakes of a player by size. @param {Entry[]} found @param {number} player */
  const counted = (found, player) => {
    const own = found.filter((entry) => moverOf(entry) === player);
    const sizes = Object.entries(SIZES).map(([size, several]) => ({
      count: own.filter(({ mistake }) => mistake === size).length,
      names: /** @type {const} */ ([size, several]),
    }));
    const some = sizes.filter(({ count }) => count > 0);
    return some.map(({ count, names }) => plural(count, ...names)).join(', ') || 'none';
  };

  const item = (/** @type {Entry} */ entry) => {
    const { ply, mistake, best } = entry;
    const better = answered.has(ply) ? `, better ${best[0] ?? ''}` : '';
    const one = button('', '', () => onGo(ply), {
      'data-ply': ply,
      'aria-current': ply === here ? 'true' : null,
    });
    one.append(
      el(`b.mark-${mistake}`, MARKS[mistake ?? ''] ?? ''),
      `${numberOf(ply + first - 2)} ${place().turns?.[ply - 1] ?? ''}`,
      el('small', `${capital(mistake ?? '')}${better}`),
    );
    return el('li', one);
  };

  const go = async () => {
    if (run) return;
    const mine = new AbortController();
    run = mine;
    entries = [];
    trying = null;
    paint();
    try {
      await think(
        'review',
        { ...place(), time_ms: PER_POSITION },
        (line) => {
          if (line.ply === undefined) return;
          entries = [...entries, line].sort((a, b) => a.ply - b.ply);
          onChange(entries);
          paint();
        },
        mine.signal,
      );
      say(`Review done. ${plural(mistakes(entries).length, 'mistake')} found.`);
    } catch (error) {
      setText(words, reasonOf(error));
    }
    run = null;
    paint();
  };

  const nextMistake = () => {
    const all = mistakes(entries);
    const found = all.find((entry) => entry.ply > here) ?? all[0];
    if (found) {
      onGo(found.ply);
      say(`${capital(found.mistake ?? '')}: ${place().turns?.[found.ply - 1]}.`);
    }
  };

  const tryAgain = () => {
    const entry = current();
    if (!entry) return;
    trying = { entry, before: entries.find((one) => one.ply === entry.ply - 1) };
    onRetry(entry.ply - 1);
    setText(words, `Find something better than ${place().turns?.[entry.ply - 1]}.`);
    if (element.parentElement) element.parentElement.scrollTop = 0;
  };

  /** Judges a turn that was tried. @param {string} turn @returns {Promise<boolean>} */
  const judge = async (turn) => {
    if (!trying) return false;
    const { entry, before } = trying;
    trying = null;
    answered.add(entry.ply);
    onJudged();
    if (turn === entry.best[0]) {
      setText(words, `${turn} is the best turn.`);
      say(`${turn} is the best turn.`);
      return true;
    }
    setText(words, `Looking at ${turn}…`);
    const turns = [...(place().turns ?? []).slice(0, entry.ply - 1), turn];
    let last = /** @type {any} */ (null);
    await think(
      'analysis',
      { ...place(), turns, lines: 1, time_ms: 1000 },
      (line) => {
        if (line.lines?.[0]) last = line.lines[0];
      },
      new AbortController().signal,
    ).catch(() => {});
    const sign = moverOf(entry) === 1 ? 1 : -1;
    const value = (/** @type {any} */ one) =>
      one.win_in != null ? Math.sign(one.win_in) * (20_000 - Math.abs(one.win_in)) : one.score;
    const now = last ? -value(last) : Infinity;
    const loss = before ? sign * value(before) - now : 0;
    const verdict =
      loss <= SMALL
        ? `${turn} is good: nothing is given away.`
        : loss < entry.loss / 2
          ? `${turn} is better, but ${entry.best[0]} is best.`
          : `${turn} does not help. Best was ${entry.best[0]}.`;
    const text = last ? `${verdict} (${scoreText(negated(last), moverOf(entry))})` : verdict;
    setText(words, text);
    say(text);
    return true;
  };

  return {
    element,
    go,
    nextMistake,
    judge,
    trying: () => trying !== null,
    /** What is asked while something better is looked for. */
    question: () =>
      trying ? `Find something better than ${place().turns?.[trying.entry.ply - 1]}.` : '',
    entries: () => entries,
    /** @param {number} ply */
    show: (ply) => {
      here = ply;
      paint();
    },
    stop: () => run?.abort(),
  };
};
