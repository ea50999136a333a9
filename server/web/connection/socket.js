/** A game's socket: drives the connection's state machine, resumes after the last event, and delivers commands. */
import { below } from '../address.js';
import { TICK, initial, step, told } from './connection.js';
import { reach } from './reach.js';

/**
 * @param {string} id
 * @param {{token: () => string|null, seq: () => number, at: () => number|undefined,
 *   commands: () => ReturnType<typeof import('./commands.js').createCommands>|null, onEvent: (event: any) => void,
 *   onGreeting?: (greeting: {seat: 1|2, text: string}) => void, onHello: (hello: any) => void,
 *   onPresence: (presence: any) => void, onClocks: (clocks: any) => void, onGap: () => void, onStranger: () => void,
 *   onState: (state: import('./connection.js').Told) => void}} hooks `seq` and `at` are
 *   the number and the time of the last known event; `onGap` is called if events are missing or the server has lost
 *   some of them, `onStranger` if the server does not know the secret
 */
export const connect = (id, { onGreeting, ...hooks }) => {
  const { token, seq, at, commands, onEvent, onHello, onPresence, onClocks, onGap } = hooks;
  const { onStranger, onState } = hooks;
  let state = initial(Date.now(), { online: navigator.onLine, visible: !document.hidden });
  /** @type {WebSocket|null} */
  let socket = null;
  let words = '';

  const send = (/** @type {any} */ message) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };

  /** Sends what is due. */
  const flush = () => {
    if (state.link !== 'greeted' || socket?.readyState !== WebSocket.OPEN) return;
    const message = commands()?.take();
    if (message) send(message);
  };

  const open = () => {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const last = `after=${seq()}${at() ? `&at=${at()}` : ''}`;
    const path = below(`api/games/${id}/socket`);
    const mine = new WebSocket(`${scheme}://${location.host}${path}?${last}`);
    socket = mine;
    mine.onopen = () => {
      if (socket === mine) {
        happen('opened');
        send({ type: 'hello', ...(token() ? { token: token() } : {}) });
      }
    };
    mine.onmessage = ({ data }) => {
      if (socket === mine) receive(JSON.parse(data));
    };
    mine.onclose = ({ code }) => {
      if (socket === mine) {
        socket = null;
        happen('closed', code);
      }
    };
  };

  const drop = () => {
    const old = socket;
    socket = null;
    // A dead connection would otherwise linger for minutes.
    old?.close();
  };

  const ORDERS = { connect: open, drop, ping: () => send({ type: 'ping' }) };

  /** @param {import('./connection.js').Kind} type @param {number} [code] */
  const happen = (type, code) => {
    const [next, orders] = step(state, { type, code }, Date.now(), Math.random());
    state = next;
    for (const order of orders) ORDERS[order]();
    const now = told(state);
    if (now.words !== words) {
      words = now.words;
      onState(now);
    }
  };

  const receive = (/** @type {any} */ message) => {
    switch (message.type) {
      case 'event':
        if (message.seq === seq() + 1) onEvent(message);
        else if (message.seq > seq()) onGap();
        return;
      case 'reset':
        onGap();
        return;
      case 'presence':
        onPresence(message);
        return;
      case 'greeting':
        onGreeting?.(message);
        return;
      case 'clocks':
        onClocks(message);
        return;
      case 'restart':
        happen('restart');
        return;
      case 'hello':
        commands()?.reconnected();
        happen('greeted');
        reach.hurry();
        onHello(message);
        break;
      case 'pong':
        happen('answer');
        // All events up to this number were sent before the pong, so any that are missing were lost.
        if (message.seq > seq()) onGap();
        break;
      case 'ack':
      case 'refused':
        happen('answer');
        if (message.command) commands()?.answered(message);
        else if (message.status === 401 && state.link === 'open') {
          onStranger();
          send({ type: 'hello' });
        }
        break;
      default:
        happen('answer');
    }
    flush();
  };

  setInterval(() => {
    happen('tick');
    flush();
  }, TICK);
  addEventListener('online', () => {
    happen('online');
    reach.hurry();
  });
  addEventListener('offline', () => happen('offline'));
  addEventListener('pageshow', () => {
    if (!document.hidden) happen('shown');
  });
  document.addEventListener('resume', () => happen('shown'));
  document.addEventListener('visibilitychange', () => {
    happen(document.hidden ? 'hidden' : 'shown');
    if (!document.hidden) reach.hurry();
  });
  addEventListener('storage', (event) => {
    commands()?.stored(event);
    flush();
  });
  reach.watch((answering) => happen(answering ? 'requests-answered' : 'requests-fail'));
  onState(told(state));
  happen('start');

  return {
    flush,
    /** Sends a fixed greeting, if connected. @param {string} word */
    greet: (word) => send({ type: 'greet', word }),
    /** Reconnects with a new token. */
    again: () => happen('renew'),
  };
};
