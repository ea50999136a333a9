/**
 * Analysis: any position or record, the engine, a tree of variations, and the review of a game.
 *
 * @typedef {import('../program/views.js').GameInfo} GameInfo
 * @typedef {{tree: import('./tree.js').Tree, node: number|null, review: import('./moments.js').Entry[]|undefined,
 *   flipped: boolean}} State
 *   `node` is the current turn in the tree, null before the first
 * @typedef {{state: State, info: GameInfo, key: string, first: 1|2, finding: boolean, kept: boolean,
 *   addressing: any, addressed: number, main: HTMLElement, parts: ReturnType<typeof createParts>,
 *   play: ReturnType<typeof createPlay>,
 *   thinking: ReturnType<typeof createThinking>, review: ReturnType<typeof createReview>,
 *   around: (act: () => void) => void}} Page
 *   `around` redraws everything around the board; `key` is the storage key of the tree; `first` moves first; `finding`
 *   while the best turn is searched for; `kept` unless saving has failed; `addressing` is the timer for updating the
 *   address, and `addressed` the time it was last updated
 */
import { askedPosition, positionAt } from '../address.js';
import { copyText } from '../common/controls.js';
import { recordBox } from '../common/dialogs.js';
import { drawing, el, fill, inNextFrame, onKeys, say, toast } from '../common/dom.js';
import { play as sound } from '../common/sound.js';
import { capital, reasonOf } from '../common/text.js';
import { aboutHere, isSame } from '../play/here.js';
import { isOneTap } from '../play/making.js';
import { arrowsFor, createPlay } from '../play/play.js';
import { rulesPanel } from '../play/rulespanel.js';
import { stepKeys, zen } from '../play/turns.js';
import { sleep } from '../connection/reach.js';
import { ask, think, thought } from '../program/ask.js';
import { catalogue, playLink, saidOf, view as askView } from '../program/views.js';
import { firstPlayer } from '../table/live.js';
import { createParts, putTogether } from './analysisparts.js';
import { begin, intakePage } from './intake.js';
import { mistakes } from './moments.js';
import { copyPicture } from './picture.js';
import { createReview } from './review.js';
import { saveTree } from './saved.js';
import { createThinking } from './thinking.js';
import * as trees from './tree.js';
import { paintTree } from './variations.js';

/** @param {HTMLElement} main @param {string[]} rest */
export const analysisPage = async (main, rest) => {
  const { games } = await catalogue();
  const info = games.find((one) => one.id === rest[0]);
  return info
    ? boardPage(main, games, info, askedPosition(rest.slice(1)))
    : intakePage(main, games);
};

/** @param {HTMLElement} main @param {GameInfo[]} games @param {GameInfo} info @param {string} path */
const boardPage = async (main, games, info, path) => {
  const { key, saved } = await begin(info, path);
  document.title = `Analysis of ${info.name} – Quadrille`;
  const asked = new URLSearchParams(location.search);
  const state = await opened(saved, asked.has('game') || asked.has('device'));
  /** @type {Page} */
  const p = /** @type {any} */ ({
    state,
    info,
    key,
    main,
    kept: true,
    addressed: 0,
    around: inNextFrame(),
  });
  p.first = firstPlayer(state.tree);
  p.play = createPlay({
    label: `Board of ${info.name}`,
    sure: true,
    sketches: true,
    helps: () => !p.review.trying(),
    mayPlay: () => !p.play.base()?.over,
    idle: () => capital(p.play.base()?.status ?? ''),
    task: () => p.review.question(),
    onTurn: (turn) => tryTurn(p, turn),
  });
  p.thinking = createThinking(info, {
    onPick: (turns, place) => pick(p, turns, place),
    onBest: () => showBest(p),
    onPeek: (turns) => peek(p, turns),
  });
  p.review = createReview(reviewHooks(p));
  p.parts = createParts(info, games, p.review.element, deeds(p));
  putTogether(main, info, p);
  onKeys(keys(p));

  // Somebody who comes to review a game wants to see the review first.
  const reviewed = p.review.entries().length > 0;
  if (reviewed || asked.has('review')) p.parts.tabs.show('review');
  save(p);
  await render(p, false);
  if (asked.has('review') && !reviewed && trees.mainLine(state.tree).length > 0) p.review.go();
};

/**
 * The initial state: the turns after #, otherwise the end of a game, otherwise the start.
 * @param {import('./intake.js').Saved} saved @param {boolean} atEnd @returns {Promise<State>}
 */
