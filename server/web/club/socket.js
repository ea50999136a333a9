/** The lobby's socket, which reconnects by itself. */
import { below } from '../address.js';
import { sleep } from '../connection/reach.js';
import { token } from './me.js';

/** The shortest and longest delay before reconnecting. */
const LEAST = 500;
const MOST = 15_000;
const PING = 25_000;

/**
 * @param {{onMessage: (message: any) => void, onState: (connected: boolean) => void}} hooks
 */
export const visit = ({ onMessage, onState }) => {
  /** @type {WebSocket|null} */
  let socket = null;
  let wait = LEAST;
  const send = (/** @type {any} */ message) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  /** Sends who this is. The server keeps their challenges open as long as the socket. */
  const greet = () => send({ type: 'hello', token: token() });
  const open = () => {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const mine = new WebSocket(`${scheme}://${location.host}${below('api/lobby/socket')}`);
    socket = mine;
    mine.onopen = () => {
      wait = LEAST;
      onState(true);
      greet();
    };
    mine.onmessage = ({ data }) => onMessage(JSON.parse(data));
    mine.onclose = async () => {
      onState(false);
      await sleep(wait * (0.5 + Math.random()));
      wait = Math.min(MOST, 2 * wait);
      open();
    };
  };
  setInterval(() => send({ type: 'ping' }), PING);
  open();
  return { greet };
};
