/**
 * The state machine of a page's connection. Pure: it takes a state and an event, and returns a new state and what to
 * do. It touches no socket and no timer; its driver tells it the time.
 *
 * @typedef {'down'|'opening'|'open'|'greeted'} Link
 * @typedef {{link: Link, since: number, ticked: number, pingAt: number, answerBy: number|null, retryAt: number,
 *   tries: number,
 *   ever: boolean, online: boolean, visible: boolean, answering: boolean, restarting: boolean}} State
 *   `ever` is whether it has ever been connected; `answering` whether HTTP requests are answered
 * @typedef
 *   {'start'|'opened'|'greeted'|'answer'|'restart'|'closed'|'renew'|'tick'|'online'|'offline'|
 *   'shown'|'hidden'|'requests-fail'|'requests-answered'} Kind
 * @typedef {{type: Kind, code?: number}} Happening
 * @typedef {'connect'|'drop'|'ping'} Order
 * @typedef {{kind: 'connected'|'connecting'|'reconnecting'|'offline'|'restarting', words: string}} Told
 */

/** The interval of the driver's ticks. */
export const TICK = 500;

/**
 * A ping is sent this long after the last answer, and must be answered in time, so that a dead connection is noticed
 * within ten seconds.
 */
const PING_AFTER = 4_000;
const ANSWER_WITHIN = 4_500;

/** After the device wakes up, a connection is probably dead, so it has to prove quickly that it is not. */
const AWAKE_WITHIN = 2_500;

/** How long a connection may take to open and greet. */
const OPEN_WITHIN = 6_000;

/** A gap between two ticks that is too long for a delay: the device must have slept. */
const ASLEEP = 4_000;

/** The longest delay before reconnecting, for a visible page and for a hidden one. */
const SLOWEST = 5_000;
const SLOWEST_HIDDEN = 20_000;

/** The server's close code for exceeding a limit. */
const PAST_A_LIMIT = 1008;

/** The server's close code for a restart. */
const RESTARTING = 1012;

/** @param {number} now @param {{online?: boolean, visible?: boolean}} [where] @returns {State} */
export const initial = (now, { online = true, visible = true } = {}) => ({
  link: 'down',
  since: now,
  ticked: now,
  pingAt: now,
  answerBy: null,
  retryAt: now,
  tries: 0,
  ever: false,
  online,
  visible,
  answering: true,
  restarting: false,
});

/** @param {State} state @param {number} now @returns {[State, Order[]]} */
const connectNow = (state, now) => [
  { ...state, link: 'opening', since: now, answerBy: null },
  ['connect'],
];

/** @param {State} state @param {number} now @param {Order[]} [before] @returns {[State, Order[]]} */
const connectFresh = (state, now, before = []) => {
  const [next, orders] = connectNow({ ...state, tries: 0 }, now);
  return [next, [...before, ...orders]];
};

/**
 * Delays grow with every attempt, with jitter so that clients do not reconnect in step.
 * @param {State} state @param {number} now @param {number} random 0 to 1 @param {number} [least] @returns {State}
 */
const rest = (state, now, random, least = 0) => {
  const slowest = state.visible ? SLOWEST : SLOWEST_HIDDEN;
  const pause = Math.max(least, Math.min(slowest, 300 * 2 ** state.tries)) * (0.6 + 0.4 * random);
  return {
    ...state,
    link: 'down',
    since: now,
    answerBy: null,
    retryAt: now + pause,
    tries: Math.min(state.tries + 1, 10),
  };
};

const isOpen = (/** @type {State} */ { link }) => link === 'open' || link === 'greeted';

/**
 * Sends a ping at once.
 * @param {State} state @param {number} now @param {number} within @returns {[State, Order[]]}
 */
const askNow = (state, now, within) => {
  const by = now + within;
  return [
    {
      ...state,
      pingAt: now,
      answerBy: state.answerBy === null ? by : Math.min(state.answerBy, by),
    },
    ['ping'],
  ];
};

/**
 * The network may have changed.
 * @param {State} state @param {number} now @returns {[State, Order[]]}
 */
const reconsider = (state, now) => {
  if (state.link === 'down') return connectFresh(state, now);
  if (state.link === 'opening')
    return now - state.since < 1_000 ? [state, []] : connectFresh(state, now, ['drop']);
  return askNow(state, now, AWAKE_WITHIN);
};

/** @param {State} state @param {number} now @param {number} random @returns {[State, Order[]]} */
const tick = (state, now, random) => {
  const slept = now - state.ticked > ASLEEP;
  const next = { ...state, ticked: now };
  if (slept)
    return next.answerBy !== null && now >= next.answerBy
      ? connectFresh(next, now, ['drop'])
      : reconsider(next, now);
  if (next.link === 'down') return now >= next.retryAt ? connectNow(next, now) : [next, []];
  if (next.link !== 'greeted' && now - next.since >= OPEN_WITHIN)
    return [rest(next, now, random), ['drop']];
  if (next.answerBy !== null && now >= next.answerBy) return [rest(next, now, random), ['drop']];
  if (isOpen(next) && next.answerBy === null && now - next.pingAt >= PING_AFTER)
    return askNow(next, now, ANSWER_WITHIN);
  return [next, []];
};

/**
 * The transition for an event.
 * @param {State} state @param {Happening} event @param {number} now @param {number} random 0 to 1
 * @returns {[State, Order[]]}
 */
export const step = (state, event, now, random = 0.5) => {
  switch (event.type) {
    case 'start':
      return connectNow(state, now);
    case 'opened':
      return [{ ...state, link: 'open', pingAt: now, answerBy: null }, []];
    case 'greeted':
      return [
        {
          ...state,
          link: 'greeted',
          since: now,
          ever: true,
          restarting: false,
          tries: 0,
          pingAt: now,
          answerBy: null,
        },
        [],
      ];
    case 'answer':
      return [{ ...state, pingAt: now, answerBy: null }, []];
    case 'restart':
      return [{ ...state, restarting: true }, []];
    case 'closed': {
      const restarting = state.restarting || event.code === RESTARTING;
      return [
        rest({ ...state, restarting }, now, random, event.code === PAST_A_LIMIT ? SLOWEST : 0),
        [],
      ];
    }
    case 'renew':
      return connectFresh(state, now, ['drop']);
    case 'tick':
      return tick(state, now, random);
    case 'online':
      return reconsider({ ...state, online: true }, now);
    case 'offline':
      return isOpen(state)
        ? askNow({ ...state, online: false }, now, AWAKE_WITHIN)
        : [{ ...state, online: false }, []];
    case 'shown':
      return reconsider({ ...state, visible: true }, now);
    case 'hidden':
      return [{ ...state, visible: false }, []];
    case 'requests-fail':
      return [{ ...state, answering: false }, []];
    case 'requests-answered':
      return state.link === 'down'
        ? connectFresh({ ...state, answering: true }, now)
        : [{ ...state, answering: true }, []];
  }
};

/** The state in words. @param {State} state @returns {Told} */
export const told = (state) => {
  if (state.link === 'greeted' && state.answering) return { kind: 'connected', words: 'Connected' };
  if (!state.online) return { kind: 'offline', words: 'Offline · nothing is lost' };
  if (state.restarting) return { kind: 'restarting', words: 'Server restarting · nothing is lost' };
  if (!state.ever) return { kind: 'connecting', words: 'Connecting…' };
  return { kind: 'reconnecting', words: 'Connection lost · reconnecting…' };
};