const opened = async ({ tree, review }, atEnd) => {
  const state = { tree, review, node: /** @type {number|null} */ (null), flipped: false };
  const line = decodeURIComponent(location.hash.slice(1)).split(',').filter(Boolean);
  if (line.length === 0)
    return atEnd ? { ...state, node: trees.mainLine(tree).at(-1) ?? null } : state;
  try {
    return { ...state, ...(await ask('branch', { tree, do: 'add', turns: line })) };
  } catch {
    toast('The turns in the address are not legal here.', 'bad');
    return state;
  }
};

/** @param {Page} p @returns {Parameters<typeof createReview>[0]} */
const reviewHooks = (p) => {
  const { tags } = p.state.tree;
  const name = (/** @type {1|2} */ n) =>
    tags.find(([tag]) => tag === `Player${n}`)?.[1] ?? p.info.players[n - 1];
  return {
    players: [name(1), name(2)],
    sides: p.info.players,
    first: p.first,
    saved: p.state.review,
    place: () => placeAt(p, trees.mainLine(p.state.tree).at(-1) ?? null),
    onGo: (ply) => go(p, nodeAt(p, ply)),
    onChange: () => renderTree(p),
    onKeep: (review) => {
      p.state = { ...p.state, review };
      save(p);
    },
    think: (fields, hear, signal) => think('review', fields, hear, signal),
    onTry: (ply, played) => tryAt(p, ply, played).catch(complain),
    onAnswered: () => hush(p),
    onPlay: (ply, line) => playOut(p, ply, line).catch(complain),
    onHint: (ply, turn) => showFirst(p, ply, turn).catch(complain),
    mayHint: () => {
      const base = p.play.base();
      return base !== null && !isOneTap(base);
    },
  };
};

/** The node of the main line after this many turns. @param {Page} p @param {number} ply */
const nodeAt = (p, ply) => trees.mainLine(p.state.tree)[ply - 1] ?? null;

/**
 * Asks for a better turn than the one played here.
 * @param {Page} p @param {number} ply @param {string} played
 */
const tryAt = async (p, ply, played) => {
  p.state = { ...p.state, node: nodeAt(p, ply) };
  hush(p);
  await render(p);
  const find = (/** @type {import('../program/views.js').Place} */ place) =>
    arrowsFor(place, played, p.state.flipped);
  await aboutHere(
    () => here(p),
    find,
    (past) => p.play.past(past),
  );
};

/**
 * Highlights where a turn starts, without giving away the rest.
 * @param {Page} p @param {number} ply @param {string} turn
 */
const showFirst = async (p, ply, turn) => {
  if (p.state.node !== nodeAt(p, ply)) go(p, nodeAt(p, ply));
  const find = (/** @type {import('../program/views.js').Place} */ place) =>
    arrowsFor(place, turn, p.state.flipped);
  await aboutHere(
    () => here(p),
    find,
    ([first]) => {
      const cell = first && ('place' in first ? first.place : first.from);
      if (cell === undefined) return;
      p.play.clear();
      p.play.hint([{ place: cell }]);
      say(`Look at ${p.play.base()?.cells[cell].name}.`);
    },
  );
};

/** For how many milliseconds each turn of a line is shown. */
const PER_TURN = 900;

/**
 * Plays out a line turn by turn, until it ends or the user navigates away.
 * @param {Page} p @param {number} ply @param {string[]} line
 */
const playOut = async (p, ply, line) => {
  p.state = { ...p.state, node: nodeAt(p, ply) };
  await render(p);
  for (const turn of line) {
    const { node } = p.state;
    if (!(await branch(p, { do: 'add', turns: [turn] }))) return;
    const mine = p.state.node;
    sound('move');
    await sleep(PER_TURN);
    if (p.state.node !== mine || mine === node) return;
  }
};

/** The actions of the buttons. @param {Page} p @returns {import('./analysisparts.js').Deeds} */
const deeds = (p) => ({
  first: () => go(p, null),
  step: (by) => step(p, by),
  last: () => step(p, Infinity),
  flip: () => {
    p.state = { ...p.state, flipped: !p.state.flipped };
    render(p, false);
  },
  comment: (text) => {
    p.state = { ...p.state, tree: trees.withComment(p.state.tree, p.state.node, text) };
    save(p);
    renderTree(p);
  },
  promote: () => branch(p, { do: 'promote' }, false).catch(complain),
  remove: () => branch(p, { do: 'remove' }, false).catch(complain),
  best: () => bestMove(p),
  threat: () => showThreat(p),
  record: () => exportRecord(p),
  link: async () => {
    renderAddress(p);
    toast((await copyText(location.href)) ? 'Link copied.' : location.href);
  },
  position: async () => {
    const copied = await copyText(p.parts.position.value, p.parts.position);
    toast(copied ? 'Position copied.' : p.parts.position.value);
  },
  picture: () => copyPicture(here(p)).catch(complain),
  rules: () => rulesPanel(p.info),
  played: (turn) => branch(p, { do: 'add', turns: [turn] }).catch(complain),
});

