/** The first page: the games, a new game, and my games. */
import {
  Refused,
  catalogue,
  fromPath,
  getJson,
  patient,
  postJson,
  toPath,
  view as askView,
} from './api.js';
import { deviceGame, makeDeviceGame, seatsHere } from './device.js';
import { button, drawing, el, fill, setText } from './dom.js';
import { isComputer, seatName } from './live.js';
import { waitingFor } from './commands.js';
import {
  addressOfGame,
  forever,
  forgetGame,
  hasServer,
  myGames,
  prefs,
  remember,
  rememberGame,
  remembered,
  setPrefs,
} from './prefs.js';
import { held, hold, whoOf } from './seats.js';
import { ago, capital, inWords, spaced } from './text.js';

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

/** @param {HTMLElement} main */
export const homePage = async (main) => {
  const shelf = await catalogue();
  document.title = 'Quadrille';
  main.className = 'page home';
  const mine = el('section.mine', { 'aria-labelledby': 'mine-title', hidden: true });
  const daily = el(
    'a.card.way',
    { href: '/puzzles', id: 'daily' },
    el('b', {}, 'Puzzle of the day'),
    el('small', {}, ' '),
  );
  const newcomer = myGames().length === 0;
  const tile = (/** @type {GameInfo} */ info) =>
    el(
      'button.card.tile',
      { type: 'button', 'data-game': info.id, onclick: () => newGame(shelf, info) },
      drawing(info.picture),
      el('b', {}, info.name),
      el('small', {}, capital(info.tagline)),
    );
  fill(
    main,
    el('h1', {}, `${capital(inWords(shelf.games.length))} games, one table`),
    newcomer
      ? el(
          'p.lead',
          {},
          'New here? ',
          el('a', { href: '/learn', id: 'first-steps' }, 'Take the first steps'),
          ' on the board, or choose a game.',
        )
      : el('p.lead', {}, 'Choose a game: against the computer, with a friend, or just to watch.'),
    el('div.shelf', {}, ...shelf.games.map(tile)),
    mine,
    el(
      'section.ways',
      { 'aria-label': 'More' },
      daily,
      el(
        'a.card.way',
        { href: '/learn' },
        el('b', {}, 'Learn'),
        el('small', {}, 'The rules, one turn on the board at a time'),
      ),
      el(
        'a.card.way',
        { href: '/puzzles' },
        el('b', {}, 'Puzzles'),
        el('small', {}, 'Find the only turn that wins'),
      ),
      el(
        'a.card.way',
        { href: '/analysis' },
        el('b', {}, 'Analyse'),
        el('small', {}, 'Any position or record, with the engine'),
      ),
      el(
        'a.card.way',
        { href: '/results', id: 'results' },
        el('b', {}, 'Results'),
        el('small', {}, 'What is proved, and proofs to play against'),
      ),
    ),
    el(
      'section.paste',
      {},
      el('a', { href: '/analysis' }, 'Analyse a position or a record'),
      ' · ',
      el('a', { href: '/editor' }, 'Set up a position'),
      ' · ',
      el('a', { href: '/rules/all' }, 'Read the rules'),
    ),
  );
  showMine(mine, shelf);
  showDaily(daily, shelf).catch(() => {});
  const asked = new URLSearchParams(location.search);
  const wanted = shelf.games.find((one) => one.id === asked.get('new'));
  if (wanted)
    newGame(
      shelf,
      wanted,
      asked.get('position') ? fromPath(/** @type {string} */ (asked.get('position'))) : null,
    );
};

/** The puzzle of today, small. @param {HTMLAnchorElement} box @param {Catalogue} shelf */
const showDaily = async (box, shelf) => {
  const { puzzleOfTheDay } = await import('./puzzles.js');
  const { game, number } = await puzzleOfTheDay();
  box.href = `/puzzles/${game}/${number}`;
  setText(
    /** @type {HTMLElement} */ (box.querySelector('small')),
    `${shelf.games.find(({ id }) => id === game)?.name}, number ${number}`,
  );
};

/** My games: those in progress first. @param {HTMLElement} box @param {Catalogue} shelf */
const showMine = async (box, shelf) => {
  const known = myGames().slice(0, 24);
  if (known.length === 0) return;
  box.hidden = false;
  const list = el('ul.games');
  fill(box, el('h2', { id: 'mine-title' }, 'My games'), list);
  const row = (/** @type {import('./prefs.js').Mine} */ game) => {
    const info = shelf.games.find((one) => one.id === game.game);
    const line = el('small', {}, game.over ? 'finished' : ago(game.at));
    const names = el('span', {}, game.names ?? '');
    const item = el(
      'li',
      {},
      el(
        'a',
        { href: addressOfGame(game), 'data-id': game.id },
        el('b', {}, info?.name ?? 'Game'),
        names,
        line,
      ),
      button(
        '×',
        () => {
          forgetGame(game.id);
          item.remove();
        },
        {
          'aria-label': `Remove from the list: ${info?.name ?? ''} ${game.names ?? ''}`,
          title: 'Remove from the list',
        },
      ),
    );
    item.classList.toggle('over', Boolean(game.over));
    return { item, line, names, game, info };
  };
  const rows = known
    .map(row)
    .sort(
      (a, b) =>
        Number(Boolean(a.game.over)) - Number(Boolean(b.game.over)) || b.game.at - a.game.at,
    );
  fill(list, ...rows.map(({ item }) => item));
  for (const { item, line, names, game, info } of rows
    .filter((one) => !one.game.over)
    .slice(0, 12)) {
    if (!game.device && !hasServer()) continue;
    stateOf(game).then(
      (now) => {
        const your = !now.result && now.you?.includes(now.turn);
        const called = (/** @type {1|2} */ player) =>
          seatName(now, player, info?.players[player - 1] ?? '');
        setText(names, `${called(1)} – ${called(2)}`);
        setText(
          line,
          waitingFor(forever, game.id) > 0
            ? 'Something waits to be sent – open the game'
            : now.result
              ? 'finished'
              : your && (now.you.length === 1 || isComputer(now, 1))
                ? 'Your turn – continue'
                : `turn ${now.turns.length + 1} – continue`,
        );
        item.classList.toggle('yours', Boolean(your));
        item.classList.toggle('over', Boolean(now.result));
        if (now.result) rememberGame({ id: game.id, over: true, at: game.at });
      },
      (error) => {
        if (error.status === 404) {
          forgetGame(game.id);
          item.remove();
        }
      },
    );
  }
};

