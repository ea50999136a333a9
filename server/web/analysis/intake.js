/** Loading an analysis: from a pasted text, a file, a game, a puzzle or an address. */
import { fromPath, pageAt, positionAt } from '../address.js';
import { button, form, submit } from '../common/controls.js';
import { el, fill, setText } from '../common/dom.js';
import { choosing, gameShelf } from '../common/shelf.js';
import { capital } from '../common/text.js';
import { getJson } from '../connection/server.js';
import { ask } from '../program/ask.js';
import { view as askView } from '../program/views.js';
import { myGames } from '../table/mine.js';
import { deviceTable, treeOf } from '../table/tables.js';
import { judged, kindOf, recordText } from './pasted.js';
import { saveTree, savedTree } from './saved.js';
import { emptyTree } from './tree.js';

/**
 * @typedef {import('../program/views.js').GameInfo} GameInfo
 * @typedef {{tree: import('./tree.js').Tree, review?: import('./moments.js').Entry[]}} Saved
 * @typedef {import('./pasted.js').Reading<GameInfo>} Reading
 */

/** The page on which to choose what to analyse. @param {HTMLElement} main @param {GameInfo[]} games */
export const intakePage = (main, games) => {
  const done = myGames().filter((game) => game.over);
  const finished = (/** @type {import('../table/mine.js').Mine} */ game) => {
    const where = `${game.device ? 'device' : 'game'}=${game.id}`;
    const name = games.find(({ id }) => id === game.game)?.name ?? '';
    const link = { href: pageAt(`analysis/${game.game}`, `?${where}&review=1`) };
    return el('li', el('a', link, el('b', name), el('span', game.names ?? '')));
  };
  choosing(
    main,
    'analysis',
    importForm(games, null),
    el('h2', 'From the start'),
    gameShelf(games, ({ id }) => ({ href: pageAt(`analysis/${id}`) })),
    done.length > 0 &&
      el(
        'section.mine',
        el('h2', 'My finished games'),
        el('ul.games', done.slice(0, 12).map(finished)),
      ),
  );
};

/**
 * Reads a position or a record.
 * @param {GameInfo[]} games @param {GameInfo|null} prefer the game to choose if several are possible
 * @param {() => void} [show] scrolls to the form, if it may be out of sight
 */
export const importForm = (games, prefer, show = () => {}) => {
  const field = el('textarea#import-text', {
    rows: 4,
    'aria-label': 'A position or a record',
    placeholder: 'A position in one line or JSON, or a whole record',
    spellcheck: false,
    oninput: () => fill(question),
  });
  const wrong = el('p#import-error.error', { role: 'alert' });
  const question = el('div#import-which.which', { role: 'group', 'aria-label': 'Which game' });
  const pick = (/** @type {Reading} */ reading) => {
    if (reading.open) location.href = reading.open();
    else setText(wrong, `As ${reading.info.name}: ${reading.reason}.`);
  };
  const choices = (/** @type {Reading[]} */ readings) =>
    readings.map((one) => button('', one.info.name, () => pick(one), { 'data-game': one.info.id }));
  const send = async () => {
    const text = field.value.trim();
    if (!text) return;
    const outcome = judged(await readings(text, games), prefer);
    setText(wrong, 'wrong' in outcome ? capital(outcome.wrong) : '');
    fill(question, ...('ask' in outcome ? choices(outcome.ask) : []));
    if ('open' in outcome) location.href = outcome.open();
  };
  /** @param {FileList|null|undefined} files */
  const take = async (files) => {
    const file = files?.[0];
    if (!file) return;
    show();
    if (file.size > MOST_BYTES) return setText(wrong, `${file.name} is too large for a record.`);
    field.value = await file.text();
    send();
  };
  const file = el('input#import-file.sr', {
    type: 'file',
    accept: '.txt,.json,.pgn,.pl,.sgf,text/*',
    onchange: () => take(file.files),
  });
  takeDropped(take);
  const go = el(
    'div.row',
    submit('#import.primary', 'Analyse this'),
    el('label.button', { for: 'import-file' }, 'Open a file'),
    file,
  );
  return form('.card.import', send, ...[field, wrong, question, go]);
};

