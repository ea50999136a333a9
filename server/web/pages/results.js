/** What is known for certain: results, the values of first turns, and certificates to play against. */
import { fileAt, pageAt, positionAt } from '../address.js';
import { layout } from '../board/grid.js';
import { button, copyField, placeLine } from '../common/controls.js';
import { complain, drawing, el, fill, onKeys, say, setText, svg } from '../common/dom.js';
import { choosing } from '../common/shelf.js';
import { play as sound } from '../common/sound.js';
import { capital, plural } from '../common/text.js';
import { sleep } from '../connection/reach.js';
import { aboutHere } from '../play/here.js';
import { createPlay } from '../play/play.js';
import { createTurns, stepKeys } from '../play/turns.js';
import { ask } from '../program/ask.js';
import { gameOf, saidOf, view as askView } from '../program/views.js';
import { atlasCard, atlasOf, resultOf } from './atlas.js';
import {
  defence,
  fromHere,
  grouped,
  practiceWords,
  signOf,
  signs,
  valueWords,
  wastedBy,
} from './proving.js';
import { actionRow, layOut, pageTabs, turnKeys } from './reader.js';

/**
 * @typedef {import('./atlas.js').Row} Row
 * @typedef {import('../program/views.js').GameInfo} GameInfo
 * @typedef {import('../program/views.js').View} View
 * @typedef {import('./proving.js').Value} Value
 * @typedef {{title: string, says: string, position: string, winner: 1|2|'draw'|null, within: number|null,
 *   command: string|null, effort: string|null, certificate: {file: string|null, words: string}|null, first:
 *   Value[]}} Result
 * @typedef {import('./proving.js').Proof} Proof
 */

/** How many milliseconds the certificate waits before answering, so that one can see what it answers. */
const BREATH = 350;

const UNCERTIFIED = 'There is no certificate: it rests on the search.';

const BY = /** @type {Record<string, string>} */ ({
  'at once': ', which wins at once',
  tried: ', found by trying exchanges',
});

/** @param {string} game @returns {Promise<Result[]>} */
const resultsOf = async (game) => (await ask('results', { game })).results;

/** @param {HTMLElement} main @param {string[]} rest */
export const resultsPage = async (main, rest) => {
  const { games, info } = await gameOf(rest[0]);
  if (!info) return shelfPage(main, games);
  const [results, atlas] = await Promise.all([resultsOf(info.id), atlasOf(info.id)]);
  if (!results.length) return shelfPage(main, games);
  const tabs = results.map(({ title }, i) => ({ path: `${i + 1}`, name: title }));
  if (atlas.length) tabs.push({ path: 'atlas', name: 'Atlas' });
  const path = tabs.some((tab) => tab.path === rest[1]) ? rest[1] : '1';
  const shown = tabs.map(({ path: own, name }) => ({
    ...{ href: pageAt(`results/${info.id}/${own}`), name, current: own === path },
  }));
  if (path !== 'atlas') return resultPage(main, info, results[Number(path) - 1], shown, null);
  const asked = new URLSearchParams(location.search).get('board');
  const row = atlas.find(({ name }) => name === asked) ?? atlas[0];
  return resultPage(main, info, resultOf(info, row), shown, atlasCard(info, atlas, row));
};

/** All games with what is known about them. @param {HTMLElement} main @param {GameInfo[]} games */
const shelfPage = async (main, games) => {
  const lists = await Promise.all(games.map(({ id }) => resultsOf(id)));
  /** @param {GameInfo} info @param {number} n @param {Result} result */
  const known = ({ id }, n, { title, says }) =>
    el('li', el('a', { href: pageAt(`results/${id}/${n + 1}`) }, title), el('small', says));
  choosing(
    main,
    'results',
    el(
      'div.shelf.known',
      games.map((info, i) =>
        el(
          'section.card.tile',
          { 'data-game': info.id },
          drawing(info.picture),
          el('h2', info.name),
          el(
            'ul',
            lists[i].map((one, n) => known(info, n, one)),
          ),
        ),
      ),
    ),
  );
};

