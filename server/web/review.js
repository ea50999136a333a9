/** The engine goes over a game: progress, curve, mistakes by size, and another try at each. */
import { think } from './ask.js';
import { button, el, fill, say, setText } from './dom.js';
import { graph } from './graph.js';
import { capital, plural, scoreText } from './text.js';
import { MARKS } from './turns.js';

/**
 * @typedef {{ply: number, of: number, score: number, win_in: number|null, bar: number, best: string[], loss: number, mistake: string|null}} Entry
 */

const SIZES = ['blunder', 'mistake', 'inaccuracy'];
const PER_POSITION = 300;
/** A turn that gives away no more than this is as good as the best. */
const SMALL = 60;

/** The mistakes, in the order of the game. @param {Entry[]} entries */
export const mistakes = (entries) => entries.filter((entry) => Boolean(entry.mistake));

/**
 * @param {{players: [string, string], first: 1|2, place: () => import('./api.js').Place, onGo: (ply: number) => void, onChange: (entries: Entry[]) => void,
 *   onRetry: (ply: number) => void, onJudged: () => void, saved?: Entry[]}} hooks
 */
export const createReview = ({
  players,
  first,
  place,
  onGo,
  onChange,
  onRetry,
  onJudged,
  saved,
}) => {
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

  const bar = el('progress', { id: 'review-progress', max: 1, value: 0, 'aria-label': 'Review' });
  const words = el('p', { id: 'review-words', role: 'status' });
  const picture = el('div', { id: 'review-graph' });
  const list = el('ul.mistakes', { id: 'mistakes', 'aria-label': 'Mistakes' });
  const start = button('Review this game', () => go(), {
    id: 'review-start',
    className: 'primary',
  });
  const next = button('Next mistake', () => nextMistake(), {
    id: 'next-mistake',
    title: 'Next mistake (n)',
  });
  const retry = button('Retry', () => tryAgain(), { id: 'retry' });
  const element = el(
    'section.review',
    { 'aria-label': 'Review' },
    bar,
    words,
    picture,
    list,
    el('div.row', {}, start, next, retry),
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
    const count = (/** @type {string} */ size, /** @type {1|2} */ player) =>
      found.filter((entry) => entry.mistake === size && moverOf(entry) === player).length;
    if (!trying) {
      setText(
        words,
        running
          ? `Going over the game: ${entries.length} of ${of + 1} positions`
          : entries.length === 0
            ? 'The engine looks at every turn.'
            : found.length === 0
              ? 'No mistakes found.'
              : players
                  .map(
                    (name, i) =>
                      `${name}: ${
                        SIZES.filter((size) => count(size, /** @type {1|2} */ (i + 1)))
                          .map((size) =>
                            plural(
                              count(size, /** @type {1|2} */ (i + 1)),
                              size,
                              size === 'inaccuracy' ? 'inaccuracies' : undefined,
                            ),
                          )
                          .join(', ') || 'none'
                      }`,
                  )
                  .join(' · '),
      );
    }
    fill(
      list,
      ...found.map((entry) =>
        el(
          'li',
          {},
          button('', () => onGo(entry.ply), {
            'data-ply': entry.ply,
            'aria-current': entry.ply === here ? 'true' : null,
          }),
        ),
      ),
    );
    list
      .querySelectorAll('button')
      .forEach((/** @type {HTMLElement} */ one, /** @type {number} */ i) => {
        const entry = found[i];
        const number = Math.floor((entry.ply - 1 + (first - 1)) / 2) + 1;
        one.append(
          el(`b.mark-${entry.mistake}`, {}, MARKS[entry.mistake ?? ''] ?? ''),
          `${number}${moverOf(entry) === 1 ? '.' : '…'} ${place().turns?.[entry.ply - 1] ?? ''}`,
          el(
            'small',
            {},
            `${capital(entry.mistake ?? '')}${answered.has(entry.ply) ? `, better ${entry.best[0] ?? ''}` : ''}`,
          ),
        );
      });
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
      setText(words, capital(/** @type {Error} */ (error).message));
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
    const text = last
      ? `${verdict} (${scoreText({ score: -last.score, win_in: last.win_in == null ? null : -last.win_in }, moverOf(entry))})`
      : verdict;
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
