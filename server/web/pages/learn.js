/** Lessons: the rules of a game, one turn on the board at a time, each followed by a small game. */
import { pageAt } from '../address.js';
import { button, placeLine } from '../common/controls.js';
import { complain, el, keepFocus, kept, onKeys, say, setText } from '../common/dom.js';
import { choosing, gameShelf } from '../common/shelf.js';
import { play as sound } from '../common/sound.js';
import { remember, remembered } from '../common/storage.js';
import { capital, plural } from '../common/text.js';
import { aboutHere } from '../play/here.js';
import { arrowsFor, createPlay } from '../play/play.js';
import { ask, thought } from '../program/ask.js';
import { gameOf, view as askView } from '../program/views.js';
import { actionRow, layOut, taskCard, turnKeys, verdictLine } from './reader.js';

/**
 * @typedef {import('../program/views.js').GameInfo} GameInfo
 * @typedef {{number: number, title: string, task: string, position: string, game: string, against: object,
 *   overlooks: string}} Lesson `game` is the start of its small game, `against` the opponent, who overlooks something
 * @typedef {'begins'|'done'|'missed'|'playing'|'answering'|'won'|'lost'|'drawn'} Progress
 * @typedef {{turns: string[], progress: Progress, inGame: boolean}} State `inGame` during the small game after the task
 * @typedef {{state: State, info: GameInfo, lesson: Lesson, play: ReturnType<typeof createPlay>, verdict: HTMLElement,
 *   task: HTMLElement, next: HTMLAnchorElement, again: HTMLButtonElement, show: HTMLButtonElement,
 *   game: HTMLButtonElement, lessons: Lesson[], path: HTMLElement}} Page `path` shows which lessons are done
 */

/** @type {State} */
const BEGIN = { turns: [], progress: 'begins', inGame: false };
/** @type {State} */
const GAME = { turns: [], progress: 'playing', inGame: true };

/** The feedback on an attempt. @type {Record<Progress, string>} */
const WORDS = {
  begins: '',
  done: 'Well done.',
  missed: 'Not quite. Try again.',
  playing: '',
  answering: '',
  won: 'You have won.',
  lost: 'You have lost. Try again.',
  drawn: 'A draw. Try again.',
};
const LOOKS = /** @type {Record<Progress, string>} */ ({
  done: 'solved',
  won: 'solved',
  missed: 'wrong',
  lost: 'wrong',
  drawn: 'wrong',
});
/** @param {Lesson} lesson */
const gameTask = ({ overlooks }) =>
  `Now win a small game. Your opponent often overlooks ${overlooks}.`;

const doneKey = (/** @type {string} */ game) => `lessons.${game}`;
const wonKey = (/** @type {string} */ game) => `lessons.won.${game}`;

/** Notes that a lesson, or its game, is done. @param {string} key @param {number} number */
const noteDone = (key, number) => remember(key, [...new Set([...remembered(key, []), number])]);

/** Notes that this lesson, or its game, is done, and shows it. @param {Page} p @param {(game: string) => string} key */
const getOn = (p, key) => {
  noteDone(key(p.info.id), p.lesson.number);
  const next = pathOf(p.info, p.lesson, p.lessons);
  p.path.replaceWith(next);
  p.path = next;
};

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
      about: [capital(tagline), progressOf(id)].filter(Boolean).join(' · '),
      more: el(
        'div.row',
        el('a.button.primary', { href: pageAt(`learn/${id}`), 'data-game': id }, 'Lessons'),
        el('a.button', { href: pageAt(`rules/${id}`) }, 'Rules'),
      ),
    })),
  );

/** The user's progress with a game's lessons. @param {string} game */
const progressOf = (game) => {
  const [done, won] = [remembered(doneKey(game), []).length, remembered(wonKey(game), []).length];
  if (done === 0) return '';
  return `${plural(done, 'lesson')} done${won > 0 ? `, ${plural(won, 'small game')} won` : ''}`;
};

/** @param {HTMLElement} main @param {GameInfo} info @param {Lesson[]} lessons @param {Lesson} lesson */
const lessonPage = async (main, info, lessons, lesson) => {
  const { number, title } = lesson;
  document.title = `${title} – ${info.name} – Quadrille`;
  const more = number < lessons.length;
  const href = more ? pageAt(`learn/${info.id}/${number + 1}`) : pageAt('', `?new=${info.id}`);
  /** @type {Page} */
  const p = {
    ...{ state: BEGIN, info, lesson, lessons },
    path: pathOf(info, lesson, lessons),
    play: createPlay({
      label: `Board of ${info.name}`,
      sure: true,
      mayPlay: () => mayPlay(p.state),
      idle: () => (p.state.progress === 'answering' ? 'Your opponent thinks…' : ''),
      plays: () => mayPlay(p.state) || p.state.progress === 'answering',
      onTurn: (turn) => played(p, turn),
    }),
    verdict: verdictLine('lesson-words'),
    task: /** @type {HTMLElement} */ (kept(el('p.task', lesson.task))),
    game: button('#lesson-game', 'Practice game', () => restart(p, GAME), { hidden: true }),
    next: el(
      'a#lesson-next.button.primary',
      { href, hidden: true },
      more ? 'Next' : `Play ${info.name}`,
    ),
    again: button('#lesson-again', 'Try again', () => restart(p, p.state.inGame ? GAME : BEGIN), {
      hidden: true,
    }),
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
    taskCard(p.path, kept(el('h2', title)), p.task, p.verdict),
    el('div.now', p.play.card),
    actionRow(p.game, p.next, p.again, p.show),
  );
  onKeys({ ...turnKeys(p.play), h: () => reveal(p) });
  await render(p, false);
};

