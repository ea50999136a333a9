/** What is known for certain: results, the values of first moves, and certificates to play against. */
import { pageAt, positionAt } from './address.js';
import { catalogue, view as askView } from './api.js';
import { ask } from './ask.js';
import {
  button,
  copyField,
  drawing,
  el,
  fill,
  onKeys,
  placeLine,
  say,
  setText,
  stepsNav,
  svg,
  toast,
} from './dom.js';
import { createPlay } from './play.js';
import { grouped, sign, signs, valueWords } from './proving.js';
import { sleep } from './reach.js';
import { play as sound } from './sound.js';
import { capital, plural } from './text.js';
import { createTurns } from './turns.js';

/**
 * @typedef {import('./api.js').GameInfo} GameInfo
 * @typedef {import('./api.js').View} View
 * @typedef {import('./proving.js').Value} Value
 * @typedef {{title: string, says: string, position: string, winner: 1|2|'draw'|null, within: number|null,
 *   command: string|null, effort: string|null, certificate: {file: string|null, words: string}|null, first: Value[]}} Result
 * @typedef {{claim: string, stored: number, left: number|null, turn: string|null, by: string|null,
 *   moves: {turn: string, left: number|null}[]}} Proof
 */

/** The certificate answers no sooner, so that one sees what it answers to. */
const BREATH = 350;

const BY = /** @type {Record<string, string>} */ ({
  stored: 'as it is stored',
  'at once': 'which wins at once',
  tried: 'by exchanges that are tried out',
});

/** @param {string} game @returns {Promise<Result[]>} */
const resultsOf = async (game) => (await ask('results', { game })).results;

/** @param {HTMLElement} main @param {string[]} rest */
export const resultsPage = async (main, rest) => {
  const { games } = await catalogue();
  const info = games.find((one) => one.id === rest[0]);
  if (!info) return shelfPage(main, games);
  const results = await resultsOf(info.id);
  const number = results[Number(rest[1]) - 1] ? Number(rest[1]) : 1;
  return resultPage(main, info, results, number);
};

/** Every game with what is known of it. @param {HTMLElement} main @param {GameInfo[]} games */
const shelfPage = async (main, games) => {
  document.title = 'Results – Quadrille';
  const lists = await Promise.all(games.map(({ id }) => resultsOf(id)));
  main.className = 'page';
  fill(
    main,
    el('h1', {}, 'Results'),
    el(
      'p.lead',
      {},
      'What is known for certain, how anybody can check it, and proofs to play against.',
    ),
    el(
      'div.shelf.known',
      {},
      ...games.map((info, i) =>
        el(
          'section.card.tile',
          { 'data-game': info.id },
          drawing(info.picture),
          el('h2', {}, info.name),
          el(
            'ul',
            {},
            ...lists[i].map((one, n) =>
              el(
                'li',
                {},
                el('a', { href: pageAt(`results/${info.id}/${n + 1}`) }, one.title),
                el('small', {}, one.says),
              ),
            ),
          ),
        ),
      ),
    ),
  );
};