/** Labels over the cells of a board. */
const createSigns = () => {
  const element = svg('svg', { class: 'values', 'aria-hidden': 'true' });
  /** @param {View|null} view @param {Value[]} values */
  const show = (view, values) => {
    if (!view) return;
    element.setAttribute('viewBox', `0 0 ${view.size.join(' ')}`);
    const low = layout(view).width;
    element.replaceChildren(
      ...signs(view.steps, values, view.turn).map(({ cell, value }) => {
        const [x, y] = view.cells[cell].at;
        const words = signOf(value);
        const wide = 10 + 7 * words.length;
        const tint =
          typeof value.winner === 'number'
            ? `tint-${view.players[value.winner - 1].tint}`
            : 'unknown';
        return svg(
          'g',
          { class: `value ${tint}`, transform: `translate(${x} ${y + low * 0.3})` },
          svg('rect', { x: -wide / 2, y: -8, width: wide, height: 16, rx: 8 }),
          Object.assign(svg('text', { y: 4 }), { textContent: words }),
        );
      }),
    );
  };
  return { element, show };
};

/**
 * A page of one result.
 * @typedef {object} Page
 * @property {GameInfo} info
 * @property {Result} result
 * @property {View} start
 * @property {boolean} playable whether there is a certificate to play against
 * @property {string[]} turns
 * @property {number|null} ply how many turns are shown, null for all
 * @property {1|2|'both'|null} here the user's side; both while turns are tried out, none before a certificate has
 *   made the first turn
 * @property {boolean} busy whether the proof is about to answer
 * @property {(number|null)[]|null} waste while practising a won position: what each turn has cost
 * @property {Proof|null} proof
 * @property {ReturnType<typeof createParts>} parts
 */

/**
 * One result: what is known, its board, and its certificate to play against.
 * @param {HTMLElement} main @param {GameInfo} info @param {Result} result
 * @param {{href: string, name: string, current: boolean}[]} tabs @param {HTMLElement|null} more content below
 */
const resultPage = async (main, info, result, tabs, more) => {
  document.title = `${info.name}: ${result.title} – Results – Quadrille`;
  const start = await askView({ game: info.id, position: result.position });
  const page = /** @type {Page} */ (
    /** @type {unknown} */ ({
      ...{ info, result, start, proof: null },
      playable: Boolean(result.certificate?.file) || more !== null,
      turns: [],
      ply: null,
      here: more ? 'both' : result.winner === start.turn ? null : start.turn,
      busy: false,
      waste: null,
    })
  );
  page.parts = createParts(page);
  lay(main, page, tabs, more);
  onKeys(keys(page));
  await render(page, false);
};

/** @param {Page} page */
const opponent = ({ info, here }) => info.players[here === 1 ? 1 : 0];

/** Whether the user may move. @param {Page} page @param {1|2|undefined} turn */
const isOwn = ({ here }, turn) => here === 'both' || here === turn;

/** @param {Page} page */
const seen = ({ ply, turns }) => ply ?? turns.length;

