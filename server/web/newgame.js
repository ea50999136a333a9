/** The dialog of a new game: against whom, on which side, with which clock and options. */
import { gameAt, hasServer, pageAt, playAt } from './address.js';
import { postJson, view as askView } from './api.js';
import { makeDeviceGame } from './device.js';
import { button, el, setText } from './dom.js';
import { NOTHING } from './gesture.js';
import { prompt } from './making.js';
import { CLOCKS, isForHere, requestOf } from './newrequest.js';
import {
  forever,
  prefs,
  remember,
  rememberBoard,
  rememberGame,
  remembered,
  setPrefs,
} from './prefs.js';
import { hold, whoOf } from './seats.js';
import { capital, spaced } from './text.js';

/**
 * @typedef {import('./api.js').GameInfo} GameInfo
 * @typedef {import('./api.js').Catalogue} Catalogue
 */

const MODES = [
  ['computer', 'The computer', 'You against the program'],
  ['screen', 'A friend here', 'Two people at this screen'],
  ['link', 'A friend by link', 'Each at an own screen'],
  ['watch', 'Watch', 'Two computers play'],
];

/** The values of a form as an object. */
const valuesOf = (/** @type {HTMLFormElement} */ form) => Object.fromEntries(new FormData(form));

/** A computer seat: a level, or a player of the original program. @param {Catalogue} shelf @param {GameInfo} info @param {string} name @param {string} title @param {string} chosen */
const computerField = (shelf, info, name, title, chosen) => {
  const about = el('small.about', { id: `${name}-about` });
  const level = (/** @type {any} */ one) =>
    el('option', { value: `level:${one.number}` }, `${one.number} · ${one.name}`);
  const select = el(
    'select',
    { name, id: name, 'aria-describedby': `${name}-about`, onchange: () => describe() },
    el('optgroup', { label: 'Levels' }, ...shelf.levels.map(level)),
    info.seeds.length > 0
      ? el(
          'optgroup',
          { label: 'Players of the original program' },
          ...info.seeds.map((seed) => el('option', { value: `seed:${seed.id}` }, seed.name)),
        )
      : null,
  );
  select.value = chosen;
  if (!select.value) select.value = 'level:3';
  const describe = () => {
    const [kind, which] = select.value.split(':');
    const found =
      kind === 'level'
        ? shelf.levels.find((one) => String(one.number) === which)
        : info.seeds.find((one) => one.id === which);
    setText(about, capital(found?.about ?? ''));
  };
  describe();
  return el('div.field', { 'data-for': name }, el('label', { for: name }, title), select, about);
};

const radios = (
  /** @type {string} */ name,
  /** @type {string} */ title,
  /** @type {string[][]} */ values,
  /** @type {string} */ chosen,
  /** @type {() => void} */ onchange,
) =>
  el(
    'fieldset.segments',
    { 'data-for': name },
    el('legend', {}, title),
    ...values.map(([value, label, about]) =>
      el(
        'label',
        { title: about ?? '' },
        el('input', {
          type: 'radio',
          name,
          value,
          checked: value === chosen,
          autofocus: name === 'mode' && value === chosen,
          onchange,
        }),
        el('span', {}, label),
      ),
    ),
  );

/** Makes a game that lives in this browser, and goes there. Says whether the browser can keep one. @param {any} request */
const playHere = async ({ game, options = {}, position = null, seats, clock }) => {
  const start = await askView({ game, options, position });
  let id;
  try {
    id = makeDeviceGame(forever, {
      game,
      options: start.options,
      start: start.text,
      turn: start.turn,
      seats,
      clock,
    });
  } catch {
    if (hasServer()) return false;
    throw new Error(
      'this browser keeps nothing, so it could not keep the game; allow it to store data for this page',
    );
  }
  rememberGame({ id, game, device: true });
  const place = { game, options: start.options, position: start.text };
  const flipped = seats[0].kind !== 'person' && seats[1].kind === 'person';
  const view = flipped ? await askView(place, true) : start;
  const theirs = seats[view.turn - 1].kind !== 'person';
  rememberBoard(id, { view, place, flipped }, theirs ? '' : prompt(view, NOTHING));
  location.href = playAt(id);
  return true;
};

