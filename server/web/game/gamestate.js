/**
 * The state of the game page, and what follows from it. All functions are pure.
 *
 * @typedef {import('../table/live.js').Game} Game
 * @typedef {import('../table/seats.js').Seat} Seat
 * @typedef {import('../connection/outbox.js').Outbox} Outbox
 * @typedef {import('../connection/outbox.js').Command} Command
 * @typedef {import('./notices.js').Question} Question
 *
 * @typedef {{
 *   id: string, info: import('../program/views.js').GameInfo, asks: import('../program/views.js').Asks,
 *   embed: boolean, device: boolean,
 *   game: Game, seat: Seat|null, note: string, ply: number|null, flipped: boolean,
 *   told: import('../connection/connection.js').Told, presence: {seats: boolean[], watchers: number}|null,
 *   skew: number, joining: boolean, putOff: boolean, turning: boolean, thinking: boolean,
 *   adopted: ReadonlySet<string>, announced: {words: string, at: number}, stuck: string|null,
 * }} State
 *   `ply` is an earlier position being shown, null for the latest one; `note` is about the link that was opened; `skew`
 *   is how far the server's time is ahead of ours; `putOff` if an offered rematch was put off; `adopted` are the ids of
 *   other pages' commands whose turns this board shows; `stuck` is the reason why a computer cannot play
 */
import { capital } from '../common/text.js';
import { isPending, pendingTurn } from '../connection/outbox.js';
import { isComputer, seatName } from '../table/live.js';
import { progress, question } from './notices.js';

/** Commands answered sooner than this are not shown. */
export const SOON = 600;

/** Events within this time are announced together. */
const TOGETHER = 700;

/**
 * @param {Pick<State, 'id'|'info'|'asks'|'embed'|'device'>} page @param {{game: Game, seat: Seat|null, note:
 *   string}} arrival
 * @returns {State}
 */
export const begun = (page, arrival) => ({
  ...page,
  ...seated(arrival.seat),
  game: arrival.game,
  note: arrival.note,
  ply: null,
  told: { kind: 'connecting', words: 'Connecting…' },
  presence: null,
  skew: 0,
  joining: false,
  putOff: false,
  turning: false,
  thinking: false,
  adopted: new Set(),
  announced: { words: '', at: 0 },
  stuck: null,
});

/** A change of this page's seat, with the board seen from that side. @param {Seat|null} seat */
export const seated = (seat) => ({
  seat,
  flipped: seat?.you.length === 1 && seat.you[0] === 2,
});

/** The players at this page. @param {State} state @returns {(1|2)[]} */
export const youOf = ({ seat }) => seat?.you ?? [];

/** @param {State} state @param {1|2} player */
export const isMine = (state, player) => youOf(state).includes(player);

/** Whether the user has a seat; an invitation does not count. @param {State} state */
export const sits = (state) => youOf(state).length > 0 && !state.seat?.invitation;

/** Whether there is an opponent who can receive greetings. @param {State} state */
export const mayGreet = (state) => {
  const [own, more] = youOf(state);
  if (state.device || more || !sits(state)) return false;
  const other = /** @type {1|2} */ (3 - own);
  return !isComputer(state.game, other) && state.game.seats[other - 1].joined !== false;
};

/** How many turns are shown. @param {State} state */
export const plyOf = ({ ply, game }) => ply ?? game.turns.length;

/**
 * The position after a number of turns.
 * @param {State} state @param {number} turns @returns {import('../program/views.js').Place}
 */
export const placeAt = ({ game }, turns) => ({
  game: game.game,
  options: game.options,
  position: game.start,
  turns: game.turns.slice(0, turns),
});

/**
 * A player's name. Somebody looking at an invitation is not the friend being waited for.
 * @param {State} state @param {1|2} player
 */
export const nameOf = (state, player) => {
  const colour = state.info.players[player - 1];
  return state.seat?.invitation && isMine(state, player)
    ? colour
    : seatName(state.game, player, colour);
};

/** @param {State} state @returns {[string, string]} */
export const namesOf = (state) => [nameOf(state, 1), nameOf(state, 2)];

/** Says who asks for what. @param {State} state @returns {import('./notices.js').Asking} */
export const askingOf = (state) => (player, kind) => `${nameOf(state, player)} ${state.asks[kind]}`;

