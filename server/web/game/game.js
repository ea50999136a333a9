/**
 * The page of one game, to play or watch. Its pure state is in gamestate.js and its elements in gameparts.js; this
 * connects them, executes the user's actions, and handles events.
 *
 * @typedef {import('./gamestate.js').State} State
 * @typedef {import('../table/seats.js').Seat} Seat
 * @typedef {ReturnType<import('../table/tables.js').Table['desk']>} Desk
 * @typedef {{state: State, table: import('../table/tables.js').Table, play: ReturnType<typeof createPlay>,
 *   parts: import('./gameparts.js').Parts, desk: Desk|null, socket: {flush: () => void, again: () => void,
 *   greet?: (word: string) => void},
 *   resync: () => Promise<void>, shown: Promise<void>}} Page `desk` accepts the user's commands; `shown` resolves when
 *   everything that has happened is displayed
 */
import { piecesOf } from '../board/pieces.js';
import { confirmBox } from '../common/dialogs.js';
import { complain, el, fill, onKeys, say, toast, whenPainted } from '../common/dom.js';
import { play as sound } from '../common/sound.js';
import { forever } from '../common/storage.js';
import { capital, reasonOf, scoreWords } from '../common/text.js';
import { freshName } from '../connection/commands.js';
import { EMPTY, pendingTurn } from '../connection/outbox.js';
import { reach, sleep } from '../connection/reach.js';
import { getJson, postJson } from '../connection/server.js';
import { showState } from '../connection/status.js';
import { aboutHere } from '../play/here.js';
import { arrowsFor, createPlay } from '../play/play.js';
import { fetchRulesAhead, rulesPanel } from '../play/rulespanel.js';
import { stepKeys, unzenButton, zen } from '../play/turns.js';
import { note, thought } from '../program/ask.js';
import { catalogue, gameOf, view as askView } from '../program/views.js';
import { join } from '../table/join.js';
import { after, endedWords, firstPlayer } from '../table/live.js';
import { myGame, rememberBoard, rememberGame, viewOf } from '../table/mine.js';
import { hold, proposal, settled, whoOf } from '../table/seats.js';
import { deviceTable, serverTable } from '../table/tables.js';
import { leftNow, paintClock } from './clock.js';
import { column, createParts, paint, paintOutbox } from './gameparts.js';
import * as game from './gamestate.js';
import { greetBox, hearGreeting } from './greetings.js';
import { WAIT, showLeft } from './left.js';
import { share } from './links.js';
import { announcement, headline, progress } from './notices.js';
import { createResync, lastMover, missed } from './resync.js';

const NOT_KEPT =
  'This browser keeps nothing, so it could not keep the seat. Allow it to store data for this page.';

/** How many milliseconds an announcement waits for its board. */
const LATE = 1_500;

/** @param {HTMLElement} main @param {string} id @param {{embed?: boolean, device?: boolean}} [how] */
export const gamePage = async (main, id, { embed = false, device = false } = {}) => {
  const table = device ? deviceTable(id) : serverTable(id);
  const late = setTimeout(() => showLeft(main, id), WAIT);
  const { arrival, info, asks } = await arrive(main, table, embed).finally(() =>
    clearTimeout(late),
  );
  const state = game.begun({ id, info, asks, embed, device }, arrival);
  const kept = device && viewOf(id);
  if (kept) note('view', kept.request, kept.view);
  // Requested at once, and shown when the page around it is ready.
  askView(game.placeAt(state, state.game.turns.length), state.flipped).catch(() => {});
  /** @type {Page} */
  const p = /** @type {any} */ ({ state, table, desk: null, shown: Promise.resolve() });
  p.resync = createResync({
    look: table.look,
    seq: () => p.state.game.seq,
    take: (now) => caughtUp(p, now),
  });
  p.play = createPlay(playHooks(p));
  p.parts = createParts(state, deeds(p));
  main.className = embed ? 'table embed' : 'table';
  fill(
    main,
    el('div.boardbox', p.play.board.element),
    column(state, p.parts, p.play.card),
    !embed && unzenButton(),
  );
  p.socket = table.connect(tableHooks(p));
  setInterval(() => tick(p), 100);
  onKeys(keys(p));
  document.addEventListener('prefs', () => renderAround(p));
  remember(p);
  tick(p);
  p.desk = deskOf(p);
  if (!embed)
    addEventListener('pagehide', () => {
      keepBoard(p);
      if (myGame(id)) remember(p);
    });
  await render(p, false);
  fetchRulesAhead(info.id);
  adoptTurn(p);
  p.socket.flush();
  whenPainted(() => drawSeats(p));
};

