/** The position editor. */
import { askedPosition, fromPath, pageAt, positionAt } from '../address.js';
import { createBoard } from '../board/board.js';
import { piecesOf } from '../board/pieces.js';
import {
  button,
  field,
  form,
  placeLine,
  segments,
  select,
  sign,
  submit,
} from '../common/controls.js';
import { el, onKeys, say, setText, whenPainted } from '../common/dom.js';
import { choosing, gameShelf } from '../common/shelf.js';
import { capital, reasonOf, spaced } from '../common/text.js';
import { ask } from '../program/ask.js';
import { gameOf, playLink, view as askView } from '../program/views.js';
import { actionRow, layOut } from './reader.js';

/**
 * @typedef {import('../program/views.js').GameInfo} GameInfo
 * @typedef {import('../program/views.js').View} View
 *
 * @typedef {object} Editor
 * @property {GameInfo} info
 * @property {View} view the current position
 * @property {string} brush the selected brush
 * @property {boolean} flipped
 * @property {string[]} past earlier positions, for undo
 * @property {Promise<any>} done resolves when the changes so far are shown; the next change waits for it
 * @property {ReturnType<typeof createParts>} parts
 */

/** @param {HTMLElement} main @param {string[]} rest */
export const editorPage = async (main, rest) => {
  const { games, info } = await gameOf(rest[0]);
  if (!info) return shelfPage(main, games);
  document.title = `Set up ${info.name} – Quadrille`;
  /** @type {Editor} */
  const editor = /** @type {any} */ ({ info, flipped: false, past: [], done: Promise.resolve() });
  editor.brush = info.brushes[0].id;
  editor.parts = createParts(editor);
  lay(main, editor);
  listen(editor);
  const path = askedPosition(rest.slice(1));
  show(editor, await askView({ game: info.id, position: path ? fromPath(path) : null }));
  whenPainted(() => drawBrushes(info, editor.parts.brushes));
};

/** @param {HTMLElement} main @param {GameInfo[]} games */
const shelfPage = (main, games) =>
  choosing(
    main,
    'editor',
    gameShelf(games, ({ id }) => ({ href: pageAt(`editor/${id}`) })),
  );

/** The elements that change with the position. @param {Editor} editor */
const createParts = (editor) => {
  const { info } = editor;
  return {
    board: createBoard({
      label: `Board of ${info.name}`,
      onTap: (cell) => change(editor, { cell, brush: editor.brush }),
    }),
    status: document.getElementById('edit-status') ?? el('p#edit-status.prompt'),
    note: el('p#edit-note.about', { role: 'status' }),
    wrong: el('p#edit-error.error', { role: 'alert' }),
    brushes: brushField(editor),
    turn: turnField(editor),
    options: info.options.map((one) => optionField(editor, one)),
    text: el('input#edit-text', {
      type: 'text',
      'aria-label': 'Position as text',
      spellcheck: false,
    }),
    playIt: el('a#edit-play.button.primary', 'Play this'),
    analyse: el('a#edit-analyse.button', 'Analyse'),
  };
};

/** What a brush does that puts no piece. @type {Record<string, string>} */
const DEEDS = { less: 'remove a piece', none: 'clear the cell' };

/** @param {Editor} editor */
const brushField = (editor) => {
  const { brushes } = editor.info;
  const how = { name: 'brush', title: 'On a click', chosen: brushes[0].id };
  const values = brushes.map(({ id, label }, i) => ({
    value: id,
    label: [brushSign(id), `${i + 1} · ${capital(DEEDS[id] ?? label)}`],
  }));
  return segments('.brushes', { ...how, onchange: (id) => pick(editor, id) }, values);
};

/** @param {Editor} editor */
const turnField = (editor) => {
  const onchange = (/** @type {string} */ value) => change(editor, { turn: Number(value) });
  const values = editor.info.players.map((label, i) => ({ value: String(i + 1), label }));
  return segments('#edit-turn', { name: 'turn', title: 'To move', onchange }, values);
};

/** @param {Editor} editor @param {import('../program/views.js').Option} option @returns {HTMLSelectElement} */
const optionField = (editor, { name, values }) =>
  select(
    { id: `edit-${name}`, name, onchange: () => inTurn(editor, () => startAnew(editor)) },
    values.map((value) => ({ value, label: capital(String(value)) })),
  );

/** Lays out the page. @param {HTMLElement} main @param {Editor} editor */
const lay = (main, editor) => {
  const { info, parts } = editor;
  const options = parts.options.map((one) => field(capital(spaced(one.name)), one));
  layOut(
    main,
    '',
    parts.board,
    placeLine(info.name, 'set up a position'),
    el(
      'section.card',
      { 'aria-label': 'Editor' },
      ...[parts.status, parts.note, parts.wrong, parts.brushes],
    ),
    el('section.card', parts.turn),
    actionRow(
      button('#edit-clear', 'Clear', () => change(editor, { clear: true })),
      button('#edit-start', 'Starting position', () => inTurn(editor, () => startAnew(editor))),
      button('#edit-undo', 'Undo', () => inTurn(editor, () => undo(editor))),
      button('#flip', 'Flip', () => inTurn(editor, () => flip(editor))),
    ),
    el(
      'section.card',
      { 'aria-label': 'Position' },
      el('label.about', { for: 'edit-text' }, 'Position'),
      form(
        '.joined',
        () => inTurn(editor, () => open(editor, parts.text.value.trim())),
        ...[parts.text, submit('#edit-read', 'Load')],
      ),
    ),
    el(
      'section.card',
      el(
        'details',
        el('summary', 'Options'),
        el('p.about', 'Changing an option sets up the start of that game.'),
        options,
      ),
    ),
    el('div.row', parts.playIt, parts.analyse),
  );
};

