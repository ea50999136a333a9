/** Lessons: the rules of a game, one turn on the board at a time. */
import { catalogue, view as askView } from './api.js';
import { ask } from './ask.js';
import { button, drawing, el, fill, onKeys, placeLine, say, setText } from './dom.js';
import { arrows, createPlay } from './play.js';
import { remember, remembered } from './prefs.js';
import { play as sound } from './sound.js';
import { capital } from './text.js';

/**
 * @typedef {import('./api.js').GameInfo} GameInfo
 * @typedef {{number: number, title: string, task: string, position: string}} Lesson
 */

const WORDS = /** @type {Record<string, string>} */ ({
  done: 'Well done.',
  missed: 'Not quite. Try again.',
});

const doneKey = (/** @type {string} */ game) => `lessons.${game}`;

/** @param {HTMLElement} main @param {string[]} rest */
export const learnPage = async (main, rest) => {
  const { games } = await catalogue();
  const info = games.find((one) => one.id === rest[0]);
  if (!info) return shelfPage(main, games);
  const { lessons } = await ask('lessons', { game: info.id });
  return lessonPage(main, info, lessons, lessons[Number(rest[1]) - 1] ?? lessons[0]);
};

/** @param {HTMLElement} main @param {GameInfo[]} games */
const shelfPage = (main, games) => {
  document.title = 'Learn – Quadrille';
  main.className = 'page';
  fill(
    main,
    el('h1', {}, 'Learn'),
    el('p.lead', {}, 'A few turns on the board for each game, or the rules to read.'),
    el(
      'div.shelf',
      {},
      ...games.map((one) =>
        el(
          'div.card.tile',
          {},
          drawing(one.picture),
          el('b', {}, one.name),
          el('small', {}, capital(one.tagline)),
          el(
            'div.row',
            {},
            el('a.button.primary', { href: `/learn/${one.id}`, 'data-game': one.id }, 'Lessons'),
            el('a.button', { href: `/rules/${one.id}` }, 'Rules'),
          ),
        ),
      ),
    ),
  );
};

/** @param {HTMLElement} main @param {GameInfo} info @param {Lesson[]} lessons @param {Lesson} lesson */
const lessonPage = async (main, info, lessons, lesson) => {
  const { number } = lesson;
  document.title = `${lesson.title} – ${info.name} – Quadrille`;
  const state = { turns: /** @type {string[]} */ ([]), progress: 'begins' };
  const verdict = el('p.verdict', { id: 'lesson-words', role: 'status' });
  const play = createPlay({
    label: `Board of ${info.name}`,
    sure: true,
    mayPlay: () => state.turns.length === 0,
    idle: () => WORDS[state.progress] ?? '',
    onTurn: async (turn) => {
      state.turns = [turn];
      state.progress = (
        await ask('lesson', { game: info.id, number, turns: state.turns })
      ).progress;
      const done = state.progress === 'done';
      sound(done ? 'end' : 'low');
      if (done)
        remember(doneKey(info.id), [...new Set([...remembered(doneKey(info.id), []), number])]);
      await render(false);
      say(WORDS[state.progress] ?? '');
      if (done && !next.hidden) next.focus();
    },
  });
  const next =
    number < lessons.length
      ? el(
          'a.button.primary',
          { href: `/learn/${info.id}/${number + 1}`, id: 'lesson-next', hidden: true },
          'Next',
        )
      : el(
          'a.button.primary',
          { href: `/?new=${info.id}`, id: 'lesson-next', hidden: true },
          `Play ${info.name}`,
        );
  const again = button(
    'Try again',
    () => {
      Object.assign(state, { turns: [], progress: 'begins' });
      render(false);
    },
    { id: 'lesson-again', hidden: true },
  );
  const show = button('Show me', () => reveal(), { id: 'lesson-show' });
  const known = new Set(remembered(doneKey(info.id), []));
  const path = el(
    'ol.stages',
    { 'aria-label': 'Lessons' },
    ...lessons.map((one) =>
      el(
        known.has(one.number) || one.number < number
          ? 'li.done'
          : one.number === number
            ? 'li.now'
            : 'li',
        one.number === number ? { 'aria-current': 'step' } : {},
        el('a', { href: `/learn/${info.id}/${one.number}`, title: one.title }, one.title),
      ),
    ),
  );

  main.className = 'table reader lesson';
  fill(
    main,
    el('div.boardbox', {}, play.board.element),
    el(
      'div.side',
      {},
      placeLine(
        info.name,
        `lesson ${number} of ${lessons.length}`,
        el('a', { href: `/rules/${info.id}` }, 'All rules'),
      ),
      el(
        'section.card',
        { 'aria-label': 'Lesson' },
        path,
        el('h2', {}, lesson.title),
        el('p.task', {}, lesson.task),
        verdict,
      ),
      el('div.now', {}, play.card),
      el('div.actions', { role: 'group', 'aria-label': 'Actions' }, next, again, show),
    ),
  );

  const render = async (animate = true) => {
    setText(verdict, WORDS[state.progress] ?? '');
    verdict.dataset.progress = { done: 'solved', missed: 'wrong' }[state.progress] ?? '';
    next.hidden = state.progress !== 'done';
    again.hidden = state.turns.length === 0;
    show.hidden = state.progress === 'done';
    await play.show({ game: info.id, position: lesson.position, turns: state.turns }, { animate });
    play.render();
  };

  /** Shows how, without doing it. */
  const reveal = async () => {
    Object.assign(state, { turns: [], progress: 'begins' });
    await render(false);
    const { answer } = await ask('lesson', { game: info.id, number, answer: true });
    const { last } = await askView({ game: info.id, position: lesson.position, turns: [answer] });
    play.clear();
    play.hint(arrows(last));
    setText(verdict, `Play ${answer}.`);
    say(`Play ${answer}.`);
  };

  onKeys({ Escape: () => play.back(), m: () => play.entry.focus(), h: () => reveal() });
  await render(false);
};