/** Marks each seat with one of its player's pieces, as painted by the first brushes. @param {Page} p */
const drawSeats = async (p) => {
  const pieces = await piecesOf(p.state.info);
  p.parts.seats.forEach((seat, i) => {
    const piece = pieces.get(p.state.info.brushes[i].id);
    // A figure beside a name would look like the number of the player.
    piece?.querySelectorAll('text').forEach((figure) => figure.remove());
    if (piece) seat.show(piece);
  });
  renderAround(p);
};

/**
 * Loads the game, the user's seat, and information about the kind of game.
 * @param {HTMLElement} main @param {Page['table']} table @param {boolean} embed
 */
const arrive = async (main, table, embed) => {
  const infoOf = async (/** @type {import('../table/live.js').Game} */ one) =>
    /** @type {import('../program/views.js').GameInfo} */ ((await gameOf(one.game)).info);
  const watch = async () => ({ game: await table.look(), seat: null, note: '' });
  // Request the catalogue now; it is needed once the game is known.
  catalogue().catch(() => {});
  const arrival = await (embed
    ? watch()
    : table.arrive(main, async (one) => (await infoOf(one)).players));
  const { asks } = await catalogue();
  return { arrival, asks, info: await infoOf(arrival.game) };
};

/** @param {Page} p @returns {Parameters<typeof createPlay>[0]} */
const playHooks = (p) => ({
  label: `Board of ${p.state.info.name}`,
  premove: () => game.premover(p.state),
  helps: () => game.mayBeHelped(p.state) || Boolean(p.state.game.result),
  plays: () => game.sits(p.state) && game.isStarted(p.state) && !p.state.game.result,
  mayPlay: () => game.mayPlay(p.state),
  idle: () => idle(p),
  // An offer that arrives while the turn is waiting to be sent is not declined by it.
  onTurn: (turn) =>
    give(p, 'move', { turn, board_seq: p.state.game.board_seq, seen: p.state.game.seq }),
  onWay: (turn) => {
    const one = pendingTurn(boxOf(p));
    return one ? progress(one, p.state.told.kind === 'connected') : `${turn} is played`;
  },
});

/** The actions of the buttons. @param {Page} p @returns {import('./gameparts.js').Deeds} */
const deeds = (p) => ({
  go: (ply) => go(p, ply),
  hint: () => askHint(p),
  undo: () => takeBack(p),
  flip: () => flip(p),
  draw: () => command(p, 'offer-draw'),
  resign: async () => {
    if (game.mayAbort(p.state)) {
      const sure = await confirmBox('Call this game off? Nobody wins.', 'Call off', 'Play on');
      // The opponent may have moved meanwhile; then the server refuses it.
      if (sure) command(p, 'abort');
    } else if (await confirmBox('Resign this game?', 'Resign', 'Play on', true))
      command(p, 'resign');
  },
  rematch: () => command(p, 'rematch'),
  rules: () => rulesPanel(p.state.info, p.parts.clock),
  share: () => share(p.state),
  type: () => {
    p.play.card.classList.add('typing');
    p.play.entry.focus();
  },
  greet: () => greetBox((word) => p.socket.greet?.(word)),
  dismiss: (name) => p.desk?.forget(name),
});