/** @param {Page} page */
const createParts = (page) => {
  const { info, start, playable } = page;
  const play = createPlay({
    label: `Board of ${info.name}`,
    sure: true,
    helps: () => page.waste === null,
    mayPlay: () => playable && page.ply === null && !page.busy && isOwn(page, play.base()?.turn),
    // When the proof makes the first turn, or the game is over, there is nothing to choose.
    plays: () => playable && page.here !== null && !play.base()?.over,
    idle: () => (page.busy ? `${opponent(page)} answers…` : ''),
    onTurn: (turn) => played(page, turn),
  });
  const marks = createSigns();
  const values = el('dl#worths.worths');
  play.board.element.append(marks.element);
  return {
    play,
    marks,
    distance: el('p#distance.distance', { role: 'status' }),
    reason: el('small#distance-why'),
    values,
    worths: el('section.card.values', { 'aria-label': 'Each turn' }, values),
    list: createTurns((ply) => go(page, ply)),
    begin: button('#begin.primary', 'Play against the proof', () =>
      sit(page, start.turn === 1 ? 2 : 1),
    ),
    practise: button('#practise', 'Win it yourself', () => practise(page), {
      title: 'Play the side that wins; the loser holds out as long as possible',
    }),
    explore: button('#explore', 'Explore both sides', () => explore(page)),
    playOn: button('#play-on.primary', 'Play on against the proof', () => playOn(page)),
    other: button('#other', 'Play the other side', () => sit(page, page.here === 1 ? 2 : 1)),
    again: button('#again', 'Begin again', () => again(page)),
    undo: button('#take-back', 'Take back', () => takeBack(page)),
  };
};

/**
 * The board, and everything beside it.
 * @param {HTMLElement} main @param {Page} page @param {{href: string, name: string, current: boolean}[]} tabs
 * @param {HTMLElement|null} more
 */
const lay = (main, { info, result, playable, parts }, tabs, more) => {
  const { play, list, begin, practise: win, explore, playOn, other, undo, again } = parts;
  layOut(
    main,
    'result',
    play.board,
    placeLine(info.name, result.title, el('a', { href: pageAt('results') }, 'All results')),
    pageTabs(`Results of ${info.name}`, tabs),
    el(
      'section.card.knowledge',
      { 'aria-label': 'What is known' },
      el('p.task', el('b#says', result.says)),
      ...[parts.distance, parts.reason],
    ),
    actionRow(
      ...[begin, win, playOn, explore, other, undo, again],
      el('a.button', { href: positionAt('analysis', info.id, result.position) }, 'Analyse'),
    ),
    playable && el('div.now', play.card),
    playable && list.element,
    parts.worths,
    checkCard(result),
    more,
  );
};

/** @param {Page} page */
const keys = (page) => ({
  ...stepKeys(page.parts.list.ways),
  ...turnKeys(page.parts.play),
  u: () => {
    const { undo } = page.parts;
    if (!undo.hidden && !undo.disabled) takeBack(page);
  },
});

/**
 * What is known about each turn: from certificates or, at the start, from the list of results.
 * @param {Page} page @param {1|2} mover @returns {Value[]}
 */
const known = (page, mover) => {
  const { proof, result } = page;
  const first = seen(page) === 0 ? result.first : [];
  const listed = new Map(first.map((value) => [value.turn, value]));
  const moves = (proof?.moves ?? []).map(({ turn, left, winner }) =>
    winner === null
      ? (listed.get(turn) ?? { turn, winner, within: null })
      : { turn, winner, within: left },
  );
  return (moves.length > 0 ? moves : first).map((value) => fromHere(value, mover));
};

/** How far away the win is. @param {Page} page @param {View} view */
const distanceWords = ({ info, proof }, view) => {
  if (view.over && view.winner === 'draw') return 'The game is over: nobody has won.';
  if (view.over) return `${info.players[/** @type {1|2} */ (view.winner) - 1]} has won.`;
  if (!proof) return '';
  const held = proof.no_win.map((player) => info.players[player - 1]).join(' and ');
  if (proof.winner === null)
    return held ? `${held} cannot force a win.` : 'No certificate covers this position.';
  if (proof.winner === 'draw') return 'Nobody can force a win.';
  return `${info.players[proof.winner - 1]} wins in ${plural(proof.left ?? 0, 'more turn')} at most.`;
};

