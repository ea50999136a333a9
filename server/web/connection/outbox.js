/**
 * Commands on their way to the server. Pure: functions from an outbox and an event to a new outbox.
 *
 * Each command has an id, which makes it idempotent: however often it is sent, the server executes it once and repeats
 * its answer. A command stays in the outbox until it is answered. Commands are sent one at a time, in order.
 *
 * @typedef {{name: string, what: string, fields: Record<string, any>, at: number}} Wish a command as
 *   it is stored
 * @typedef {Wish & {phase: 'waiting'|'sent'|'refused', own: boolean, tries: number, after: number, reason?: string,
 *   field?: string}} Command `own` if it was issued on this page; `after` is the earliest time for the next try
 * @typedef {{commands: Command[]}} Outbox
 * @typedef {{status: number, error: string, field?: string}} Refusal
 */

/** @type {Outbox} */
export const EMPTY = { commands: [] };

/** How often a command is retried after an internal error of the server. */
const MOST_TRIES = 4;

/** The longest delay before a retry, in milliseconds. */
const LONGEST_PAUSE = 5_000;

/** @param {Outbox} box @param {string} name @param {(command: Command) => Command} change @returns {Outbox} */
const changed = (box, name, change) => ({
  commands: box.commands.map((one) => (one.name === name ? change(one) : one)),
});

/** @param {Outbox} box @param {string} name */
export const find = (box, name) => box.commands.find((one) => one.name === name);

/**
 * Adds a command, unless it is there already.
 * @param {Outbox} box @param {Wish} wish @param {boolean} own @returns {Outbox}
 */
export const enqueue = (box, wish, own = true) => {
  if (find(box, wish.name)) return box;
  const commands = [
    ...box.commands,
    { ...wish, own, phase: /** @type {const} */ ('waiting'), tries: 0, after: 0 },
  ];
  return { commands: commands.sort((a, b) => a.at - b.at) };
};

/**
 * The command to send now: the first one waiting, unless another has not been answered yet.
 * @param {Outbox} box @param {number} now @returns {Command|null}
 */
export const due = (box, now) => {
  const open = box.commands.filter((one) => one.phase !== 'refused');
  const [first] = open;
  if (!first || open.some((one) => one.phase === 'sent') || first.after > now) return null;
  return first;
};

/** @param {Outbox} box @param {string} name @returns {Outbox} */
export const sent = (box, name) =>
  changed(box, name, (one) => ({ ...one, phase: 'sent', tries: one.tries + 1 }));

/** @param {Outbox} box @param {string} name @returns {Outbox} */
export const acknowledged = (box, name) => ({
  commands: box.commands.filter((one) => one.name !== name),
});

/** Whether a refusal is temporary. @param {Refusal} refusal @param {number} tries */
export const passes = ({ status }, tries) =>
  status === 429 || status === 503 || (status >= 500 && tries < MOST_TRIES);

/**
 * After a temporary refusal the command is retried.
 * @param {Outbox} box @param {string} name @param {Refusal} refusal @param {number} now @returns {Outbox}
 */
export const refused = (box, name, refusal, now) =>
  changed(box, name, (one) => {
    if (passes(refusal, one.tries))
      return {
        ...one,
        phase: 'waiting',
        after: now + Math.min(LONGEST_PAUSE, 400 * 2 ** one.tries),
      };
    return { ...one, phase: 'refused', reason: refusal.error, field: refusal.field };
  });

/**
 * After a lost connection it is not known whether a sent command has arrived, so it is sent again.
 * @param {Outbox} box @returns {Outbox}
 */
export const reconnected = (box) => ({
  commands: box.commands.map((one) =>
    one.phase === 'sent' ? { ...one, phase: 'waiting', after: 0 } : { ...one, after: 0 },
  ),
});

/** Removes a command that needs no more attention. @param {Outbox} box @param {string} name @returns {Outbox} */
export const forgotten = acknowledged;

/** Removes all refused commands: something else has happened since. @param {Outbox} box @returns {Outbox} */
export const moved = (box) => ({ commands: box.commands.filter((one) => one.phase !== 'refused') });

/**
 * Another page got the answer. The page that issued the command keeps it, since it waits for the answer itself.
 * @param {Outbox} box @param {string} name @returns {Outbox}
 */
export const answeredElsewhere = (box, name) =>
  find(box, name)?.own ? box : acknowledged(box, name);

/** The unanswered commands. @param {Outbox} box */
export const pending = (box) => box.commands.filter((one) => one.phase !== 'refused');

/** The unanswered turn. @param {Outbox} box */
export const pendingTurn = (box) => pending(box).find((one) => one.what === 'move') ?? null;

/** @param {Outbox} box @param {string} what */
export const isPending = (box, what) => pending(box).some((one) => one.what === what);

/** A command as it is stored. @param {Wish} wish */
export const written = ({ name, what, fields, at }) => JSON.stringify({ name, what, fields, at });

/** Parses a stored command; null if it is malformed. @param {string|null} text @returns {Wish|null} */
export const read = (text) => {
  try {
    const { name, what, fields, at } = JSON.parse(text ?? 'null') ?? {};
    const good =
      typeof name === 'string' &&
      typeof what === 'string' &&
      typeof fields === 'object' &&
      fields !== null &&
      Number.isFinite(at);
    return good ? { name, what, fields, at } : null;
  } catch {
    return null;
  }
};
