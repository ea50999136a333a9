/**
 * Commands on their way to the server. Pure: a box and what happened go in, a box comes out.
 *
 * Each command has a name, so that it may be sent as often as it takes: the server does it once and repeats its
 * answer. A command stays in the box until it is answered. Commands are sent one at a time, in order.
 *
 * @typedef {{name: string, what: string, fields: Record<string, any>, at: number}} Wish what a player wants,
 *   as it is kept
 * @typedef {Wish & {phase: 'waiting'|'sent'|'refused', own: boolean, tries: number, after: number, reason?: string,
 *   field?: string}} Command `own` was given on this page; `after` is the earliest time of the next try
 * @typedef {{commands: Command[]}} Outbox
 * @typedef {{status: number, error: string, field?: string}} Refusal
 */

/** @type {Outbox} */
export const EMPTY = { commands: [] };

/** How often a command is tried again when something breaks inside the server. */
const MOST_TRIES = 4;

/** The longest pause before a command is tried again, in milliseconds. */
const LONGEST_PAUSE = 5_000;

/** @param {Outbox} box @param {string} name @param {(command: Command) => Command} change @returns {Outbox} */
const changed = (box, name, change) => ({
  commands: box.commands.map((one) => (one.name === name ? change(one) : one)),
});

/** @param {Outbox} box @param {string} name */
export const find = (box, name) => box.commands.find((one) => one.name === name);

/**
 * Puts a command in; one that is there already stays as it is.
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
 * What is to be sent now: the first that waits, unless an answer is awaited.
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

/** Whether a refusal says "not now" rather than "no". @param {Refusal} refusal @param {number} tries */
export const passes = ({ status }, tries) =>
  status === 429 || status === 503 || (status >= 500 && tries < MOST_TRIES);

/**
 * A refusal that passes leaves the command waiting.
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
 * After a lost connection nobody knows whether what was sent has arrived: it is sent again.
 * @param {Outbox} box @returns {Outbox}
 */
export const reconnected = (box) => ({
  commands: box.commands.map((one) =>
    one.phase === 'sent' ? { ...one, phase: 'waiting', after: 0 } : { ...one, after: 0 },
  ),
});

/** Forgets a command that needs no more attention. @param {Outbox} box @param {string} name @returns {Outbox} */
export const forgotten = acknowledged;

/** Forgets all refusals: something else has happened since. @param {Outbox} box @returns {Outbox} */
export const moved = (box) => ({ commands: box.commands.filter((one) => one.phase !== 'refused') });

/**
 * Another page of this browser has had the answer; a page still waits for the answers to its own commands.
 * @param {Outbox} box @param {string} name @returns {Outbox}
 */
export const answeredElsewhere = (box, name) =>
  find(box, name)?.own ? box : acknowledged(box, name);

/** Those not yet answered. @param {Outbox} box */
export const pending = (box) => box.commands.filter((one) => one.phase !== 'refused');

/** The turn that is not yet answered. @param {Outbox} box */
export const pendingTurn = (box) => pending(box).find((one) => one.what === 'move') ?? null;

/** @param {Outbox} box @param {string} what */
export const isPending = (box, what) => pending(box).some((one) => one.what === what);

/** A command as the browser keeps it. @param {Wish} wish */
export const written = ({ name, what, fields, at }) => JSON.stringify({ name, what, fields, at });

/** What was kept, or null if it is no command. @param {string|null} text @returns {Wish|null} */
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
