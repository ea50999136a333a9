/** A connection that comes back by itself: it resumes after the last event, and repeats what was not answered. */

const SLOWEST = 10_000;

/** A new word for each command, so that a repeated one is known. */
const word = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * @param {string} id
 * @param {{token: string|null, seq: () => number, onEvent: (event: any) => void, onState: (state: 'open'|'lost') => void,
 *   onPresence: (presence: any) => void, onHello: (hello: any) => void}} hooks
 */
export const connect = (id, { token, seq, onEvent, onState, onPresence, onHello }) => {
  /** @type {Map<string, {message: any, resolve: (answer: any) => void, reject: (error: Error) => void}>} */
  const waiting = new Map();
  /** @type {WebSocket|null} */
  let socket = null;
  let tries = 0;
  let closed = false;
  /** @type {any} */
  let timer = null;
  let greeted = false;

  const settle = (/** @type {any} */ message) => {
    const asked = waiting.get(message.command);
    if (!asked) return;
    waiting.delete(message.command);
    if (message.type === 'ack') asked.resolve(message);
    else asked.reject(Object.assign(new Error(message.error), { status: message.status }));
  };

  const receive = (/** @type {MessageEvent} */ { data }) => {
    const message = JSON.parse(data);
    if (message.type === 'event') {
      if (message.seq > seq()) onEvent(message);
    } else if (message.type === 'hello') {
      greeted = true;
      onHello(message);
      for (const { message: again } of waiting.values()) socket?.send(JSON.stringify(again));
    } else if (message.type === 'presence') onPresence(message);
    else settle(message);
  };

  const open = () => {
    clearTimeout(timer);
    if (closed) return;
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    greeted = false;
    const mine = new WebSocket(`${scheme}://${location.host}/api/games/${id}/socket?after=${seq()}`);
    socket = mine;
    mine.onopen = () => {
      tries = 0;
      onState('open');
      if (token) mine.send(JSON.stringify({ type: 'hello', token }));
    };
    mine.onmessage = receive;
    mine.onclose = (event) => {
      if (socket !== mine || closed) return;
      socket = null;
      onState('lost');
      // Some haste at first, then more and more patience, never in step with others.
      const wait = event.code === 1008 ? SLOWEST : Math.min(SLOWEST, 300 * 2 ** tries++);
      timer = setTimeout(open, wait * (0.7 + 0.6 * Math.random()));
    };
  };

  const hurry = () => {
    if (!closed && socket === null) { tries = 0; open(); }
  };
  addEventListener('online', hurry);
  document.addEventListener('visibilitychange', () => { if (!document.hidden) hurry(); });
  open();

  return {
    /** Sends a command until it is answered. @param {string} what @param {any} [fields] @returns {Promise<any>} */
    send: (what, fields = {}) =>
      new Promise((resolve, reject) => {
        const command = word();
        const message = { type: 'command', do: what, command, ...fields };
        waiting.set(command, { message, resolve, reject });
        if (greeted && socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
      }),
    close: () => { closed = true; clearTimeout(timer); socket?.close(); },
    waiting: () => waiting.size,
  };
};