/** @param {Page} p */
const keys = (p) => {
  const { ways } = p.parts.list;
  return {
    ...stepKeys(ways),
    f: () => flip(p),
    h: () => askHint(p),
    u: () => takeBack(p),
    z: zen,
    Escape: () => {
      if (!p.play.back()) ways.last();
    },
    m: () => p.play.entry.focus(),
  };
};

/** The actions of notices. @param {Page} p @returns {import('./noticecard.js').Hooks} */
const noticeHooks = (p) => ({
  id: p.state.id,
  colour: p.state.info.players[game.youOf(p.state)[0] - 1],
  onJoin: (name) => takeSeat(p, name),
  onPutOff: () => change(p, { putOff: true }),
  onAgain: () => p.socket.again(),
  onAnswer: (yes, kind) => {
    if (kind === 'rematch') command(p, 'rematch');
    else if (yes) command(p, 'accept', { board_seq: p.state.game.board_seq });
    else command(p, 'decline');
  },
});

/** @param {Page} p */
const boxOf = (p) => p.desk?.box() ?? EMPTY;

/** @param {Page} p */
const idle = (p) => {
  const seen = p.play.base();
  return game.idleWords(p.state, seen?.over ? seen.status : '');
};

/** Updates the state, and everything around the board. @param {Page} p @param {Partial<State>} next */
const change = (p, next) => {
  p.state = { ...p.state, ...next };
  renderAround(p);
};

/** Shows the current position and everything around it. @param {Page} p */
const render = async (p, animate = true) => {
  const { state } = p;
  renderAround(p);
  const how = { flipped: state.flipped, animate, forgive: false };
  if (await p.play.show(game.placeAt(state, game.plyOf(state)), how)) renderAround(p);
};

/** @param {Page} p */
const renderAround = (p) => {
  const { state, play, parts } = p;
  const view = play.view();
  const how = {
    box: boxOf(p),
    view,
    turned: view ? play.turned() : state.flipped,
    invite: myGame(state.id)?.invite,
    query: p.table.query,
    hooks: () => noticeHooks(p),
  };
  paint(parts, state, how, play.board.cell);
  play.card.classList.toggle('over', Boolean(state.game.result) && state.ply === null);
  const asking = game.askingOf(state);
  const head = headline(state.game, game.youOf(state), asking, game.mayPlay(state));
  document.title = `${head}${state.info.name} – Quadrille`;
  play.render();
};

/** @param {Page} p */
const tick = ({ state, parts }) => {
  const { clocks, result } = state.game;
  const show = (/** @type {HTMLElement} */ clock, /** @type {1|2} */ player) =>
    paintClock(clock, leftNow(clocks, player, state.skew), !result && clocks?.running === player);
  show(parts.seats[0].clock, 1);
  show(parts.seats[1].clock, 2);
  const [own] = game.youOf(state).length === 1 ? game.youOf(state) : [state.game.turn];
  show(parts.clock, own);
};

/** Adds or updates the game in this browser's list. @param {Page} p */
const remember = ({ state }) => {
  const { id, info, device, embed } = state;
  if (embed || !(device || game.youOf(state).length > 0 || myGame(id))) return;
  const names = game.namesOf(state);
  const ended = endedWords(state.game, names);
  const how = ended ? { over: true, ended } : { over: false };
  rememberGame({
    id,
    game: info.id,
    ...how,
    names: names.join(' – '),
    at: state.game.at ?? Date.now(),
    ...(device ? { device } : {}),
  });
};

/** Saves the board for the next visit. @param {Page} p */
const keepBoard = ({ state, play }) => {
  const seen = play.settled();
  // A game that was handed over or removed leaves nothing behind.
  if (seen && state.ply === null && myGame(state.id))
    rememberBoard(state.id, seen, document.getElementById('prompt')?.textContent ?? '');
};