/** Whether both seats are taken. @param {State} state */
export const isStarted = ({ game }) =>
  game.seats.every((seat) => seat.kind !== 'open' || seat.joined);

const goesOn = (/** @type {State} */ state) =>
  state.ply === null && !state.game.result && isStarted(state);

/** @param {State} state */
export const mayPlay = (state) => goesOn(state) && isMine(state, state.game.turn);

/** The player who can choose a premove, if any. @param {State} state @returns {1|2|null} */
export const premover = (state) =>
  goesOn(state) && sits(state) && youOf(state).length === 1 && !isMine(state, state.game.turn)
    ? youOf(state)[0]
    : null;

/**
 * The prompt when there is nothing to do.
 * @param {State} state @param {string} status what the board says when the game is over
 */
export const idleWords = (state, status) => {
  const { game, ply } = state;
  if (ply !== null) return `Turn ${ply} of ${game.turns.length}`;
  if (game.result)
    return capital((game.result.reason === 'rules' && status) || (game.ending ?? ''));
  if (!isStarted(state)) return state.seat?.invitation ? '' : 'Waiting for a friend to join';
  const name = nameOf(state, game.turn);
  return isComputer(game, game.turn) && !state.stuck ? `${name} is thinking` : `${name} to move`;
};

/** What the result is to the one player at this page; nothing for watchers and a shared screen. @param {State} state */
export const outcome = (state) => {
  const [you, more] = youOf(state);
  const { winner } = state.game.result ?? {};
  if (!you || more || (winner !== 1 && winner !== 2)) return '';
  return winner === you ? 'You have won.' : 'You have lost.';
};

/**
 * Whether the engine may help: not in games between people, unless they share a screen and have no clock.
 * @param {State} state
 */
export const mayBeHelped = ({ game, device }) =>
  isComputer(game, 1) || isComputer(game, 2) || (device && !game.clocks);

/** Whether a game on a server can still be aborted, because not both have moved. @param {State} state */
export const mayAbort = ({ game, device }) =>
  !device && !game.result && game.turns.length < (game.began ?? 0) + 2;

/** Which buttons are shown, and which are enabled. @param {State} state @param {Outbox} box */
export const controls = (state, box) => {
  const { game, thinking } = state;
  const [you, over, here, at] = [youOf(state), Boolean(game.result), sits(state), plyOf(state)];
  const waits = (/** @type {string} */ what) => isPending(box, what);
  const alone = you.length === 1;
  const against = alone && isComputer(game, you[0] === 1 ? 2 : 1);
  const exhibition = you.length === 0 && isComputer(game, 1) && isComputer(game, 2);
  const playing = !over && here;
  const asked = Boolean(game.rematch?.seat && alone && isMine(state, game.rematch.seat));
  return {
    back: { hidden: false, disabled: at === 0 },
    on: { hidden: false, disabled: at >= game.turns.length },
    hint: {
      hidden: !playing || !mayBeHelped(state),
      disabled: !mayPlay(state),
      busy: thinking,
      label: thinking ? 'Thinking…' : 'Hint',
    },
    undo: {
      hidden: !playing || Boolean(game.club?.rated),
      disabled: !game.turns.length || game.offer !== null,
      busy: waits('undo'),
    },
    draw: {
      hidden: !playing || !alone || against,
      disabled:
        game.offer !== null || !game.turns.length || !isStarted(state) || waits('offer-draw'),
    },
    resign: {
      hidden: !playing,
      disabled: waits('resign') || waits('abort'),
      label: mayAbort(state) ? 'Call off' : 'Resign',
    },
    rematch: {
      hidden: !over || !here,
      disabled: asked || waits('rematch'),
      label: asked ? 'Rematch asked' : 'Rematch',
    },
    review: { hidden: !over || game.turns.length === 0, disabled: false },
    analyse: { hidden: you.length > 0 && !over && !exhibition, disabled: false },
    type: { hidden: !playing || !isStarted(state), disabled: false },
  };
};

/** Whether a button can be pressed now. @param {State} state @param {Outbox} box @param {'hint'|'undo'} name */
export const mayPress = (state, box, name) => {
  const { hidden, disabled, busy } = controls(state, box)[name];
  return !hidden && !disabled && !busy;
};