/** Makes a game on the server, and goes there. @param {any} request @param {1|2|null} seat whose maker waits for a friend; null where nobody does */
const playThere = async (request, seat) => {
  const { id, tokens } = await postJson('games', request);
  const own = seat ? tokens[seat - 1] : tokens.find((/** @type {string|null} */ one) => one);
  const invite = seat ? tokens[2 - seat] : undefined;
  const mine = /** @type {(1|2)[]} */ (
    [1, 2].filter((player) => own && tokens[player - 1] === own)
  );
  const kept =
    rememberGame({ id, game: request.game, at: Date.now(), ...(invite ? { invite } : {}) }) &&
    (!own || hold(forever, id, whoOf(mine), own));
  location.href = gameAt(id, kept ? undefined : own);
};

/** Asks how to play, and makes the game. @param {Catalogue} shelf @param {GameInfo} info @param {{position?: string|null, mode?: string}} [how] the position to begin with, and against whom */
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
  const optionField = (/** @type {import('./api.js').Option} */ option) =>
    el(
      'div.field',
      {},
      el('label', { for: `option-${option.name}` }, capital(spaced(option.name))),
      el(
        'select',
        {
          name: `option.${option.name}`,
          id: `option-${option.name}`,
          'aria-describedby': `about-${option.name}`,
        },
        ...option.values.map((value) =>
          el(
            'option',
            {
              value: String(value),
              selected: String(value) === String(last[`option.${option.name}`] ?? option.default),
            },
            capital(String(value)),
          ),
        ),
      ),
      el('small.about', { id: `about-${option.name}` }, capital(option.about)),
    );
  const wrong = el('p.error', { role: 'alert', id: 'new-error' });
  const update = () => {
    const mode = form.elements.mode.value;
    for (const field of form.querySelectorAll('[data-for]')) {
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
    setText(form.querySelector('label[for=one]'), mode === 'watch' ? info.players[0] : 'Opponent');
  };
  const form = /** @type {any} */ (
    el(
      'form',
      {
        method: 'dialog',
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          make();
        },
      },
      el(
        'header',
        {},
        el('h2', {}, info.name),
        button('Close', () => box.close(), { 'aria-label': 'Close' }),
      ),
      position ? el('p.about', {}, 'From the position that was set up.') : null,
      radios(
        'mode',
        'Play with',
        modes,
        modes.some(([mode]) => mode === last.mode) ? last.mode : 'computer',
        () => update(),
      ),
      computerField(shelf, info, 'one', 'Opponent', last.one),
      computerField(shelf, info, 'two', info.players[1], last.two),
      radios(
        'side',
        'You play',
        [
          ['1', info.players[0], 'moves first'],
          ['2', info.players[1]],
          ['random', 'Either'],
        ],
        last.side,
        () => {},
      ),
      el(
        'div.field',
        { 'data-for': 'clock' },
        el('label', { for: 'clock' }, 'Clock'),
        el(
          'select',
          { name: 'clock', id: 'clock' },
          ...CLOCKS.map(([value, label]) =>
            el('option', { value, selected: value === last.clock }, label),
          ),
        ),
      ),
      el(
        'div.field',
        { 'data-for': 'name' },
        el('label', { for: 'name' }, 'Your name'),
        el('input', {
          type: 'text',
          name: 'name',
          id: 'name',
          maxLength: 40,
          value: prefs().name,
          placeholder: 'As you like',
          autocomplete: 'nickname',
        }),
      ),
      position || info.options.length === 0
        ? null
        : el(
            'details',
            {},
            el('summary', {}, 'Options of the game'),
            ...info.options.map(optionField),
          ),
      wrong,
      el(
        'div.row',
        {},
        el('a.button', { href: pageAt(`rules/${info.id}`) }, 'Rules'),
        el('button.primary', { type: 'submit', id: 'start' }, 'Play'),
      ),
    )
  );
  const box = el(
    'dialog.box.new',
    { id: 'new-game', 'aria-label': `New game of ${info.name}` },
    form,
  );
  // Back closes the dialog and not the page.
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
    const values = /** @type {Record<string, string>} */ (valuesOf(form));
    const { name = '' } = values;
    remember(`new.${info.id}`, values);
    if (name !== prefs().name) setPrefs({ name });
    const first = values.side === 'random' ? Math.random() < 0.5 : values.side !== '2';
    const request = requestOf(info, values, position, first);
    try {
      if (isForHere(values.mode, request.clock) && (await playHere(request))) return;
      await playThere(request, values.mode === 'link' ? (first ? 1 : 2) : null);
    } catch (error) {
      setText(wrong, capital(/** @type {Error} */ (error).message));
    }
  };
  update();
  document.body.append(box);
  box.showModal();
  history.pushState({ dialog: true }, '');
};
