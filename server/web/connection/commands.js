/**
 * A page's commands, stored in the browser until they are answered, and shared by all pages with the same seat. If a
 * page crashes or is closed, another one, or the same one later, sends them.
 */
import { keysOf, writeTo } from '../common/storage.js';
import * as outbox from './outbox.js';

/** The prefix of the storage keys of a game's commands. @param {string} game */
export const outboxOf = (game) => `quadrille.outbox.${game}.`;

/** A unique command id. */
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
    // Avoid unhandled rejections: not every caller waits for the answer.
    answer.catch(() => {});
    return answer;
  };

  return {
    box: () => box,
    /**
     * Issues a command. Resolves when the server has executed it.
     * @param {string} what @param {Record<string, any>} fields @returns {Promise<any>}
     */
    give: (what, fields = {}) => {
      // Keeps two commands in the same millisecond in order.
      last = Math.max(now(), last + 1);
      const wish = { name: freshName(), what, fields, at: last };
      // If the browser cannot store it, it is still sent while the page is open.
      writeTo(storage, prefix + wish.name, outbox.written(wish));
      const answer = answerTo(wish.name);
      change(outbox.enqueue(box, wish));
      return answer;
    },
    /** The next message to send, which is marked as sent. */
    take: () => {
      const next = outbox.due(box, now());
      if (!next) return null;
      change(outbox.sent(box, next.name));
      return { type: 'command', do: next.what, command: next.name, ...next.fields };
    },
    /** Handles an answer from the server. @param {any} message */
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
    /** Resolves with the answer to a command issued by another page, or before this one was loaded. */
    answerTo,
    reconnected: () => change(outbox.reconnected(box)),
    forget: (/** @type {string} */ name) => change(outbox.forgotten(box, name)),
    moved: () => {
      if (box.commands.some((one) => one.phase === 'refused')) change(outbox.moved(box));
    },
    /**
     * Handles a storage event: another page has changed something.
     * @param {{key: string|null, newValue: string|null}} event
     */
    stored: ({ key, newValue }) => {
      if (!key?.startsWith(prefix)) return;
      const name = key.slice(prefix.length);
      const wish = outbox.read(newValue);
      change(wish ? outbox.enqueue(box, wish, false) : outbox.answeredElsewhere(box, name));
      if (!outbox.find(box, name)) settle(name, { type: 'ack' });
    },
  };
};

/** How many of a game's commands have not been answered. @param {Storage} storage @param {string} game */
export const waitingFor = (storage, game) => keysOf(storage, outboxOf(game)).length;