/** The keys: one for each brush, and two for the board. @param {Editor} editor */
const listen = (editor) => {
  const choose = (/** @type {{id: string, label: string}} */ { id, label }) => {
    editor.parts.brushes.querySelector(`input[value="${id}"]`).checked = true;
    pick(editor, id);
    say(DEEDS[id] ?? label);
  };
  onKeys({
    f: () => inTurn(editor, () => flip(editor)),
    u: () => inTurn(editor, () => undo(editor)),
    ...Object.fromEntries(
      editor.info.brushes.map((brush, i) => [String(i + 1), () => choose(brush)]),
    ),
  });
};

/** @param {Editor} editor @param {string} brush */
const pick = (editor, brush) => {
  editor.brush = brush;
  mark(editor);
};

/** Makes every cell tappable. @param {Editor} editor */
const mark = ({ parts, view }) =>
  parts.board.mark({ grab: new Set(view.cells.map((_, i) => i)), says: () => '' });

/** Shows a position and puts it into the address. @param {Editor} editor @param {View} view */
const show = (editor, view) => {
  const { info, parts } = editor;
  editor.view = view;
  parts.board.show(view);
  parts.board.element.classList.add('able', 'placing');
  mark(editor);
  setText(parts.status, capital(view.status));
  setText(parts.wrong, '');
  setText(parts.note, '');
  parts.text.value = view.text;
  for (const one of parts.turn.querySelectorAll('input'))
    one.checked = one.value === String(view.turn);
  info.options.forEach((one, i) => {
    const value = /** @type {any} */ (view.options)[one.name] ?? one.default;
    parts.options[i].value = String(value);
  });
  parts.playIt.href = playLink(view);
  parts.playIt.hidden = view.over;
  parts.analyse.href = positionAt('analysis', info.id, view.text);
  history.replaceState(null, '', positionAt('editor', info.id, view.text));
};

/**
 * Runs a change after the previous one is done.
 * @template T @param {Editor} editor @param {() => Promise<T>} change @returns {Promise<T>}
 */
const inTurn = (editor, change) => {
  const result = editor.done.then(change);
  editor.done = result.catch(() => {});
  return result;
};

/**
 * Shows a position obtained from the rules, or the reason why they refuse it.
 * @param {Editor} editor @param {() => Promise<View>} find
 */
const showFound = async (editor, find) => {
  try {
    show(editor, await find());
    return true;
  } catch (error) {
    setText(editor.parts.wrong, reasonOf(error));
    return false;
  }
};

/** @typedef {{cell?: number, brush?: string, turn?: number, clear?: boolean}} Change */

/** @param {Editor} editor @param {Change} wanted */
const change = (editor, wanted) => inTurn(editor, () => edit(editor, wanted));

/** @param {Editor} editor @param {Change} wanted */
const edit = async (editor, wanted) => {
  const { info, parts, flipped, view } = editor;
  const fields = { game: info.id, position: view.position, edit: wanted, flipped };
  if (!(await showFound(editor, () => ask('edit', fields)))) return;
  if (editor.view.text !== view.text) editor.past.push(view.text);
  say(wanted.cell === undefined ? editor.view.status : editor.view.cells[wanted.cell].says);
  if (wanted.clear && parts.board.element.querySelector('[data-piece]'))
    setText(parts.note, 'These pieces stay: no position is legal without them.');
};

/** @param {Editor} editor @param {string} position */
const open = async (editor, position) => {
  const before = editor.view.text;
  const find = () => askView({ game: editor.info.id, position }, editor.flipped);
  if (await showFound(editor, find)) editor.past.push(before);
};

/** The starting position with the chosen options. @param {Editor} editor */
const startAnew = (editor) => {
  const { info, parts, flipped } = editor;
  const chosen = info.options.map(({ name, values }, i) => [
    name,
    values.find((value) => String(value) === parts.options[i].value),
  ]);
  const place = { game: info.id, options: Object.fromEntries(chosen) };
  return showFound(editor, () => askView(place, flipped));
};

/** @param {Editor} editor */
const undo = async (editor) => {
  const position = editor.past.pop();
  if (position) show(editor, await askView({ game: editor.info.id, position }, editor.flipped));
};

/** @param {Editor} editor */
const flip = async (editor) => {
  editor.flipped = !editor.flipped;
  const place = { game: editor.info.id, position: editor.view.text };
  show(editor, await askView(place, editor.flipped));
};

/** The placeholder for a brush's picture; erasing brushes have an icon. @param {string} id */
const brushSign = (id) => {
  return el('i.brush', { 'aria-hidden': 'true', 'data-brush': id }, id in DEEDS && sign(id));
};

/** Draws the piece that each brush paints. @param {GameInfo} info @param {HTMLElement} brushes */
const drawBrushes = async (info, brushes) => {
  for (const [id, piece] of await piecesOf(info))
    brushes.querySelector(`[data-brush="${id}"]:empty`)?.append(piece);
};