/** @param {Page} p @param {number} to */
const go = (p, to) => {
  const now = p.state.game.turns.length;
  if (p.play.busy() && to === now) return;
  p.state = { ...p.state, ply: to === now ? null : to };
  render(p);
};

/** Turns the board and the seats round together, once the new board is there. @param {Page} p */
const flip = async (p) => {
  const { state } = p;
  if (state.turning) return;
  p.state = { ...state, turning: true };
  const place = game.placeAt(state, game.plyOf(state));
  const there = await askView(place, !state.flipped).then(Boolean, () => false);
  p.state = { ...p.state, turning: false, flipped: there !== p.state.flipped };
  render(p, false);
};

/** @param {Page} p */
const takeBack = (p) => {
  if (game.mayPress(p.state, boxOf(p), 'undo')) command(p, 'undo');
};

/** @param {Page} p */
const askHint = async (p) => {
  if (!game.mayPress(p.state, boxOf(p), 'hint')) return;
  const { game: was, info, flipped } = p.state;
  const find = async (/** @type {import('../program/views.js').Place} */ place) => {
    const { engine, seed } = await thought('hint', place);
    const turn = engine?.turn ?? seed?.turns[0];
    return { engine, seed, turn, hints: await arrowsFor(place, turn, flipped) };
  };
  const use = (/** @type {Awaited<ReturnType<typeof find>>} */ { engine, seed, turn, hints }) => {
    if (p.state.game.result) return;
    const words = engine ? `: ${scoreWords(engine, was.turn, info.players)}` : '';
    const other = seed && !seed.turns.includes(turn);
    const original = other ? ` The original program's ${seed.name}: ${seed.turns[0]}.` : '';
    const advice = `Hint: ${turn}${words}.${original}`;
    p.play.clear();
    p.play.hint(hints, { advice });
    say(advice);
  };
  change(p, { thinking: true });
  try {
    await aboutHere(() => game.placeAt(p.state, game.plyOf(p.state)), find, use);
  } catch (error) {
    complain(error);
  } finally {
    change(p, { thinking: false });
  }
};

/** The command queue of the user's seat. @param {Page} p @returns {Desk|null} */
const deskOf = (p) => {
  const { seat } = p.state;
  if (!seat || seat.invitation) return null;
  return p.table.desk(seat, () => {
    renderAround(p);
    adoptTurn(p);
  });
};

/**
 * Issues a command, to be sent now or later.
 * @param {Page} p @param {string} what @param {Record<string, any>} [fields]
 */
const give = (p, what, fields = {}) => {
  if (!p.desk) return Promise.reject(new Error('you are watching'));
  // A retried command must be for the same player, even if the turn has changed meanwhile.
  const seat = game.youOf(p.state).length === 2 ? { seat: p.state.game.turn } : {};
  const answer = p.desk.give(what, { ...seat, ...fields });
  setTimeout(() => paintOutbox(p.parts, p.state, boxOf(p)), game.SOON + 50);
  p.socket.flush();
  return answer;
};

/** @param {Page} p @param {string} what @param {Record<string, any>} [fields] */
const command = async (p, what, fields) => {
  try {
    await give(p, what, fields);
  } catch (error) {
    sound('low');
    say(reasonOf(error));
  }
};

/**
 * Shows an unanswered turn that was played on another page, or before this one was loaded.
 * @param {Page} p
 */
const adoptTurn = (p) => {
  const turn = game.turnToAdopt(p.state, boxOf(p));
  if (!turn || !p.desk || !p.play.adopt(turn.fields.turn, p.desk.answerTo(turn.name))) return;
  p.state = { ...p.state, adopted: new Set([...p.state.adopted, turn.name]) };
};

/** Sets or clears this page's seat. @param {Page} p @param {Seat|null} seat @param {string} [note] */
const sit = (p, seat, note = p.state.note) => {
  p.state = { ...p.state, ...game.seated(seat), note };
  p.desk = deskOf(p);
  p.socket.again();
  remember(p);
  render(p, false);
};