/** Shows what is known about the position. @param {Page} page @param {View} view */
const paint = (page, view) => {
  const { info, proof, busy, here, parts } = page;
  // There is nothing to choose while the proof is about to answer.
  const hidden = busy || page.waste !== null || (here !== null && !isOwn(page, view.turn));
  const all = hidden ? [] : known(page, view.turn);
  const why = page.waste
    ? practiceWords(page.waste.slice(0, seen(page)), view.over)
    : proof?.turn && !busy && here !== view.turn
      ? `The proof plays ${proof.turn}${BY[proof.by ?? ''] ?? ''} (from ${proof.certificate}).`
      : proof?.winner && !view.over
        ? `Proven by ${proof.certificate}${proof.claim ? '' : ', which is not part of the program'}.`
        : '';
  parts.marks.show(view, all);
  const words = distanceWords(page, view);
  // At the start this would only repeat the result above.
  const again = page.turns.length === 0 && words === page.result.says;
  setText(parts.distance, again ? '' : words);
  setText(parts.reason, why);
  fill(
    parts.values,
    ...grouped(all, view.turn).flatMap((group) => [
      el('dt', capital(valueWords(group[0], info.players))),
      el('dd', group.map(({ turn }) => turn).join(' ')),
    ]),
  );
  parts.worths.hidden = all.length === 0;
};

/** Shows the available actions. @param {Page} page */
const paintButtons = (page) => {
  const { playable, here, turns, busy, result, parts } = page;
  const playing = turns.length > 0;
  parts.begin.hidden = !playable || here !== null;
  parts.practise.hidden = !playable || typeof result.winner !== 'number' || page.waste !== null;
  parts.explore.hidden = !playable || here === 'both';
  // Positions known only from the atlas have no certificate to play against.
  const canAnswer = Boolean(page.proof?.winner && page.proof.claim);
  parts.playOn.hidden = here !== 'both' || !canAnswer || parts.play.base()?.over === true;
  parts.other.hidden = !playable || result.winner !== 'draw' || playing || here === 'both';
  parts.undo.hidden = parts.again.hidden = !playable || !playing;
  parts.undo.disabled = busy;
  parts.list.element.hidden = !playing;
};

/** The position after a number of turns. @param {Page} page @param {number} ply */
const placeAt = ({ info, result, turns }, ply) => ({
  game: info.id,
  position: result.position,
  turns: turns.slice(0, ply),
});

/** The current position. @param {Page} page */
const here = (page) => placeAt(page, seen(page));

/** @param {Page} page */
const render = (page, animate = true) => {
  const { start, playable, parts } = page;
  parts.list.show(page.turns, seen(page), start.turn);
  /** @param {import('../program/views.js').Place} place @returns {Promise<[View|null, Proof|null]>} */
  const find = (place) =>
    Promise.all([parts.play.show(place, { animate }), playable ? ask('proof', place) : null]);
  return aboutHere(
    () => here(page),
    find,
    ([view, proof]) => {
      if (!view) return;
      page.proof = proof;
      paintButtons(page);
      parts.play.render();
      paint(page, view);
    },
  );
};

/** Plays the proof's answer, if it is to move. @param {Page} page */
const answer = async (page) => {
  const { proof, parts } = page;
  // If the win was given away, the user has to take the turn back.
  if (page.waste?.includes(null)) return;
  const turn = proof && (page.waste ? defence(proof) : proof.turn);
  if (!turn || page.here === null || isOwn(page, parts.play.base()?.turn)) return;
  page.busy = true;
  parts.play.render();
  // Answer even if the user is looking at an earlier position meanwhile.
  await aboutHere(
    () => placeAt(page, page.turns.length),
    () => sleep(BREATH),
    async () => {
      if (!page.busy) return;
      page.turns = [...page.turns, turn];
      page.waste?.push(0);
      page.busy = false;
      sound('other');
      await render(page);
      const said = saidOf(parts.play.base(), page.turns);
      say(`${opponent(page)} plays ${said}. ${parts.distance.textContent ?? ''}`);
      if (proof.left === 1) sound('end');
    },
  );
};

