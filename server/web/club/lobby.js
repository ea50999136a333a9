/** The lobby: account, your games, open challenges, and games to watch. */
import { hasServer, pageAt } from '../address.js';
import { button, field, form, segments, select, submit } from '../common/controls.js';
import { complain, el, fill, keepFocus, say, setText, toast } from '../common/dom.js';
import { Refused } from '../common/refused.js';
import { forever, remember, remembered } from '../common/storage.js';
import { capital, clockText, spaced } from '../common/text.js';
import { deleteJson, getJson, postJson } from '../connection/server.js';
import { catalogue } from '../program/views.js';
import { held } from '../table/seats.js';
import { bringKey, showAccount } from './account.js';
import { liveBoard } from './boards.js';
import { acceptButton, challengeRow } from './challenges.js';
import { goTo, me, token } from './me.js';
import { visit } from './socket.js';

/** How often the games to watch are refreshed. */
const WATCH = 5_000;

const CLOCKS = [
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
  if (value.startsWith('d')) return { kind: 'days', days: Number(value.slice(1)) };
  const [seconds, increment] = value.split('+').map(Number);
  return { kind: 'time', seconds, increment };
};

/** Takes back one's own challenge. @param {string} id */
const withdraw = async (id) => {
  try {
    await deleteJson(`lobby/${id}`, token());
  } catch (error) {
    complain(error);
  }
};

/** @param {HTMLElement} main */
export const lobbyPage = async (main) => {
  if (!hasServer()) throw new Refused(404, 'this site keeps no games between people');
  document.title = 'Lobby – Quadrille';
  main.className = 'page lobby';
  await bringKey();
  const shelf = await catalogue();
  const nameOfGame = (/** @type {string} */ id) =>
    shelf.games.find((one) => one.id === id)?.name ?? id;
  const account = el('section#account.card');
  const turns = el('section#your-games', { 'aria-labelledby': 'yours-title', hidden: true });
  const list = el('tbody');
  const none = el('p.empty-line', 'No one is waiting. Make a challenge and it will appear here.');
  const state = el('p.sr', { role: 'status' });
  const watched = el('div.shelf.watched');
  const nothing = el('p.empty-line', 'No public game is being played.');

  const row = (/** @type {any} */ one, /** @type {string} */ you) => {
    const mine = one.id.split('.')[0] === you;
    const act = mine ? button('', 'Withdraw', () => withdraw(one.id)) : acceptButton(one);
    return challengeRow(one, nameOfGame, act, mine);
  };
  const openList = steadyList(list, none, row);

  const visitor = visit({
    onState: (connected) => setText(state, connected ? '' : 'The lobby is not connected'),
    onMessage: (message) => {
      if (message.type === 'lobby') {
        openList.learn(message);
        challenge.learn(message);
      } else if (message.type === 'hello') openList.isMine(message.you);
      // Somebody who has been in the game and come back is not sent there again.
      else if (message.type === 'paired' && held(forever, message.game).length === 0) {
        say('Somebody plays with you');
        goTo(message.game).catch(complain);
      } else if (message.type === 'refused' && message.status === 401) complain(message.error);
    },
  });

  const challenge = challengeForm(shelf);
  const changed = () => {
    visitor.greet();
    challenge.showRated();
    lookAtYours();
  };
  const lookAtYours = () =>
    showYours(turns, nameOfGame, (refused) => showAccount(account, changed, refused));
  fill(
    main,
    el('h1', 'Lobby'),
    el(
      'p.lead',
      'Games that are arranged here are public: anybody can watch them and find them again. ' +
        'Games by link stay private.',
    ),
    account,
    turns,
    el(
      'div.halves',
      el(
        'section',
        { 'aria-labelledby': 'play-title' },
        el('h2#play-title', 'Play'),
        challenge.element,
      ),
      el(
        'section.open-challenges',
        { 'aria-labelledby': 'open-title' },
        el('h2#open-title', 'Who wants to play'),
        state,
        el('div.card.wide', el('table.open', list), none),
      ),
      el(
        'section',
        { 'aria-labelledby': 'watch-title' },
        el(
          'div.head',
          el('h2#watch-title', 'Watch'),
          el('a', { href: pageAt('archive') }, 'All finished games'),
        ),
        nothing,
        watched,
      ),
    ),
  );
  showAccount(account, changed);
  lookAtYours();
  /** @type {Map<string, ReturnType<typeof liveBoard>>} */
  let boards = new Map();
  const look = async () => {
    if (!document.hidden) {
      const { games } = await getJson('watch').catch(() => ({ games: null }));
      if (games) {
        nothing.hidden = games.length > 0;
        const next = games.map((/** @type {any} */ one) => {
          const known = boards.get(one.id) ?? liveBoard(one, nameOfGame(one.game));
          known.show(one.position);
          return [one.id, known];
        });
        boards = new Map(next);
        fill(watched, ...[...boards.values()].map(({ item }) => item));
      }
    }
    setTimeout(look, WATCH);
  };
  look();
};

