/** The dialog for a new game: opponent, side, clock and options. */
import { gameAt, hasServer, pageAt, playAt } from '../address.js';
import { button, field, form, options, segments, select, submit } from '../common/controls.js';
import { el, setText } from '../common/dom.js';
import { prefs, setPrefs } from '../common/prefs.js';
import { Refused } from '../common/refused.js';
import { forever, remember, remembered } from '../common/storage.js';
import { capital, reasonOf, spaced } from '../common/text.js';
import { postJson } from '../connection/server.js';
import { NOTHING } from '../play/gesture.js';
import { prompt } from '../play/making.js';
import { view as askView } from '../program/views.js';
import { makeDeviceGame } from '../table/device.js';
import { rememberBoard, rememberGame } from '../table/mine.js';
import { hold, playedBy, whoOf } from '../table/seats.js';
import { MEANS } from '../table/tables.js';
import { CLOCKS, isForHere, requestOf } from './newrequest.js';

/**
 * @typedef {import('../program/views.js').GameInfo} GameInfo
 * @typedef {import('../program/views.js').Catalogue} Catalogue
 */

const MODES = [
  ['computer', 'The computer', 'You against the program'],
  ['screen', 'A friend here', 'Two people at this screen'],
  ['link', 'A friend by link', 'Each at their own screen'],
  ['watch', 'Watch', 'Two computers play'],
];

/**
 * A computer player: a level, or a player of the original program.
 * @param {Catalogue} shelf @param {GameInfo} info @param {string} name @param {string} title @param {string} chosen
 */
const computerField = (shelf, info, name, title, chosen) => {
  const about = el('small.about', { id: `${name}-about` });
  const levels = shelf.levels.map((one) => ({
    value: `level:${one.number}`,
    label: `${one.number} · ${one.name}`,
    about: one.about,
  }));
  const seeds = info.seeds.map((one) => ({
    value: `seed:${one.id}`,
    label: one.name,
    about: one.about,
  }));
  const group = (/** @type {string} */ label, /** @type {typeof levels} */ values) =>
    values.length > 0 && el('optgroup', { label }, options(values, chosen));
  const all = [...levels, ...seeds];
  const describe = () =>
    setText(about, capital(all.find(({ value }) => value === input.value)?.about ?? ''));
  const input = el(
    'select',
    { name, id: name, 'aria-describedby': `${name}-about`, onchange: describe },
    group('Levels', levels),
    group('Players of the original program', seeds),
  );
  if (!all.some(({ value }) => value === chosen)) input.value = 'level:3';
  describe();
  return field(title, input, about, { 'data-for': name });
};

/**
 * @param {string} name @param {string} title @param {string[][]} values @param {string} chosen
 * @param {() => void} [onchange]
 */
const radios = (name, title, values, chosen, onchange) =>
  segments(
    '',
    { name, title, chosen, onchange },
    values.map(([value, label, about]) => ({ value, label, about })),
    { 'data-for': name },
  );

/**
 * Creates a game in this browser and opens it. Returns false if the browser cannot store it.
 * @param {any} request
 */
const playHere = async ({ game, options = {}, position = null, seats, clock }) => {
  const start = await askView({ game, options, position });
  const place = { game, options: start.options, position: start.text };
  let id;
  try {
    const wanted = { game, options: start.options, start: start.text, seats, clock };
    id = await makeDeviceGame(forever, MEANS, wanted);
  } catch (error) {
    if (error instanceof Refused) throw error;
    if (hasServer()) return false;
    throw new Error(
      'this browser keeps nothing, so it could not keep the game; allow it to store data for this page',
    );
  }
  rememberGame({ id, game, device: true });
  const flipped = seats[0].kind !== 'person' && seats[1].kind === 'person';
  const view = flipped ? await askView(place, true) : start;
  const theirs = seats[view.turn - 1].kind !== 'person';
  rememberBoard(id, { view, place, flipped }, theirs ? '' : prompt(view, NOTHING));
  location.href = playAt(id);
  return true;
};

/**
 * Creates a game on the server and opens it.
 * @param {any} request @param {1|2|null} seat the creator's seat in a game with a friend; null otherwise
 */
const playThere = async (request, seat) => {
  const { id, tokens } = await postJson('games', request);
  const own = seat ? tokens[seat - 1] : tokens.find((/** @type {string|null} */ one) => one);
  const invite = seat ? tokens[2 - seat] : undefined;
  const kept =
    rememberGame({ id, game: request.game, at: Date.now(), ...(invite ? { invite } : {}) }) &&
    (!own || hold(forever, id, whoOf(playedBy(tokens, own)), own));
  location.href = gameAt(id, kept ? undefined : own);
};

