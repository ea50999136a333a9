/** Setting up a position by hand. */
import { askedPosition, fromPath, pageAt, positionAt } from './address.js';
import { catalogue, playLink, view as askView } from './api.js';
import { ask } from './ask.js';
import { createBoard } from './board.js';
import { button, el, fill, onKeys, painted, placeLine, say, setText, sign } from './dom.js';
import { piecesOf } from './pieces.js';
import { gameShelf } from './shelf.js';
import { capital, spaced } from './text.js';

/** @param {HTMLElement} main @param {string[]} rest */
export const editorPage = async (main, rest) => {
  const { games } = await catalogue();
  const info = games.find((one) => one.id === rest[0]);
  if (!info) {
    document.title = 'Set up – Quadrille';
    main.className = 'page';
    fill(
      main,
      el('h1', {}, 'Set up a position'),
      el('p.lead', {}, 'Of which game?'),
      gameShelf(games, ({ id }) => ({ href: pageAt(`editor/${id}`) })),
    );
    return;
  }
  document.title = `Set up ${info.name} – Quadrille`;
  const path = askedPosition(rest.slice(1));
  const state = {
    view: /** @type {import('./api.js').View} */ (/** @type {any} */ (null)),
    brush: info.brushes[0].id,
    flipped: false,
    past: /** @type {string[]} */ ([]),
  };

  const wrong = el('p.error', { id: 'edit-error', role: 'alert' });
  const status = document.getElementById('edit-status') ?? el('p.prompt', { id: 'edit-status' });
  const note = el('p.about', { id: 'edit-note', role: 'status' });
  const board = createBoard({
    label: `Board of ${info.name}`,
    onTap: (cell) => edit({ cell, brush: state.brush }),
  });
  const pick = (/** @type {string} */ id) => {
    state.brush = id;
    mark();
  };
  const brushes = el(
    'fieldset.segments.brushes',
    {},
    el('legend', {}, 'A click puts'),
    ...info.brushes.map((brush, i) =>
      el(
        'label',
        {},
        el('input', {
          type: 'radio',
          name: 'brush',
          value: brush.id,
          checked: i === 0,
          onchange: () => pick(brush.id),
        }),
        el('span', {}, brushSign(brush.id), `${i + 1} · ${capital(brush.label)}`),
      ),
    ),
  );
  const turn = el(
    'fieldset.segments',
    { id: 'edit-turn' },
    el('legend', {}, 'To move'),
    ...info.players.map((name, i) =>
      el(
        'label',
        {},
        el('input', {
          type: 'radio',
          name: 'turn',
          value: String(i + 1),
          onchange: () => edit({ turn: i + 1 }),
        }),
        el('span', {}, name),
      ),
    ),
  );
  const text = el('input', {
    type: 'text',
    id: 'edit-text',
    'aria-label': 'Position as text',
    spellcheck: false,
  });
  const read = el(
    'form.joined',
    {
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        open(text.value.trim());
      },
    },
    text,
    el('button', { type: 'submit', id: 'edit-read' }, 'Read'),
  );
  const playIt = el('a.button.primary', { id: 'edit-play' }, 'Play this');
  const analyse = el('a.button.primary', { id: 'edit-analyse' }, 'Analyse');
  const option = (/** @type {import('./api.js').Option} */ one) =>
    el(
      'div.field',
      {},
      el('label', { for: `edit-${one.name}` }, capital(spaced(one.name))),
      el(
        'select',
        { id: `edit-${one.name}`, name: one.name, onchange: () => startAnew() },
        ...one.values.map((value) =>
          el('option', { value: String(value) }, capital(String(value))),
        ),
      ),
    );
  const options = el(
    'details',
    {},
    el('summary', {}, 'Options'),
    el('p.about', {}, 'Another option begins with the start of such a game.'),
    ...info.options.map(option),
  );

  main.className = 'table reader';
  fill(
    main,
    el('div.boardbox', {}, board.element),
    el(
      'div.side',
      {},
      placeLine(info.name, 'set up a position'),
      el('section.card', { 'aria-label': 'Editor' }, status, note, wrong, brushes),
      el('section.card', {}, turn),
      el(
        'div.actions',
        {},
        button('Clear', () => edit({ clear: true }), { id: 'edit-clear' }),
        button('Start', () => startAnew(), { id: 'edit-start' }),
        button('Undo', () => undo(), { id: 'edit-undo' }),
        button('Flip', () => flip(), { id: 'flip' }),
      ),
      el(
        'section.card',
        { 'aria-label': 'Position' },
        el('label.about', { for: 'edit-text' }, 'Position'),
        read,
      ),
      el('section.card', {}, options),
      el('div.row', {}, playIt, analyse),
    ),
  );

  const mark = () =>
    board.mark({ grab: new Set(state.view.cells.map((_, i) => i)), says: () => '' });

  /** Shows a position and puts it into the address. */
  const show = (/** @type {import('./api.js').View} */ view) => {
    state.view = view;
    board.show(view);
    board.element.classList.add('able', 'placing');
    mark();
    setText(status, capital(view.status));
    setText(wrong, '');
    setText(note, '');
    text.value = view.text;
    for (const one of turn.querySelectorAll('input')) one.checked = one.value === String(view.turn);
    for (const one of info.options) {
      const field = /** @type {HTMLSelectElement} */ (document.getElementById(`edit-${one.name}`));
      field.value = String(/** @type {any} */ (view.options)[one.name] ?? one.default);
    }
    playIt.href = playLink(view);
    playIt.hidden = view.over;
    analyse.href = positionAt('analysis', info.id, view.text);
    history.replaceState(null, '', positionAt('editor', info.id, view.text));
  };

  const refused = (/** @type {any} */ error) => {
    setText(wrong, capital(error.message));
  };

  const edit = async (/** @type {any} */ change) => {
    const before = state.view.text;
    try {
      const next = await ask('edit', {
        game: info.id,
        position: state.view.position,
        edit: change,
        flipped: state.flipped,
      });
      if (next.text !== before) state.past.push(before);
      show(next);
      say(change.cell === undefined ? next.status : next.cells[change.cell].says);
      if (change.clear && board.element.querySelector('[data-piece]'))
        setText(note, 'These pieces stay: the rules know no board without them.');
    } catch (error) {
      refused(error);
    }
  };

  const open = async (/** @type {string} */ line) => {
    try {
      const next = await askView({ game: info.id, position: line }, state.flipped);
      state.past.push(state.view.text);
      show(next);
    } catch (error) {
      refused(error);
    }
  };

  const startAnew = async () => {
    const chosen = info.options.map((one) => [
      one.name,
      one.values.find(
        (value) =>
          String(value) ===
          /** @type {HTMLSelectElement} */ (document.getElementById(`edit-${one.name}`)).value,
      ),
    ]);
    try {
      show(await askView({ game: info.id, options: Object.fromEntries(chosen) }, state.flipped));
    } catch (error) {
      refused(error);
    }
  };

  const undo = async () => {
    const last = state.past.pop();
    if (last) show(await askView({ game: info.id, position: last }, state.flipped));
  };

  const flip = async () => {
    state.flipped = !state.flipped;
    show(await askView({ game: info.id, position: state.view.text }, state.flipped));
  };

  onKeys({
    f: flip,
    u: undo,
    ...Object.fromEntries(
      info.brushes.map((brush, i) => [
        String(i + 1),
        () => {
          /** @type {HTMLInputElement} */ (
            brushes.querySelector(`input[value="${brush.id}"]`)
          ).checked = true;
          pick(brush.id);
          say(brush.label);
        },
      ]),
    ),
  });

  show(await askView({ game: info.id, position: path ? fromPath(path) : null }));
  painted()
    .then(() => drawBrushes(info, brushes))
    .catch(() => {});
};

/** The place of a brush's drawing; what takes away has a sign. @param {string} id */
const brushSign = (id) =>
  el(
    'i.brush',
    { 'aria-hidden': 'true', 'data-brush': id },
    id === 'less' && sign('less'),
    id === 'none' && sign('none'),
  );

/** Draws what each brush puts. @param {import('./api.js').GameInfo} info @param {HTMLElement} brushes */
const drawBrushes = async (info, brushes) => {
  for (const [id, piece] of await piecesOf(info))
    brushes.querySelector(`[data-brush="${id}"]:empty`)?.append(piece);
};