/** Signs over the cells of a board. */
const createSigns = () => {
  const element = svg('svg', { class: 'values', 'aria-hidden': 'true' });
  /** @param {View|null} view @param {Value[]} values */
  const show = (view, values) => {
    if (!view) return;
    element.setAttribute('viewBox', `0 0 ${view.size.join(' ')}`);
    const low = view.cells.reduce(
      (best, { at }) =>
        Math.min(
          best,
          ...view.cells.map((other) => Math.abs(other.at[0] - at[0])).filter((d) => d > 1),
        ),
      Infinity,
    );
    element.replaceChildren(
      ...signs(view.steps, values, view.turn).map(({ cell, value }) => {
        const [x, y] = view.cells[cell].at;
        const words = sign(value);
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

/** One result: what is known, its board, and its certificate to play against. @param {HTMLElement} main @param {GameInfo} info @param {Result[]} results @param {number} number */
const resultPage = async (main, info, results, number) => {
  const result = results[number - 1];
  document.title = `${info.name}: ${result.title} – Results – Quadrille`;
  const start = await askView({ game: info.id, position: result.position });
  const { winner } = result;
  const playable = Boolean(result.certificate?.file);
  const state = {
    turns: /** @type {string[]} */ ([]),
    ply: /** @type {number|null} */ (null),
    /** Who sits here; nobody before the first turn of a certificate that begins. @type {1|2|null} */
    here: typeof winner === 'number' && winner === start.turn ? null : start.turn,
    busy: false,
    shown: 0,
  };
  /** @type {Proof|null} */
  let proof = null;
  const opponent = () => info.players[state.here === 1 ? 1 : 0];
  const placeAt = (/** @type {number} */ ply) => ({
    game: info.id,
    position: result.position,
    turns: state.turns.slice(0, ply),
  });
  const moverAt = (/** @type {number} */ ply) => ((start.turn - 1 + ply) % 2) + 1;
  const seen = () => state.ply ?? state.turns.length;

  const play = createPlay({
    label: `Board of ${info.name}`,
    sure: true,
    mayPlay: () =>
      playable && state.ply === null && !state.busy && state.here === play.base()?.turn,
    plays: () => playable,
    idle: () =>
      state.busy
        ? `${opponent()} answers…`
        : state.here || !playable
          ? ''
          : 'The proof moves first',
    onTurn: (turn) => played(turn),
  });
  const marks = createSigns();
  play.board.element.append(marks.element);
  const distance = el('p.distance', { id: 'distance', role: 'status' });
  const reason = el('small', { id: 'distance-why' });
  const values = el('dl.worths', { id: 'worths' });
  const list = createTurns((ply) => go(ply));
  const nav = stepsNav({
    first: () => go(0),
    back: () => go(seen() - 1),
    on: () => go(seen() + 1),
    last: () => go(state.turns.length),
  });
  const begin = button('Play against the proof', () => sit(start.turn === 1 ? 2 : 1), {
    id: 'begin',
    className: 'primary',
  });
  const other = button('Play the other side', () => sit(state.here === 1 ? 2 : 1), { id: 'other' });
  const again = button('Begin again', () => sit(state.here ?? start.turn), { id: 'again' });
  const undo = button('Take back', () => takeBack(), { id: 'take-back' });

  main.className = 'table reader result';
  fill(
    main,
    el('div.boardbox', {}, play.board.element),
    el(
      'div.side',
      {},
      placeLine(info.name, result.title, el('a', { href: pageAt('results') }, 'All results')),
      el(
        'nav.tabs',
        { 'aria-label': `Results of ${info.name}` },
        ...results.map((one, i) =>
          el(
            'a',
            {
              href: pageAt(`results/${info.id}/${i + 1}`),
              'aria-current': i + 1 === number ? 'page' : null,
            },
            one.title,
          ),
        ),
      ),
      el(
        'section.card.knowledge',
        { 'aria-label': 'What is known' },
        el('p.task', {}, el('b', { id: 'says' }, result.says)),
        distance,
        reason,
        values,
      ),
      playable ? el('div.now', {}, play.card) : null,
      playable ? el('section.card.turnlist', { 'aria-label': 'Turns' }, list.element, nav) : null,
      el(
        'div.actions',
        { role: 'group', 'aria-label': 'Actions' },
        begin,
        other,
        undo,
        again,
        el('a.button', { href: positionAt('analysis', info.id, result.position) }, 'Analyse'),
      ),
      checkCard(result),
    ),
  );

  /** What is known of each turn here: by the certificate, or at the start by the list. @returns {Value[]} */
  const known = () => {
    if (!proof || proof.moves.length === 0) return seen() === 0 ? result.first : [];
    return proof.moves.map(({ turn, left }) => ({
      turn,
      winner: left === null ? null : winner,
      within: left,
    }));
  };

  const paint = (/** @type {View} */ view) => {
    const all = state.busy ? [] : known();
    marks.show(view, all);
    setText(distance, words(view));
    setText(
      reason,
      proof?.turn && !state.busy && state.here !== view.turn
        ? `The proof plays ${proof.turn}, ${BY[proof.by ?? ''] ?? ''}.`
        : '',
    );
    fill(
      values,
      ...grouped(all, view.turn).flatMap((group) => [
        el('dt', {}, capital(valueWords(group[0], info.players))),
        el('dd', {}, group.map(({ turn }) => turn).join(' ')),
      ]),
    );
  };

  /** How far the win is. @param {View} view */
  const words = (view) => {
    if (view.over && view.winner === 'draw') return 'The game is over: nobody has won.';
    if (view.over) return `${info.players[/** @type {1|2} */ (view.winner) - 1]} has won.`;
    if (!proof) return '';
    if (typeof winner !== 'number')
      return state.turns.length > 0
        ? 'The set has an answer to every turn: nobody wins by force.'
        : '';
    if (proof.left === null) return '';
    return `${info.players[winner - 1]} wins in ${plural(proof.left, 'more turn')} at most.`;
  };

  const render = async (animate = true) => {
    const mine = ++state.shown;
    const place = placeAt(seen());
    const [view, said] = await Promise.all([
      play.show(place, { animate }),
      playable ? ask('proof', place) : null,
    ]);
    if (mine !== state.shown || !view) return;
    proof = said;
    list.show(state.turns, seen(), { first: start.turn });
    const playing = state.turns.length > 0;
    begin.hidden = !playable || state.here !== null;
    other.hidden = !playable || winner !== 'draw' || playing;
    undo.hidden = again.hidden = !playable || !playing;
    undo.disabled = state.busy;
    for (const [id, enabled] of /** @type {[string, boolean][]} */ ([
      ['first', seen() > 0],
      ['back', seen() > 0],
      ['on', seen() < state.turns.length],
      ['last', seen() < state.turns.length],
    ]))
      /** @type {any} */ (nav.querySelector(`#nav-${id}`)).disabled = !enabled;
    play.render();
    paint(view);
  };

  /** The proof answers, if it is to move. */
  const answer = async () => {
    const before = state.turns;
    const mayAnswer = () => state.turns === before && state.ply === null;
    if (!proof?.turn || state.here === null || play.base()?.turn === state.here) return;
    const { turn, left } = proof;
    state.busy = true;
    play.render();
    await sleep(BREATH);
    if (!mayAnswer()) return;
    state.turns = [...before, turn];
    state.busy = false;
    sound('other');
    await render();
    say(`${opponent()} plays ${turn}. ${distance.textContent ?? ''}`);
    if (left === 1) sound('end');
  };

  const played = async (/** @type {string} */ turn) => {
    state.turns = [...state.turns, turn];
    sound('move');
    await render(false);
    answer().catch(failed);
  };

  const failed = (/** @type {Error} */ error) => {
    state.busy = false;
    toast(capital(error.message), 'bad');
    play.render();
  };

  /** Begins anew on a side. @param {1|2} side */
  const sit = async (side) => {
    Object.assign(state, { here: side, turns: [], ply: null, busy: false });
    await render(false);
    answer().catch(failed);
  };

  /** Back to where whoever sits here was to move. */
  const takeBack = async () => {
    let count = state.turns.length - 1;
    while (count > 0 && moverAt(count) !== state.here) count -= 1;
    Object.assign(state, { turns: state.turns.slice(0, count), ply: null, busy: false });
    await render(false);
    answer().catch(failed);
  };

  const go = (/** @type {number} */ ply) => {
    const at = Math.max(0, Math.min(state.turns.length, ply));
    state.ply = at === state.turns.length ? null : at;
    render();
  };

  onKeys({
    ArrowLeft: () => go(seen() - 1),
    ArrowRight: () => go(seen() + 1),
    Home: () => go(0),
    End: () => go(state.turns.length),
    Escape: () => play.back(),
    m: () => play.entry.focus(),
    u: () => {
      if (!undo.hidden && !undo.disabled) takeBack();
    },
  });
  await render(false);
};

/** How anybody can check it. @param {Result} result */
const checkCard = ({ command, effort, certificate }) => {
  const file = certificate?.file;
  return el(
    'section.card.check',
    { 'aria-label': 'How to check it' },
    el('h2', {}, 'How to check it'),
    command ? copyField('Find it again', command, 'find-again') : null,
    effort ? el('small', {}, `It took ${effort}.`) : null,
    certificate
      ? copyField('Check the certificate by the rules alone', 'quadrille verify proof.gz', 'check')
      : null,
    certificate ? el('small', {}, `${certificate.words}.`) : null,
    file
      ? el(
          'p',
          {},
          el(
            'a',
            {
              href: new URL(`./${file}`, import.meta.url).href,
              download: 'proof.gz',
              id: 'download',
            },
            'The certificate as a file',
          ),
        )
      : null,
    certificate ? null : el('p.about', {}, 'There is no certificate: it rests on the search.'),
  );
};