/** @param {Page} p */
const keys = (p) => {
  const { first, last, flip } = deeds(p);
  const vary = (/** @type {number} */ by) => go(p, trees.sibling(p.state.tree, p.state.node, by));
  return {
    ...stepKeys({ first, step: (by) => step(p, by), last }),
    ArrowUp: () => vary(-1),
    ArrowDown: () => vary(1),
    f: flip,
    z: zen,
    l: () => p.thinking.toggle(),
    ' ': () => bestMove(p),
    x: () => showThreat(p),
    n: () => p.review.nextMistake(),
    Escape: () => p.play.back(),
    m: () => p.play.entry.focus(),
  };
};

/** The position at a node of the tree. @param {Page} p @param {number|null} node */
const placeAt = ({ state: { tree }, info }, node) => ({
  game: info.id,
  position: tree.start,
  turns: trees.turnsOf(tree, node),
});

/** Saves the analysis; if that fails, says so once. @param {Page} p */
const save = (p) => {
  const { tree, review } = p.state;
  const kept = saveTree(p.key, { tree, review });
  if (!kept && p.kept) toast('The browser keeps nothing: a reload loses this analysis.', 'bad');
  p.kept = kept;
};

/** @param {Page} p */
const renderTree = (p) => {
  const { tree, node } = p.state;
  const line = trees.mainLine(tree);
  const marks = new Map(
    mistakes(p.review.entries()).map(({ ply, mistake }) => [line[ply - 1], mistake]),
  );
  paintTree(p.parts.moves, tree, { node, first: p.first, marks, onPick: (at) => go(p, at) });
};

/**
 * Shows the current position, and only then everything around it: somebody stepping through a game looks at the board.
 * @param {Page} p
 */
const render = async (p, animate = true) => {
  const { node, flipped } = p.state;
  const place = placeAt(p, node);
  p.around(() => renderAround(p));
  const seen = await p.play.show(place, { flipped, animate });
  if (!seen || p.play.busy()) return;
  p.thinking.think(place, seen, flipped);
  const { playHere, editHere, position } = p.parts;
  playHere.href = playLink(seen);
  editHere.href = positionAt('editor', p.info.id, seen.text);
  position.value = seen.text;
  p.parts.played.show(seen);
};

/** Changing the address takes a browser 8 ms, so quick steps share one change. */
const ADDRESS_MS = 100;

/** Puts the current position into the address. @param {Page} p */
const renderAddress = (p) => {
  p.addressed = performance.now();
  const { turns } = here(p);
  const hash = turns.length > 0 ? `#${turns.map(encodeURIComponent).join(',')}` : '';
  if (location.hash !== hash)
    history.replaceState(null, '', `${location.pathname}${location.search}${hash}`);
};

/** The list of turns with the current one, and a little later the address. @param {Page} p */
const renderAround = (p) => {
  const { tree, node } = p.state;
  clearTimeout(p.addressing);
  // After a single step it is written at once, so that a reload leads back here.
  const wait = Math.max(0, p.addressed + ADDRESS_MS - performance.now());
  p.addressing = setTimeout(() => renderAddress(p), wait);
  renderTree(p);
  const main = trees.isMain(tree, node);
  p.parts.paint({
    comment: trees.commentOf(tree, node),
    atStart: node === null,
    atEnd: trees.children(tree, node).length === 0,
    main,
  });
  p.review.show(main ? trees.pathOf(tree, node).length : -1);
};

/** @param {Page} p @param {number|null} node */
const go = (p, node) => {
  p.state = { ...p.state, node };
  render(p);
};

/** @param {Page} p @param {number} by */
const step = (p, by) => {
  const { tree, node } = p.state;
  if (by < 0) {
    go(p, trees.pathOf(tree, node).at(by - 1) ?? null);
    return;
  }
  const ahead = trees.lineFrom(tree, node);
  if (ahead.length > 0) go(p, ahead[Math.min(by, ahead.length) - 1]);
};

/**
 * Edits the tree at the current turn. Returns false if the user has moved on meanwhile.
 * @param {Page} p @param {{do: 'add'|'promote'|'remove', turns?: string[]}} change @returns {Promise<boolean>}
 */
const branch = async (p, change, animate = true) => {
  const { tree, node } = p.state;
  const changed = await ask('branch', { tree, node, ...change });
  if (p.state.node !== node) return false;
  // A comment that was being written has changed the tree meanwhile.
  if (p.state.tree !== tree) return branch(p, change, animate);
  p.state = { ...p.state, ...changed };
  p.review.check();
  save(p);
  render(p, animate);
  return true;
};

/** The current position. @param {Page} p */
const here = (p) => placeAt(p, p.state.node);