/**
 * A list of challenges with a stable order: new ones are appended, and while somebody hovers over the list or has the
 * focus in it, rows that are gone only lose their button.
 * @param {HTMLElement} list @param {HTMLElement} none shown when there is nothing
 * @param {(one: any, you: string) => HTMLElement} row
 */
const steadyList = (list, none, row) => {
  /** @type {Map<string, {one: any, node: HTMLElement}>} by id and version, oldest first */
  const shown = new Map();
  /** @type {Map<string, any>} */
  const open = new Map();
  let you = '';
  let waits = false;
  const isUsed = () => list.matches(':hover') || list.contains(document.activeElement);
  const name = (/** @type {any} */ one) => `${one.id} ${one.version}`;
  const paint = () => {
    waits = false;
    const used = isUsed();
    const wanted = new Set([...open.values()].map(name));
    for (const [key, { node }] of shown) {
      if (wanted.has(key)) continue;
      if (used) {
        const act = /** @type {HTMLButtonElement|null} */ (node.querySelector('button'));
        if (act && !act.disabled) {
          act.disabled = true;
          setText(act, 'Gone');
        }
      } else {
        node.remove();
        shown.delete(key);
      }
    }
    for (const one of [...open.values()].sort((a, b) => a.since - b.since)) {
      if (shown.has(name(one))) continue;
      const node = row(one, you);
      shown.set(name(one), { one, node });
      list.append(node);
    }
    none.hidden = shown.size > 0;
  };
  const soon = () => {
    if (!waits) setTimeout(paint, 50);
    waits = true;
  };
  for (const left of ['pointerleave', 'focusout']) list.addEventListener(left, soon);
  return {
    /** Handles a message from the server. @param {any} message */
    learn: (message) => {
      if (message.all) open.clear();
      for (const id of message.gone ?? []) open.delete(id);
      for (const one of message.all ?? message.added) open.set(one.id, one);
      soon();
    },
    /** Marks one's own challenges. @param {string} maker */
    isMine: (maker) => {
      if (maker === you) return;
      you = maker;
      for (const [key, { one, node }] of shown) {
        const other = row(one, you);
        node.replaceWith(other);
        shown.set(key, { one, node: other });
      }
      soon();
    },
  };
};

/**
 * The player's running games.
 * @param {HTMLElement} box @param {(id: string) => string} nameOfGame
 * @param {(error: any) => void} onRefused the player's key was replaced, or the player was deleted or banned
 */
const showYours = async (box, nameOfGame, onRefused) => {
  const own = me();
  if (!own) {
    box.hidden = true;
    return;
  }
  const known = await getJson('me', own.key).catch((error) => {
    if (error.status === 401 || error.status === 403) onRefused(error);
    return null;
  });
  if (!known) return;
  const waiting = known.games.filter((/** @type {any} */ game) => game.your_turn).length;
  document.title = waiting > 0 ? `(${waiting}) Your turn – Quadrille` : 'Lobby – Quadrille';
  const item = (/** @type {any} */ game) =>
    el(
      'li',
      { className: game.your_turn ? 'yours' : '' },
      button('', '', () => goTo(game.id).catch(complain), { 'data-id': game.id }),
    );
  const items = known.games.map((/** @type {any} */ game) => {
    const one = item(game);
    const who = game.opponent.name ?? 'Guest';
    const left = game.deadline ? `, ${clockText(game.deadline - Date.now())} left` : '';
    fill(
      /** @type {Element} */ (one.firstElementChild),
      el('b', `${nameOfGame(game.game)} with ${who}`),
      el('small', `${game.your_turn ? 'Your turn' : `${who} thinks`}${left}`),
    );
    return one;
  });
  box.hidden = items.length === 0;
  fill(box, el('h2#yours-title', 'Your games'), el('ul.yours-list', ...items));
};