/** Exchanges the invitation for a seat. @param {Page} p @param {string|undefined} name */
const takeSeat = async (p, name) => {
  const { id, info, seat } = p.state;
  if (!seat || p.state.joining) return;
  change(p, { joining: true });
  const secret = secretFor(id, seat.token);
  if (!secret) {
    change(p, { joining: false });
    toast(NOT_KEPT, 'bad');
    return;
  }
  const outcome = await join({
    invitation: seat.token,
    secret,
    name,
    command: freshName(),
    send: (body, token) => postJson(`games/${id}/commands`, body, token),
    look: (token) => getJson(`games/${id}`, token),
    back: async () => {
      await Promise.all([sleep(1_000), reach.back()]);
    },
  });
  change(p, { joining: false });
  if ('error' in outcome) {
    complain(outcome.error);
    return;
  }
  if ('joined' in outcome) hold(forever, id, whoOf(outcome.joined.you), outcome.joined.token);
  settled(forever, id);
  rememberGame({ id, game: info.id, invited: undefined });
  if ('joined' in outcome) {
    history.replaceState(null, '', location.pathname);
    sit(p, { ...outcome.joined, invitation: false });
  } else {
    const note = 'This invitation has been used: somebody has taken the seat.';
    say(note);
    sit(p, null, note);
  }
};

/**
 * The new secret for a seat, which is stored before it is used; nothing if the browser cannot store it.
 * @param {string} id @param {string} invitation
 */
const secretFor = (id, invitation) => {
  try {
    return proposal(forever, id, invitation, (bytes) => crypto.getRandomValues(bytes));
  } catch {
    return null;
  }
};

/** Handles what the table reports. @param {Page} p @returns {import('../table/tables.js').Hooks} */
const tableHooks = (p) => ({
  token: () => (p.state.seat && !p.state.seat.invitation ? p.state.seat.token : null),
  seq: () => p.state.game.seq,
  at: () => p.state.game.at,
  commands: () => p.desk,
  onEvent: (event) => onEvent(p, event),
  onGap: p.resync,
  onStranger: () => {
    p.desk = null;
    change(p, {
      seat: null,
      note: 'The server does not know the seat that this browser holds.',
    });
  },
  onState: (told) => {
    if (!p.state.embed) showState(told);
    change(p, { told });
  },
  onPresence: (presence) => change(p, { presence }),
  onGreeting: ({ seat, text }) => {
    if (!game.isMine(p.state, seat)) hearGreeting(game.nameOf(p.state, seat), text);
  },
  onStuck: (stuck) => {
    if (stuck !== p.state.stuck) change(p, { stuck });
  },
  onClocks: ({ left, running, at }) => {
    const clocks = { left, running, at };
    p.state = { ...p.state, skew: at - Date.now(), game: { ...p.state.game, clocks } };
  },
  onHello: (hello) => {
    if (hello.at) p.state = { ...p.state, skew: hello.at - Date.now() };
    if (game.differs(p.state, hello)) p.resync();
  },
});

/**
 * Updates the page after the whole game was fetched again because it was out of sync.
 * @param {Page} p @param {game.Game} now
 */
const caughtUp = (p, now) => {
  const before = p.state.game;
  p.state = { ...p.state, game: { ...now, you: game.youOf(p.state) } };
  const since = missed(before, now);
  if (since.played || since.undone || since.ended) boardMoved(p);
  leaveTakenSeat(p);
  p.shown = p.shown.then(() => presentMissed(p, since)).catch(() => {});
};

/** @param {Page} p @param {ReturnType<typeof missed>} since */
const presentMissed = async (p, { played, undone, ended, next }) => {
  if (undone) p.state = { ...p.state, ply: null };
  if (ended) sound('end');
  else if (played) sound('other');
  await Promise.race([render(p, false), sleep(LATE)]);
  const { game: now } = p.state;
  const last = { kind: 'move', seat: lastMover(now, firstPlayer(now)), turn: now.turns.at(-1) };
  const words = [
    undone && 'Turns were taken back.',
    played > 1 && `${played} turns were played.`,
    played > 0 && told(p, last),
    ended && idle(p),
  ];
  const text = words.filter(Boolean).join(' ');
  if (text) tell(p, text);
  remember(p);
  if (next && game.youOf(p.state).length > 0) await toRematch(p, next);
};

