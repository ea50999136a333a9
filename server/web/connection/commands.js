/**
 * The commands of a page: kept by the browser until they are answered, and shared by all its pages of the same seat.
 * A page that is closed or crashes loses none; another page, or the same one later, sends them.
 */
import { keysOf, writeTo } from '../common/storage.js';
import * as outbox from './outbox.js';

/** What the keys of a game's commands begin with. @param {string} game */
export const outboxOf = (game) => `quadrille.outbox.${game}.`;

/** A name for a command that nobody else gives. */
export const freshName = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');

/**
 * @param {{game: string, who: string, storage: Storage, onChange: () => void, now?: () => number}} where
 */
export const createCommands = ({ game, who, storage, onChange, now = Date.now }) => {
  const prefix = `${outboxOf(game)}${who}.`;
  let box = outbox.EMPTY;
  /** @type {Map<string, {resolve: (answer: any) => void, reject: (error: Error) => void}>} */
  const asking = new Map();
  let last = 0;

  const drop = (/** @type {string} */ name) => storage.removeItem(prefix + name);

  const change = (/** @type {outbox.Outbox} */ next) => {
    if (next === box) return;
    box = next;
    onChange();
  };

  const load = () => {
    for (const key of keysOf(storage, prefix)) {
      const wish = outbox.read(storage.getItem(key));
      if (wish) box = outbox.enqueue(box, wish, false);
      else storage.removeItem(key);
    }
  };
  load();

  /** @param {string} name @param {any} message */
  const settle = (name, message) => {
    const one = asking.get(name);
    asking.delete(name);
    if (message.type === 'ack') one?.resolve(message);
    else
      one?.reject(
        Object.assign(new Error(message.error), { status: message.status, field: message.field }),
      );
  };

  /** @param {string} name @returns {Promise<any>} */
  const answerTo = (name) => {
    const answer = new Promise((resolve, reject) => asking.set(name, { resolve, reject }));
    // Not everybody waits for the answer.
    answer.catch(() => {});
    return answer;
  };

  return {
    box: () => box,
    /**
     * Gives a command. It resolves when the server has done it.
     * @param {string} what @param {Record<string, any>} fields @returns {Promise<any>}
     */
    give: (what, fields = {}) => {
      // Two commands of the same millisecond keep their order.
      last = Math.max(now(), last + 1);
      const wish = { name: freshName(), what, fields, at: last };
      // A browser that keeps nothing still sends it, as long as the page is open.
      writeTo(storage, prefix + wish.name, outbox.written(wish));
      const answer = answerTo(wish.name);
      change(outbox.enqueue(box, wish));
      return answer;
    },
    /** The next message to send, which counts as sent from now on. */
    take: () => {
      const next = outbox.due(box, now());
      if (!next) return null;
      change(outbox.sent(box, next.name));
      return { type: 'command', do: next.what, command: next.name, ...next.fields };
    },
    /** An answer of the server. @param {any} message */
    answered: (message) => {
      const { command: name } = message;
      if (!outbox.find(box, name)) return;
      if (message.type === 'ack') {
        drop(name);
        change(outbox.acknowledged(box, name));
        settle(name, message);
        return;
      }
      change(outbox.refused(box, name, message, now()));
      if (outbox.find(box, name)?.phase !== 'refused') return;
      drop(name);
      settle(name, message);
    },
    /** The answer to a command that another page gave, or this one before it was loaded. */
    answerTo,
    reconnected: () => change(outbox.reconnected(box)),
    forget: (/** @type {string} */ name) => change(outbox.forgotten(box, name)),
    moved: () => {
      if (box.commands.some((one) => one.phase === 'refused')) change(outbox.moved(box));
    },
    /** Another page has written to the storage. @param {{key: string|null, newValue: string|null}} event */
    stored: ({ key, newValue }) => {
      if (!key?.startsWith(prefix)) return;
      const name = key.slice(prefix.length);
      const wish = outbox.read(newValue);
      change(wish ? outbox.enqueue(box, wish, false) : outbox.answeredElsewhere(box, name));
      if (!outbox.find(box, name)) settle(name, { type: 'ack' });
    },
  };
};

/** How many commands of a game wait in the browser. @param {Storage} storage @param {string} game */
export const waitingFor = (storage, game) => keysOf(storage, outboxOf(game)).length;