/** No record is as large as this; dropping a video should fail with a message. */
const MOST_BYTES = 1 << 20;

/** Accepts files dropped anywhere on the page. @param {(files: FileList) => void} take */
const takeDropped = (take) => {
  const over = (/** @type {DragEvent} */ event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  };
  addEventListener('dragover', over);
  addEventListener('drop', (event) => {
    over(event);
    if (event.dataTransfer?.files.length) take(event.dataTransfer.files);
  });
};

/**
 * Reads a text as each of the games it could be for.
 * @param {string} text @param {GameInfo[]} games @returns {Promise<Reading[]>}
 */
const readings = (text, games) => {
  const { kind, game } = kindOf(text);
  const read = {
    ...{ record: readRecord, sgf: readRecord, turns: readRecord },
    ...{ json: readJson, line: readLine },
  }[kind];
  const some = games.filter(({ id }) => game === null || id === game);
  return Promise.all(
    (some.length > 0 ? some : games).map(async (info) => {
      try {
        return { info, open: await read(text, info, game === null) };
      } catch (error) {
        return { info, reason: /** @type {Error} */ (error).message };
      }
    }),
  );
};

/**
 * @param {string} text @param {GameInfo} info
 * @param {boolean} untold whether the record does not say which game it is of
 */
const readRecord = async (text, info, untold) => {
  const tree = await ask('tree', { record: recordText(text, info.id, untold) });
  return () => {
    const id = Math.random().toString(36).slice(2, 10);
    saveTree(`tree:${id}`, { tree });
    return positionAt('analysis', tree.game, tree.start, `tree=${id}`);
  };
};

/** @param {string} text @param {GameInfo} info */
const readJson = async (text, info) => {
  let position;
  try {
    position = JSON.parse(text);
  } catch (error) {
    throw new Error(`this begins as JSON and is none: ${/** @type {Error} */ (error).message}`);
  }
  return addressOf(info, position);
};

/** @param {string} text @param {GameInfo} info */
const readLine = (text, info) => addressOf(info, text);

/** @param {GameInfo} info @param {object|string} position */
const addressOf = async ({ id }, position) => {
  const seen = await askView({ game: id, position });
  return () => positionAt('analysis', seen.game, seen.text);
};

/**
 * What to show first, and the key under which it is saved.
 * @param {GameInfo} info @param {string} path @returns {Promise<{key: string, saved: Saved}>}
 */
export const begin = async (info, path) => {
  const asked = new URLSearchParams(location.search);
  const id = asked.get('game') ?? asked.get('device');
  if (id) {
    const game = asked.has('device') ? await deviceTable(id).look() : await getJson(`games/${id}`);
    const key = `game:${id}`;
    const old = /** @type {Saved|undefined} */ (savedTree(key));
    const played = treeOf(game, info.players);
    if (!old) return { key, saved: { tree: played } };
    const before = { ...old.tree, tags: played.tags };
    const { tree } = await ask('branch', { tree: before, do: 'add', turns: game.turns });
    // A review of a shorter version of the game does not belong to it any more.
    const review = (old.review?.[0]?.of ?? 0) < game.turns.length ? undefined : old.review;
    return { key, saved: { tree, review } };
  }
  const key = asked.get('tree') ? `tree:${asked.get('tree')}` : `${info.id}/${path}`;
  const old = /** @type {Saved|undefined} */ (savedTree(key));
  if (old) return { key, saved: old };
  const start = path ? fromPath(path) : info.start;
  const seen = await askView({ game: info.id, position: start });
  return { key, saved: { tree: emptyTree(info.id, seen.text, {}) } };
};