/** How a game of mine stands. @param {import('./prefs.js').Mine} game */
const stateOf = async (game) => {
  if (!game.device)
    return patient(() => getJson(`/api/games/${game.id}`, held(forever, game.id)[0]?.token));
  const now = deviceGame(forever, game.id);
  if (!now) throw new Refused(404, 'this browser keeps no such game', undefined);
  return { ...now, you: seatsHere(now) };
};

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

const computerSeat = (/** @type {string} */ value) => {
  const [kind, which] = value.split(':');
  return kind === 'level' ? { kind, level: Number(which) } : { kind, player: which };
};

const CLOCKS = [
  ['none', 'No clock'],
  ['60+1', '1 min + 1 s'],
  ['180+2', '3 min + 2 s'],
  ['300+3', '5 min + 3 s'],
  ['600+5', '10 min + 5 s'],
  ['1800+20', '30 min + 20 s'],
  ['d1', '1 day a turn'],
  ['d3', '3 days a turn'],
  ['d7', '7 days a turn'],
];

const clockOf = (/** @type {string} */ value) => {
  if (value === 'none') return { kind: 'none' };
  if (value.startsWith('d')) return { kind: 'days', days: Number(value.slice(1)) };
  const [seconds, increment] = value.split('+').map(Number);
  return { kind: 'time', seconds, increment };
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
  location.href = `/play#${id}`;
  return true;
};

/** Asks how to play, and makes the game. @param {Catalogue} shelf @param {GameInfo} info @param {string|null} position */
const newGame = (shelf, info, position = null) => {
  const last = {
    mode: 'computer',
    one: 'level:3',
    two: 'level:5',
    side: '1',
    clock: 'none',
    ...remembered(`new.${info.id}`, {}),
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
        el('a.button', { href: `/rules/${info.id}` }, 'Rules'),
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
    if (location.search) history.replaceState(null, '', '/');
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
    const me = { kind: 'person', ...(name.trim() ? { name: name.trim() } : {}) };
    const first = values.side === 'random' ? Math.random() < 0.5 : values.side !== '2';
    const pair = (/** @type {any} */ a, /** @type {any} */ b) => (first ? [a, b] : [b, a]);
    const seats = {
      computer: () => pair(me, computerSeat(values.one)),
      screen: () => info.players.map((player) => ({ kind: 'person', name: player })),
      link: () => pair(me, { kind: 'open' }),
      watch: () => [computerSeat(values.one), computerSeat(values.two)],
    }[/** @type {'computer'|'screen'|'link'|'watch'} */ (values.mode)]();
    const chosen = info.options.filter(
      (option) =>
        values[`option.${option.name}`] !== undefined &&
        values[`option.${option.name}`] !== String(option.default),
    );
    const options = Object.fromEntries(
      chosen.map((option) => [
        option.name,
        option.values.find((value) => String(value) === values[`option.${option.name}`]),
      ]),
    );
    const request = {
      game: info.id,
      seats,
      shared: values.mode === 'screen',
      clock: values.mode === 'watch' ? { kind: 'none' } : clockOf(values.clock),
      ...(position ? { position } : { options }),
    };
    // Days pass on a server; everything else that needs no second screen stays here.
    const here = values.mode !== 'link' && request.clock.kind !== 'days';
    try {
      if (here && (await playHere(request))) return;
      const { id, tokens } = await postJson('/api/games', request);
      const own =
        values.mode === 'link'
          ? tokens[first ? 0 : 1]
          : tokens.find((/** @type {string|null} */ one) => one);
      const invite = values.mode === 'link' ? tokens[first ? 1 : 0] : undefined;
      const mine = /** @type {(1|2)[]} */ (
        [1, 2].filter((player) => own && tokens[player - 1] === own)
      );
      const kept =
        rememberGame({ id, game: info.id, at: Date.now(), ...(invite ? { invite } : {}) }) &&
        (!own || hold(forever, id, whoOf(mine), own));
      location.href = kept || !own ? `/${id}` : `/${id}#${own}`;
    } catch (error) {
      setText(wrong, capital(/** @type {Error} */ (error).message));
    }
  };
  update();
  document.body.append(box);
  box.showModal();
  history.pushState({ dialog: true }, '');
};

export const playLink = (/** @type {import('./api.js').View} */ view) =>
  `/?new=${view.game}&position=${encodeURIComponent(toPath(view.text))}`;
