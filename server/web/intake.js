/** Where an analysis comes from: a pasted text, a game, a puzzle, an address. */
import { fromPath, getJson, toPath, view as askView } from './api.js';
import { ask } from './ask.js';
import { el, fill, setText } from './dom.js';
import { myGames, saveTree, savedTree } from './prefs.js';
import { gameShelf } from './shelf.js';
import { deviceTable, treeOf } from './tables.js';
import { capital } from './text.js';
import { addLine, emptyTree } from './tree.js';

/**
 * @typedef {import('./api.js').GameInfo} GameInfo
 * @typedef {{tree: import('./tree.js').Tree, review?: import('./review.js').Entry[]}} Saved
 */

/** Where an analysis can come from. @param {HTMLElement} main @param {GameInfo[]} games */
export const intakePage = (main, games) => {
  document.title = 'Analyse – Quadrille';
  main.className = 'page';
  const done = myGames().filter((game) => game.over);
  const finished = (/** @type {import('./prefs.js').Mine} */ game) => {
    const where = `${game.device ? 'device' : 'game'}=${game.id}`;
    const name = games.find(({ id }) => id === game.game)?.name ?? '';
    const link = { href: `/analysis/${game.game}?${where}&review=1` };
    return el('li', {}, el('a', link, el('b', {}, name), el('span', {}, game.names ?? '')));
  };
  fill(
    main,
    el('h1', {}, 'Analyse'),
    el('p.lead', {}, 'Paste a position or a record, or begin with a game.'),
    importForm(games, null),
    el('h2', {}, 'From the start'),
    gameShelf(games, ({ id }) => ({ href: `/analysis/${id}` })),
    done.length > 0 &&
      el(
        'section.mine',
        {},
        el('h2', {}, 'My finished games'),
        el('ul.games', {}, ...done.slice(0, 12).map(finished)),
      ),
  );
};

/** Reads a position or a record. @param {GameInfo[]} games @param {GameInfo|null} prefer */
export const importForm = (games, prefer) => {
  const field = el('textarea', {
    id: 'import-text',
    rows: 4,
    'aria-label': 'A position or a record',
    placeholder: 'A position in one line or JSON, or a whole record',
    spellcheck: false,
  });
  const wrong = el('p.error', { id: 'import-error', role: 'alert' });
  const onsubmit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (!text) return;
    try {
      location.href = await addressOf(text, games, prefer);
    } catch (error) {
      setText(wrong, capital(/** @type {Error} */ (error).message));
    }
  };
  return el(
    'form.card.import',
    { onsubmit },
    field,
    wrong,
    el('div.row', {}, el('button.primary', { type: 'submit', id: 'import' }, 'Analyse this')),
  );
};

/** The address of the analysis of a text. @param {string} text @param {GameInfo[]} games @param {GameInfo|null} prefer the game that is tried first */
const addressOf = async (text, games, prefer) => {
  switch (kindOf(text)) {
    case 'record':
      return recordAddress(text);
    case 'json':
      return positionAddress(JSON.parse(text));
    default:
      return lineAddress(text, prefer ? [prefer, ...games.filter((one) => one !== prefer)] : games);
  }
};

/** What a text is, by its form. @param {string} text @returns {'record'|'json'|'line'} */
export const kindOf = (text) => {
  if (text.startsWith('{')) return 'json';
  return text.startsWith('[') || text.includes('\n') ? 'record' : 'line';
};

/** A record; one that breaks off has no result yet. @param {string} text */
const recordAddress = async (text) => {
  const tree = await ask('tree', { record: text }).catch((error) =>
    ask('tree', { record: `${text} *` }).catch(() => {
      throw error;
    }),
  );
  const id = Math.random().toString(36).slice(2, 10);
  saveTree(`tree:${id}`, { tree });
  return `/analysis/${tree.game}/${toPath(tree.start)}?tree=${id}`;
};

/** @param {any} position */
const positionAddress = async (position) => {
  const seen = await askView({ game: position.game ?? '', position });
  return `/analysis/${seen.game}/${toPath(seen.text)}`;
};

/** A position in one line; the games are tried in their order. @param {string} text @param {GameInfo[]} games */
const lineAddress = async (text, games) => {
  /** @type {string[]} */
  const reasons = [];
  for (const { id, name } of games) {
    try {
      const seen = await askView({ game: id, position: text });
      return `/analysis/${seen.game}/${toPath(seen.text)}`;
    } catch (error) {
      reasons.push(`as ${name}, ${/** @type {Error} */ (error).message}`);
    }
  }
  throw new Error(`this is a position of none of the games: ${reasons.join('; ')}`);
};

/** What is to be analysed at first, and the name it is kept under. @param {GameInfo} info @param {string} path @returns {Promise<{key: string, saved: Saved}>} */
export const begin = async (info, path) => {
  const asked = new URLSearchParams(location.search);
  const id = asked.get('game') ?? asked.get('device');
  if (id) {
    const game = asked.has('device')
      ? await deviceTable(id).look()
      : await getJson(`/api/games/${id}`);
    const key = `game:${id}`;
    const old = /** @type {Saved|undefined} */ (savedTree(key));
    const base = old?.tree ?? emptyTree(game.game, game.start, game.options);
    const tags = /** @type {[string, string][]} */ (treeOf(game, info.players).tags);
    const { tree } = addLine({ ...base, tags }, null, game.turns);
    return { key, saved: { ...old, tree } };
  }
  const key = asked.get('tree') ? `tree:${asked.get('tree')}` : `${info.id}/${path}`;
  const old = /** @type {Saved|undefined} */ (savedTree(key));
  if (old) return { key, saved: old };
  const start = path ? fromPath(path) : info.start;
  const seen = await askView({ game: info.id, position: start });
  return { key, saved: { tree: emptyTree(info.id, seen.text, {}) } };
};