/** Shows the current position, and lets the proof answer. @param {Page} page @param {boolean} [own] a turn was made */
const goOn = async (page, own = false) => {
  await render(page, false);
  if (own) say(`You play ${saidOf(page.parts.play.base(), page.turns)}.`);
  answer(page).catch((/** @type {Error} */ error) => {
    page.busy = false;
    complain(error);
    page.parts.play.render();
  });
};

/** @param {Page} page @param {string} turn */
const played = async (page, turn) => {
  const before = page.proof?.left ?? null;
  page.turns = [...page.turns, turn];
  sound('move');
  if (page.waste) await weigh(page, before);
  return goOn(page, true);
};

/**
 * Works out what the user's last turn has cost, even while an earlier position is shown.
 * @param {Page} page @param {number|null} before
 */
const weigh = (page, before) =>
  aboutHere(
    () => placeAt(page, page.turns.length),
    (place) => Promise.all([ask('proof', place), askView(place)]),
    ([proof, { over, winner }]) => {
      const side = /** @type {1|2} */ (page.here);
      const won = over && winner === side;
      page.waste?.push(won ? 0 : wastedBy(before, proof, side));
    },
  );

/** Restarts with the user on one side. @param {Page} page @param {1|2} side @param {Page['waste']} [waste] */
const sit = (page, side, waste = null) => {
  Object.assign(page, { here: side, turns: [], ply: null, busy: false, waste });
  return goOn(page);
};

/** Lets the user play the winning side. @param {Page} page */
const practise = (page) => sit(page, /** @type {1|2} */ (page.result.winner), []);

/** Lets the user try turns for both sides from here. @param {Page} page */
const explore = (page) => {
  Object.assign(page, {
    here: 'both',
    turns: page.turns.slice(0, seen(page)),
    ply: null,
    busy: false,
    waste: null,
  });
  return goOn(page);
};

/** Lets the proof play the winning side from here. @param {Page} page */
const playOn = (page) => {
  const { proof, parts } = page;
  const mover = parts.play.base()?.turn ?? 1;
  page.here = proof?.winner === 1 ? 2 : proof?.winner === 2 ? 1 : mover;
  return goOn(page);
};

/** @param {Page} page */
const again = (page) => {
  if (page.here !== 'both') return sit(page, page.here ?? page.start.turn, page.waste && []);
  Object.assign(page, { turns: [], ply: null, busy: false });
  return goOn(page);
};

/** Takes turns back until the user is to move again. @param {Page} page */
const takeBack = (page) => {
  const moverAt = (/** @type {number} */ ply) => ((page.start.turn - 1 + ply) % 2) + 1;
  let count = page.turns.length - 1;
  while (count > 0 && page.here !== 'both' && moverAt(count) !== page.here) count -= 1;
  const [turns, waste] = [page.turns.slice(0, count), page.waste?.slice(0, count) ?? null];
  Object.assign(page, { turns, waste, ply: null, busy: false });
  return goOn(page);
};

/** @param {Page} page @param {number} ply */
const go = (page, ply) => {
  page.ply = ply === page.turns.length ? null : ply;
  render(page);
};

/** How to verify the result. @param {Result} result */
const checkCard = ({ command, effort, certificate }) => {
  const { file, words } = certificate ?? {};
  const check = () =>
    copyField('Check the certificate by the rules alone', 'quadrille verify proof.gz', 'check');
  const link = { href: file && fileAt(file), download: 'proof.gz' };
  return el(
    'section.card.check',
    { 'aria-label': 'How to check it' },
    el('h2', 'How to check it'),
    command && copyField('Reproduce it', command, 'find-again'),
    effort && el('small', `It took ${effort}.`),
    certificate && check(),
    el(certificate ? 'small' : 'p.about', words ? `${words}.` : UNCERTIFIED),
    file && el('p', el('a#download', link, 'The certificate as a file')),
  );
};