/** Continues what was waiting for the board to change. @param {Page} p */
const boardMoved = (p) => {
  p.desk?.moved();
  p.play.forgive();
};

/** Leaves the seat if somebody else has accepted the invitation. @param {Page} p */
const leaveTakenSeat = (p) => {
  const { seat, joining, game: now } = p.state;
  if (seat?.invitation && !joining && now.seats[seat.you[0] - 1].joined)
    sit(p, null, 'Somebody else has taken the seat.');
};

/**
 * The state is updated at once; the display and announcements follow in order, however long a board takes.
 * @param {Page} p @param {any} event
 */
const onEvent = (p, event) => {
  p.state = { ...p.state, game: after(p.state.game, event) };
  if (['move', 'undone', 'result'].includes(event.kind)) boardMoved(p);
  leaveTakenSeat(p);
  const words = announcement(event, game.youOf(p.state));
  p.shown = p.shown.then(() => present(p, event, words)).catch(() => {});
};

/** @param {Page} p @param {any} event @param {ReturnType<typeof announcement>} words */
const present = async (p, event, words) => {
  const { kind } = event;
  if (kind === 'undone') p.state = { ...p.state, ply: null };
  if (kind === 'move') sound(game.isMine(p.state, event.seat) ? 'move' : 'other');
  else if (kind === 'result') sound('end');
  else if (words?.sound) sound(words.sound);
  await Promise.race([render(p, kind !== 'undone'), sleep(LATE)]);
  const text = told(p, event) ?? words?.words;
  // One's own turn was announced when it was played.
  if (text && kind === 'move' && isOwn(p, event)) say(text);
  else if (text) tell(p, text);
  if (kind === 'rematch' && event.id && game.youOf(p.state).length > 0)
    await toRematch(p, event.id);
  if (kind !== 'move' && kind !== 'undone') remember(p);
};

/** Whether an event is a turn made here, by the only player at this page. @param {Page} p @param {any} event */
const isOwn = ({ state }, event) =>
  game.youOf(state).length === 1 && game.isMine(state, event.seat);

/**
 * What is announced together with the board: the opponent's turns, takebacks, results.
 * @param {Page} p @param {any} event @returns {string|null|undefined}
 */
const told = (p, event) => {
  const { state } = p;
  const alone = game.youOf(state).length === 1;
  if (event.kind === 'undone') return event.words;
  if (event.kind === 'result') return `${game.outcome(state)} ${idle(p)}.`.trim();
  if (event.kind !== 'move') return null;
  const seen = p.play.base();
  const shown = seen?.turns.length === state.game.turns.length ? seen : null;
  const own = isOwn(p, event);
  const who = own ? 'You play' : `${game.nameOf(state, event.seat)} plays`;
  const turn = `${who} ${shown?.said ?? event.turn}.`;
  // The end of a game has its own announcement.
  if (own || shown?.over) return turn;
  const next = alone && game.mayPlay(state) ? 'Your turn.' : capital(shown?.status ?? '');
  return `${turn} ${next}`.trim();
};

/** Announces what happened. @param {Page} p @param {string} words */
const tell = (p, words) => {
  p.state = { ...p.state, announced: game.announcedWith(p.state, words, Date.now()) };
  say(p.state.announced.words);
};

/** @param {Page} p @param {string} next */
const toRematch = async (p, next) => {
  const { info, seat, device } = p.state;
  location.href = await p.table.rematch(next, info.id, seat?.token);
  // If only the fragment differs, the browser would not load anything.
  if (device) location.reload();
};
