/** Lessons: the rules of a game, one turn on the board at a time. */
import { pageAt } from '../address.js';
import { button, placeLine } from '../common/controls.js';
import { el, kept, onKeys, say, setText } from '../common/dom.js';
import { choosing, gameShelf } from '../common/shelf.js';
import { play as sound } from '../common/sound.js';
import { remember, remembered } from '../common/storage.js';
import { capital } from '../common/text.js';
import { aboutHere } from '../play/here.js';
import { arrowsFor, createPlay } from '../play/play.js';
import { ask } from '../program/ask.js';
import { gameOf } from '../program/views.js';
import { actionRow, layOut, taskCard, turnKeys, verdictLine } from './reader.js';

/**
 * @typedef {import('../program/views.js').GameInfo} GameInfo
 * @typedef {{number: number, title: string, task: string, position: string}} Lesson
 * @typedef {{turns: string[], progress: 'begins'|'done'|'missed'}} State
 * @typedef {{state: State, info: GameInfo, lesson: Lesson, play: ReturnType<typeof createPlay>, verdict: HTMLElement,
 *   next: HTMLAnchorElement, again: HTMLButtonElement, show: HTMLButtonElement}} Page
 */

/** @type {State} */
const BEGIN = { turns: [], progress: 'begins' };

/** What is said of a try, and how it looks. */
const WORDS = { begins: '', done: 'Well done.', missed: 'Not quite. Try again.' };
const LOOKS = { begins: '', done: 'solved', missed: 'wrong' };

const doneKey = (/** @type {string} */ game) => `lessons.${game}`;

/** @param {HTMLElement} main @param {string[]} rest */
export const learnPage = async (main, rest) => {
  const { games, info } = await gameOf(rest[0]);
  if (!info) return shelfPage(main, games);
  const { lessons } = await ask('lessons', { game: info.id });
  if (!lessons.length) return location.replace(pageAt(`rules/${info.id}`));
  return lessonPage(main, info, lessons, lessons[Number(rest[1]) - 1] ?? lessons[0]);
};

/** @param {HTMLElement} main @param {GameInfo[]} games */
const shelfPage = (main, games) =>
  choosing(
    main,
    'learn',
    gameShelf(games, ({ id, tagline }) => ({
      about: capital(tagline),
      more: el(
        'div.row',
        el('a.button.primary', { href: pageAt(`learn/${id}`), 'data-game': id }, 'Lessons'),
        el('a.button', { href: pageAt(`rules/${id}`) }, 'Rules'),
      ),
    })),
  );

/** @param {HTMLElement} main @param {GameInfo} info @param {Lesson[]} lessons @param {Lesson} lesson */
const lessonPage = async (main, info, lessons, lesson) => {
  const { number, title } = lesson;
  document.title = `${title} – ${info.name} – Quadrille`;
  const more = number < lessons.length;
  const href = more ? pageAt(`learn/${info.id}/${number + 1}`) : pageAt('', `?new=${info.id}`);
  /** @type {Page} */
  const p = {
    state: BEGIN,
    info,
    lesson,
    play: createPlay({
      label: `Board of ${info.name}`,
      sure: true,
      mayPlay: () => p.state.turns.length === 0,
      idle: () => '',
      plays: () => p.state.turns.length === 0,
      onTurn: (turn) => played(p, turn),
    }),
    verdict: verdictLine('lesson-words'),
    next: el(
      'a#lesson-next.button.primary',
      { href, hidden: true },
      more ? 'Next' : `Play ${info.name}`,
    ),
    again: button('#lesson-again', 'Try again', () => restart(p), { hidden: true }),
    show: button('#lesson-show', 'Show me', () => reveal(p)),
  };
  layOut(
    main,
    'lesson',
    p.play.board,
    placeLine(
      info.name,
      `lesson ${number} of ${lessons.length}`,
      el('a', { href: pageAt(`rules/${info.id}`) }, 'All rules'),
    ),
    taskCard(path(p, lessons), kept(el('h2', title)), kept(el('p.task', lesson.task)), p.verdict),
    el('div.now', p.play.card),
    actionRow(p.next, p.again, p.show),
  );
  onKeys({ ...turnKeys(p.play), h: () => reveal(p) });
  await render(p, false);
};

/** All lessons of the game: those that are done, this one, those to come. @param {Page} p @param {Lesson[]} lessons */
const path = ({ info, lesson }, lessons) => {
  const known = new Set(remembered(doneKey(info.id), []));
  const item = (/** @type {Lesson} */ { number, title }) => {
    const here = number === lesson.number;
    const done = known.has(number) || number < lesson.number;
    return el(
      done ? 'li.done' : here ? 'li.now' : 'li',
      here ? { 'aria-current': 'step' } : {},
      el('a', { href: pageAt(`learn/${info.id}/${number}`), title }, title),
    );
  };
  return el('ol.stages', { 'aria-label': 'Lessons' }, ...lessons.map(item));
};

/** @param {Page} p */
const placeOf = ({ info, lesson, state }) => ({
  game: info.id,
  position: lesson.position,
  turns: state.turns,
});

/** @param {Page} p */
const render = async (p, animate = true) => {
  const { progress, turns } = p.state;
  setText(p.verdict, WORDS[progress]);
  p.verdict.dataset.progress = LOOKS[progress];
  p.next.hidden = progress !== 'done';
  p.again.hidden = turns.length === 0;
  p.show.hidden = progress === 'done';
  await p.play.show(placeOf(p), { animate });
  p.play.render();
};

/** @param {Page} p @param {string} turn */
const played = async (p, turn) => {
  const { info, lesson } = p;
  const asked = { game: info.id, number: lesson.number, turns: [turn] };
  const { progress } = await ask('lesson', asked);
  p.state = { turns: [turn], progress };
  const done = progress === 'done';
  sound(done ? 'end' : 'low');
  if (done) {
    const before = remembered(doneKey(info.id), []);
    remember(doneKey(info.id), [...new Set([...before, lesson.number])]);
  }
  await render(p, false);
  say(WORDS[p.state.progress]);
  if (done) p.next.focus();
};

/** @param {Page} p */
const restart = (p) => {
  p.state = BEGIN;
  return render(p, false);
};

/** Shows how, without doing it. @param {Page} p */
const reveal = async (p) => {
  await restart(p);
  const find = async (/** @type {import('../program/views.js').Place} */ place) => {
    const asked = { game: p.info.id, number: p.lesson.number, answer: true };
    const { answer } = await ask('lesson', asked);
    return { answer, hints: await arrowsFor(place, answer) };
  };
  const use = (/** @type {Awaited<ReturnType<typeof find>>} */ { answer, hints }) => {
    p.play.clear();
    p.play.hint(hints);
    setText(p.verdict, `Play ${answer}.`);
    say(`Play ${answer}.`);
  };
  await aboutHere(() => placeOf(p), find, use);
};