/**
 * Opens the dialog.
 * @param {Catalogue} shelf @param {GameInfo} info
 * @param {{position?: string|null, mode?: string}} [how] the starting position, and the kind of opponent
 */
export const newGame = (shelf, info, { position = null, mode: asked } = {}) => {
  const last = {
    mode: 'computer',
    one: 'level:3',
    two: 'level:5',
    side: '1',
    clock: 'none',
    ...remembered(`new.${info.id}`, {}),
    ...(asked ? { mode: asked } : {}),
  };
  const modes = MODES.filter(([mode]) => mode !== 'link' || hasServer());
  const optionField = (/** @type {import('../program/views.js').Option} */ option) => {
    const { name, values, about } = option;
    const how = {
      name: `option.${name}`,
      id: `option-${name}`,
      'aria-describedby': `about-${name}`,
    };
    const input = select(
      how,
      values.map((value) => ({ value, label: capital(String(value)) })),
      last[`option.${name}`] ?? option.default,
    );
    return field(capital(spaced(name)), input, el(`small#about-${name}.about`, capital(about)));
  };
  const wrong = el('p#new-error.error', { role: 'alert' });
  const update = () => {
    const mode = fields.elements.mode.value;
    for (const field of fields.querySelectorAll('[data-for]')) {
      const kind = /** @type {HTMLElement} */ (field).dataset.for ?? '';
      const shown = {
        mode: true,
        one: mode === 'computer' || mode === 'watch',
        two: mode === 'watch',
        side: mode === 'computer' || mode === 'link',
        clock: mode !== 'watch',
        name: mode !== 'watch' && mode !== 'screen',
      }[kind];
      /** @type {HTMLElement} */ (field).hidden = shown === false;
    }
    setText(
      fields.querySelector('label[for=one]'),
      mode === 'watch' ? info.players[0] : 'Opponent',
    );
  };
  const clocks = CLOCKS.map(([value, label]) => ({ value, label }));
  const clock = select({ name: 'clock', id: 'clock' }, clocks, last.clock);
  const name = el('input#name', {
    ...{ type: 'text', name: 'name', maxLength: 40, value: prefs().name },
    ...{ placeholder: 'Optional', autocomplete: 'nickname' },
  });
  const sides = [
    ['1', info.players[0], 'moves first'],
    ['2', info.players[1]],
    ['random', 'Random'],
  ];
  const known = modes.some(([mode]) => mode === last.mode);
  const fields = form(
    '',
    () => make(),
    el(
      'header',
      el('h2', info.name),
      button('', 'Close', () => box.close(), { 'aria-label': 'Close' }),
    ),
    position && el('p.about', 'From the position that was set up.'),
    radios('mode', 'Play with', modes, known ? last.mode : 'computer', () => update()),
    computerField(shelf, info, 'one', 'Opponent', last.one),
    computerField(shelf, info, 'two', info.players[1], last.two),
    radios('side', 'You play', sides, last.side),
    field('Clock', clock, null, { 'data-for': 'clock' }),
    field('Your name', name, null, { 'data-for': 'name' }),
    !position &&
      info.options.length > 0 &&
      el('details', el('summary', 'Game options'), info.options.map(optionField)),
    wrong,
    el(
      'div.row',
      el('a.button', { href: pageAt(`rules/${info.id}`) }, 'Rules'),
      submit('#start.primary', 'Play'),
    ),
  );
  fields.querySelector('input[name=mode]:checked').autofocus = true;
  const box = el('dialog#new-game.box.new', { 'aria-label': `New game of ${info.name}` }, fields);
  // The back button should close the dialog, not leave the page.
  const plain = () => {
    if (location.search) history.replaceState(null, '', pageAt(''));
  };
  box.addEventListener('close', () => {
    box.remove();
    if (history.state?.dialog) history.back();
    else plain();
  });
  addEventListener(
    'popstate',
    () => {
      if (box.open) box.close();
      plain();
    },
    { once: true },
  );

  const make = async () => {
    const values = /** @type {Record<string, string>} */ (Object.fromEntries(new FormData(fields)));
    const { name = '' } = values;
    remember(`new.${info.id}`, values);
    if (name !== prefs().name) setPrefs({ name });
    const first = values.side === 'random' ? Math.random() < 0.5 : values.side !== '2';
    const request = requestOf(info, values, position, first);
    try {
      if (isForHere(values.mode, request.clock) && (await playHere(request))) return;
      await playThere(request, values.mode === 'link' ? (first ? 1 : 2) : null);
    } catch (error) {
      setText(wrong, reasonOf(error));
    }
  };
  update();
  document.body.append(box);
  box.showModal();
  history.pushState({ dialog: true }, '');
};