/**
 * Steps into a line of the engine, if it is for the current position.
 * @param {Page} p @param {string[]} turns @param {import('../program/views.js').Place} place
 */
const pick = (p, turns, place) => {
  if (isSame(place, here(p))) branch(p, { do: 'add', turns }).catch(complain);
};

/** @param {Error} error */
const complain = (error) => toast(reasonOf(error), 'bad');

/** Plays a turn. While a better turn is looked for, it is judged. @param {Page} p @param {string} turn */
const tryTurn = async (p, turn) => {
  const asks = p.review.asks();
  const answers = asks !== null && p.state.node === nodeAt(p, asks);
  if (!(await branch(p, { do: 'add', turns: [turn] }))) return;
  sound('move');
  if (answers) await p.review.judge(turn);
  else await confirmTurn(p);
};

/** Announces a turn made here. @param {Page} p */
const confirmTurn = (p) =>
  aboutHere(
    () => here(p),
    (place) => askView(place, p.state.flipped),
    (seen) => say(`${saidOf(seen, seen.turns)}. ${capital(seen.status)}.`),
  );

/** Hides the engine's suggestions while a better turn is looked for. @param {Page} p */
const hush = (p) => {
  const trying = p.review.trying();
  p.main.classList.toggle('retrying', trying);
  p.thinking.hush(trying);
  if (trying) p.play.hint([]);
};

/** Shows the best turn as an arrow. @param {Page} p */
const showBest = (p) => {
  const best = p.thinking.best(here(p));
  const quiet = () => p.play.busy() || p.review.trying();
  if (!best || quiet()) return;
  const find = (/** @type {import('../program/views.js').Place} */ place) =>
    arrowsFor(place, best, p.state.flipped);
  const use = (/** @type {import('../board/board.js').Hint[]} */ hints) => {
    if (p.thinking.best(here(p)) === best && !quiet()) p.play.hint(hints);
  };
  aboutHere(() => here(p), find, use).catch(() => {});
};

/** Previews a turn of a line on a small board while it is hovered. @param {Page} p @param {string[]|null} turns */
const peek = (p, turns) => {
  const { preview } = p.parts;
  preview.hidden = turns === null;
  if (!turns) return;
  const find = (/** @type {import('../program/views.js').Place} */ place) =>
    askView({ ...place, turns: [...(place.turns ?? []), ...turns] }, p.state.flipped);
  const use = (/** @type {import('../program/views.js').View} */ shown) => {
    fill(preview, el('div.picture', drawing(shown.svg)), el('small', `After ${turns.at(-1)}`));
    const { bottom, right } = p.thinking.element.getBoundingClientRect();
    preview.style.setProperty('top', `${bottom + 4}px`);
    preview.style.setProperty('right', `${innerWidth - right}px`);
  };
  aboutHere(() => here(p), find, use).catch(() => {});
};

/** Plays the best turn; searches for one at a time. @param {Page} p */
const bestMove = async (p) => {
  if (p.finding) return;
  p.finding = true;
  const find = async (/** @type {import('../program/views.js').Place} */ place) => {
    if ((await askView(place, p.state.flipped)).over) return null;
    return p.thinking.best(place) ?? (await thought('hint', place)).engine?.turn;
  };
  const use = async (/** @type {string|null|undefined} */ turn) => {
    if (!turn) return;
    say(`Best: ${turn}`);
    await tryTurn(p, turn);
  };
  await aboutHere(() => here(p), find, use).catch(complain);
  p.finding = false;
};

/** Shows what the opponent would play if it were their turn. @param {Page} p */
const showThreat = (p) => {
  const { flipped } = p.state;
  const find = async (/** @type {import('../program/views.js').Place} */ at) => {
    const seen = await askView(at, flipped);
    if (seen.over) return null;
    const edit = { turn: seen.turn === 1 ? 2 : 1 };
    const other = await ask('edit', { game: p.info.id, position: seen.position, edit });
    const place = { game: p.info.id, position: other.position };
    const { engine } = await thought('hint', place);
    return { turn: engine.turn, hints: await arrowsFor(place, engine.turn, flipped) };
  };
  const use = (/** @type {Awaited<ReturnType<typeof find>>} */ found) => {
    if (!found) return;
    const advice = `Threat: ${found.turn}`;
    p.play.hint(found.hints, { threat: true, advice });
    say(advice);
  };
  return aboutHere(() => here(p), find, use).catch(complain);
};

/** @param {Page} p */
const exportRecord = async (p) => {
  try {
    const { record } = await ask('record', p.state.tree);
    recordBox(record, { id: 'record', title: 'The record', file: `${p.info.id}.txt` });
  } catch (error) {
    complain(/** @type {Error} */ (error));
  }
};