/** @param {State} state */
const mayPlay = ({ turns, progress }) =>
  progress === 'playing' || (progress === 'begins' && turns.length === 0);

/**
 * The list of lessons: those done, this one, those to come. Ten names have no room in a row, so the others are numbers.
 * @param {GameInfo} info @param {Lesson} lesson @param {Lesson[]} lessons @returns {HTMLElement}
 */
const pathOf = (info, lesson, lessons) => {
  const known = new Set(remembered(doneKey(info.id), []));
  const games = new Set(remembered(wonKey(info.id), []));
  const item = (/** @type {Lesson} */ { number, title }) => {
    const here = number === lesson.number;
    const [done, won] = [known.has(number), games.has(number)];
    const link = { href: pageAt(`learn/${info.id}/${number}`), title };
    return el(
      `li${done ? '.done' : ''}${here ? '.now' : ''}`,
      here ? { 'aria-current': 'step' } : {},
      el(
        'a',
        link,
        won && el('span.won', { 'aria-hidden': 'true' }, '★ '),
        ...(here ? [title] : [String(number), el('span.sr', ` ${title}`)]),
        done && el('span.sr', won ? ', done, and its game won' : ', done'),
      ),
    );
  };
  return el('ol.stages', { 'aria-label': 'Lessons' }, ...lessons.map(item));
};

/** @param {Page} p */
const placeOf = ({ info, lesson, state }) => ({
  game: info.id,
  position: state.inGame ? lesson.game : lesson.position,
  turns: state.turns,
});

/** @param {Page} p */
const render = async (p, animate = true) => {
  keepFocus(() => paint(p), p.play.board.cell);
  await p.play.show(placeOf(p), { animate });
  p.play.render();
};

/** @param {Page} p */
const paint = (p) => {
  const { progress, turns, inGame } = p.state;
  setText(p.task, inGame ? gameTask(p.lesson) : p.lesson.task);
  setText(p.verdict, WORDS[progress]);
  p.verdict.dataset.progress = LOOKS[progress] ?? '';
  p.game.hidden = progress !== 'done';
  p.next.hidden = !['done', 'won', 'lost', 'drawn'].includes(progress);
  p.again.hidden = turns.length === 0;
  p.show.hidden = progress === 'done' || inGame;
};

/** @param {Page} p @param {string} turn */
const played = async (p, turn) => {
  const { info, lesson } = p;
  if (p.state.inGame) return playOn(p, turn);
  const asked = { game: info.id, number: lesson.number, turns: [turn] };
  await aboutHere(
    () => placeOf(p),
    () => ask('lesson', asked),
    ({ progress }) => judged(p, turn, progress),
  );
};

/** The feedback on a turn. @param {Page} p @param {string} turn @param {Progress} progress */
const judged = async (p, turn, progress) => {
  p.state = { ...BEGIN, turns: [turn], progress };
  const done = progress === 'done';
  sound(done ? 'end' : 'low');
  if (done) getOn(p, doneKey);
  await render(p, false);
  say(WORDS[p.state.progress]);
  if (done) p.next.focus();
};

/** The state of the small game. @param {import('../program/views.js').Place} place @returns {Promise<Progress>} */
const standing = async (place) => {
  const seen = await askView(place);
  if (!seen.over) return (place.turns ?? []).length % 2 === 1 ? 'answering' : 'playing';
  // The learner is the first player in every small game.
  return seen.winner === 'draw' ? 'drawn' : seen.winner === 1 ? 'won' : 'lost';
};

/**
 * The small game after one more turn.
 * @param {import('../program/views.js').Place} place @param {string} turn @returns {Promise<State>}
 */
const further = async (place, turn) => {
  const turns = [...(place.turns ?? []), turn];
  return { ...GAME, turns, progress: await standing({ ...place, turns }) };
};

/** Plays a turn of the small game, and lets the opponent answer. @param {Page} p @param {string} turn */
const playOn = (p, turn) => {
  sound('move');
  return aboutHere(
    () => placeOf(p),
    (place) => further(place, turn),
    async (next) => {
      p.state = next;
      await render(p, false);
      if (p.state.progress === 'answering') answer(p).catch(complain);
      else ended(p);
    },
  );
};

/** Plays the opponent's answer, unless the game was restarted meanwhile. @param {Page} p */
const answer = (p) =>
  aboutHere(
    () => placeOf(p),
    async (place) => {
      const player = p.lesson.against;
      const seed = Math.floor(Math.random() * 2 ** 32);
      return further(place, (await thought('turn', { ...place, player, seed })).turn);
    },
    async (next) => {
      p.state = next;
      sound('other');
      await render(p);
      if (next.progress !== 'playing') return ended(p);
      say(p.play.view()?.said ?? `Your opponent plays ${next.turns.at(-1)}.`);
    },
  );

/** @param {Page} p */
const ended = (p) => {
  const won = p.state.progress === 'won';
  sound(won ? 'end' : 'low');
  if (won) getOn(p, wonKey);
  say(WORDS[p.state.progress]);
  (won ? p.next : p.again).focus();
};

/** @param {Page} p @param {State} from */
const restart = (p, from) => {
  p.state = from;
  say(from.inGame ? gameTask(p.lesson) : p.lesson.task);
  return render(p, false);
};

/** Shows the solution without playing it. @param {Page} p */
const reveal = async (p) => {
  await restart(p, BEGIN);
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
