/**
 * What a pasted text is: a position or a record, and of which game. All functions are pure.
 *
 * @template Info
 * @typedef {{info: Info, open?: () => string, reason?: string}} Reading
 *   a text read as one of a game: the way to its analysis, or why it is none
 */

/**
 * What a text is by its form, and the game that it names.
 * @param {string} text @returns {{kind: 'record'|'json'|'turns'|'line', game: string|null}}
 */
export const kindOf = (text) => {
  if (/^\{\s*"/.test(text))
    return { kind: 'json', game: /"game"\s*:\s*"([^"]*)"/.exec(text)?.[1] ?? null };
  // Tags, several lines, a comment, or the number of a first turn.
  const record = /^\[[A-Z]\w*\s|^\{|\n|^1\s*[.…]/.test(text) && !isTerm(text);
  // Turns without numbers; a position has rows.
  if (!record && !isTerm(text) && !text.includes('/')) return { kind: 'turns', game: null };
  return record
    ? { kind: 'record', game: /^\[Game\s+"([^"]*)"\]/m.exec(text)?.[1] ?? null }
    : { kind: 'line', game: null };
};

/** Whether a text is a Prolog term: `gamestate(…)`, a list, or either behind a name. @param {string} text */
const isTerm = (text) =>
  /^(\w+\s*=\s*)?(\w+\(|\[\s*[[\w])/.test(text) && !/^\[[A-Z]\w*\s+"/.test(text);

/**
 * What follows from reading a text as one of each game: where to go, what to ask, or what is wrong.
 * @template {{name: string}} Info
 * @param {Reading<Info>[]} readings @param {Info|null} prefer the game that is meant when several could be
 * @returns {{open: () => string}|{ask: Reading<Info>[], wrong: string}|{wrong: string}}
 */
export const judged = (readings, prefer) => {
  const found = readings.filter(({ open }) => open);
  const one = found.length === 1 ? found[0] : found.find(({ info }) => info === prefer);
  if (one?.open) return { open: one.open };
  if (found.length > 1) return { ask: found, wrong: 'Several games know this. Which is it?' };
  const [first, ...others] = readings;
  if (others.every(({ reason }) => reason === first.reason)) return { wrong: first.reason ?? '' };
  return { ask: readings, wrong: 'This is right for none of the games. Which is it meant for?' };
};