/** The form for a new challenge. @param {import('../program/views.js').Catalogue} shelf */
const challengeForm = (shelf) => {
  const last = remembered('lobby', {});
  const meanwhile = el('div#meanwhile', { hidden: true });
  /** The id of the challenge while an opponent is looked for. */
  let sought = '';
  const game = select(
    { id: 'lobby-game', name: 'game', onchange: () => showOptions() },
    shelf.games.map(({ id, name }) => ({ value: id, label: name })),
    last.game,
  );
  const choices = el('div.lobby-options');
  const showOptions = () => {
    const info = shelf.games.find((one) => one.id === game.value);
    fill(
      choices,
      ...(info?.options ?? []).map((option) =>
        field(
          capital(spaced(option.name)),
          select(
            { id: `lobby-${option.name}`, 'data-option': option.name },
            option.values.map((value) => ({ value: JSON.stringify(value), label: String(value) })),
            JSON.stringify(option.default),
          ),
        ),
      ),
    );
  };
  const clock = select(
    { id: 'lobby-clock', name: 'clock' },
    CLOCKS.map(([value, label]) => ({ value, label })),
    last.clock ?? '300+3',
  );
  const rated = el('input', {
    ...{ type: 'checkbox', id: 'lobby-rated', checked: last.rated ?? true },
    onchange: () => showRated(),
  });
  const side = segments('#lobby-side', { name: 'side', title: 'Who begins', chosen: 'random' }, [
    { value: 'random', label: 'Random' },
    { value: 'first', label: 'I' },
    { value: 'second', label: 'The other' },
  ]);
  const flag = el('label.flag', rated, 'Rated');
  const more = el('details', el('summary', 'More choices'), choices, side);
  const usual = el('small', 'The usual options, and chance decides who begins.');
  const wantsRated = () => rated.checked && me() !== null;
  /** Rated games are played with the usual options, and chance decides who begins. */
  const showRated = () => {
    flag.hidden = me() === null;
    more.hidden = wantsRated();
    usual.hidden = !wantsRated();
  };
  const wanted = () => {
    const isRated = wantsRated();
    const picked = [...choices.querySelectorAll('select')];
    const options = Object.fromEntries(
      picked.map((one) => [one.dataset.option, JSON.parse(one.value)]),
    );
    remember('lobby', { game: game.value, clock: clock.value, rated: rated.checked });
    const chosen = /** @type {HTMLInputElement|null} */ (side.querySelector('input:checked'));
    return {
      game: game.value,
      options: isRated ? {} : options,
      clock: clockOf(clock.value),
      side: isRated ? 'random' : (chosen?.value ?? 'random'),
      rated: isRated,
    };
  };
  const send = async (/** @type {any} */ more) => {
    try {
      const request = { ...wanted(), ...more };
      const answer = await postJson('lobby', request, token());
      found();
      if (answer.game) return await goTo(answer.game);
      toast(more.auto ? 'Looking for an opponent' : 'Your challenge is listed');
      if (answer.meanwhile) offer(request, answer);
      return undefined;
    } catch (error) {
      return complain(error);
    }
  };
  /** The search is over. */
  const found = () => {
    sought = '';
    keepFocus(
      () => (meanwhile.hidden = true),
      () => element.querySelector('#play-now'),
    );
  };
  /** Offers a game against the computer while waiting. @param {any} request @param {any} answer */
  const offer = (request, answer) => {
    const { level } = answer.meanwhile;
    sought = answer.challenge.id;
    meanwhile.hidden = false;
    fill(
      meanwhile,
      el('p', 'Looking for an opponent of your strength. Or play at once:'),
      el(
        'div.row',
        button('', `Computer, level ${level}`, () => send({ ...request, auto: false, level })),
        button('#stop-search', 'Cancel', () => withdraw(sought)),
      ),
    );
  };
  showOptions();
  showRated();
  const element = form(
    '#challenge.card',
    () => send({}),
    field('Game', game),
    field('Time', clock),
    flag,
    usual,
    more,
    el(
      'div.row.wrap',
      button('#play-now.primary', 'Play now', () => send({ auto: true })),
      submit('#make-challenge', 'Make a challenge'),
    ),
    meanwhile,
  );
  /** Handles a message from the server about challenges. @param {any} message */
  const learn = ({ gone = [], all }) => {
    const lost = all && !all.some((/** @type {any} */ { id }) => id === sought);
    if (sought && (lost || gone.includes(sought))) found();
  };
  return { element, showRated, learn };
};