/**
 * The notice above the turn: an invitation, a question, or a note about the link that was opened.
 * @typedef {{kind: 'join', joining: boolean}|{kind: 'invite', secret: string}|{kind: 'question', open: Question,
 *   answering: boolean}|{kind: 'next', id: string}|{kind: 'note', text: string}|{kind: 'stuck', text: string}} Notice
 * @param {State} state @param {Outbox} box @param {string|undefined} invite the secret for a friend
 * @returns {Notice|null}
 */
export const noticeOf = (state, box, invite) => {
  const { game, seat, note, stuck } = state;
  if (stuck && !game.result)
    return { kind: 'stuck', text: `${nameOf(state, game.turn)} cannot play: ${stuck}.` };
  if (seat?.invitation) return { kind: 'join', joining: state.joining };
  if (!isStarted(state) && invite && !state.embed) return { kind: 'invite', secret: invite };
  const open = question(game, youOf(state), askingOf(state));
  const again = open?.kind === 'rematch';
  if (open && !(again && (state.putOff || game.rematch?.id))) {
    const pending = ['accept', 'decline', ...(again ? ['rematch'] : [])];
    return { kind: 'question', open, answering: pending.some((what) => isPending(box, what)) };
  }
  if (game.rematch?.id && youOf(state).length === 0) return { kind: 'next', id: game.rematch.id };
  if (!note) return null;
  const where = youOf(state).length > 0 ? 'at the seat that this browser holds' : 'watching';
  return { kind: 'note', text: `${note} You are ${where}.` };
};

/**
 * Commands that are pending or were refused, in words; turns are shown on the board instead.
 * @param {State} state @param {Outbox} box @param {number} now
 */
export const waiting = ({ told, adopted }, box, now) => {
  const connected = told.kind === 'connected';
  const onBoard = (/** @type {Command} */ one) =>
    one.what === 'move' && (one.own || adopted.has(one.name));
  const late = (/** @type {Command} */ one) =>
    one.phase === 'refused' || !connected || now - one.at > SOON;
  return box.commands
    .filter((one) => !onBoard(one) && late(one))
    .map((one) => ({
      name: one.name,
      phase: one.phase,
      words: progress(one, connected),
    }));
};

/**
 * An unanswered turn that was played on another page, or before this one was loaded.
 * @param {State} state @param {Outbox} box
 */
export const turnToAdopt = (state, box) => {
  const turn = pendingTurn(box);
  if (!turn || turn.own || state.adopted.has(turn.name) || !mayPlay(state)) return null;
  return turn.fields.board_seq === state.game.board_seq ? turn : null;
};

/**
 * What a seat's bar shows.
 * @param {State} state @param {1|2} player @param {import('../program/views.js').View|null} seen
 */
export const seatOf = (state, player, seen) => {
  const { game, info, presence } = state;
  const [name, colour, seat] = [
    nameOf(state, player),
    info.players[player - 1],
    game.seats[player - 1],
  ];
  const you = youOf(state).length === 1 && isMine(state, player);
  const count = seen?.players[player - 1];
  const reserve = count?.reserve != null ? `, ${count.reserve} in hand` : '';
  const person = (seat.kind === 'person' || seat.kind === 'open') && seat.joined !== false;
  const away = person && !you && presence?.seats[player - 1] === false;
  const winner = game.result?.winner === player;
  return {
    name: you ? (name === colour || name === 'You' ? 'You' : `${name} (you)`) : name,
    about: [
      (name !== colour || you) && colour,
      away && 'offline',
      count && `${count.count}${reserve}`,
    ]
      .filter(Boolean)
      .join(' · '),
    tint: count?.tint ?? '',
    turn: !game.result && game.turn === player,
    winner,
  };
};

/**
 * The announcement after another event; events close together are announced together.
 * @param {State} state @param {string} words @param {number} now
 */
export const announcedWith = ({ announced }, words, now) => ({
  words: now - announced.at < TOGETHER ? `${announced.words} ${words}` : words,
  at: now,
});

/**
 * Whether the page is out of sync with what the server has just said.
 * @param {State} state @param {{seq: number, board_seq?: number}} hello
 */
export const differs = ({ game }, hello) =>
  hello.seq < game.seq ||
  (hello.seq === game.seq && hello.board_seq !== undefined && hello.board_seq !== game.board_seq);
