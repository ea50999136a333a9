/**
 * Recognises a pasted text: a position or a record, and of which game. All functions are pure.
 *
 * @template Info
 * @typedef {{info: Info, open?: () => string, reason?: string}} Reading
 *   a text read as a particular game: its analysis, or the reason why it cannot be
 */

/**
 * The kind of a text, judging by its form, and the game that it names.
 * @param {string} text @returns {{kind: 'record'|'sgf'|'json'|'turns'|'line', game: string|null}}
 */
export const kindOf = (text) => {
  if (/^\{\s*"/.test(text))
    return { kind: 'json', game: /"game"\s*:\s*"([^"]*)"/.exec(text)?.[1] ?? null };
  if (/^\(\s*;/.test(text))
    return { kind: 'sgf', game: /\bGM\s*\[([^\]]*)\]/.exec(text)?.[1] ?? null };
  // Tags, several lines, a comment, or the number of the first turn.
  const record = /^\[[A-Z]\w*\s|^\{|\n|^1\s*[.…]/.test(text) && !isTerm(text);
  // Turns without numbers; a position would have slashes between its rows.
  if (!record && !isTerm(text) && !text.includes('/')) return { kind: 'turns', game: null };
  return record
    ? { kind: 'record', game: /^\[Game\s+"([^"]*)"\]/m.exec(text)?.[1] ?? null }
    : { kind: 'line', game: null };
};

/**
 * A pasted record as the program reads it: with its game, its result, and without commas between turns.
 * @param {string} text @param {string} game the game that it is read as @param {boolean} untold whether the record does
 *   not say which game it is of
 */
export const recordText = (text, game, untold) => {
  if (kindOf(text).kind === 'sgf') return untold ? text.replace(/^\(\s*;/, `$&GM[${game}]`) : text;
  const ended = /(1-0|0-1|1\/2-1\/2|\*)$/.test(text) ? text : `${withoutCommas(text)} *`;
  if (!untold) return ended;
  return `[Game "${game}"]\n${ended.startsWith('[') ? '' : '\n'}${ended}`;
};

/** Removes commas between turns, but not in comments and tags. @param {string} text */
const withoutCommas = (text) =>
  text.replace(/\{[^}]*\}|"(?:[^"\\]|\\.)*"|,/g, (part) => (part === ',' ? ' ' : part));

/** Whether a text is a Prolog term: `gamestate(…)`, a list, or either after a name. @param {string} text */
const isTerm = (text) =>
  /^(\w+\s*=\s*)?(\w+\(|\[\s*[[\w])/.test(text) && !/^\[[A-Z]\w*\s+"/.test(text);

/**
 * What to do after a text was read as each game: open it, ask which game is meant, or say what is wrong.
 * @template {{name: string}} Info
 * @param {Reading<Info>[]} readings @param {Info|null} prefer the game that is meant when several could be
 * @returns {{open: () => string}|{ask: Reading<Info>[], wrong: string}|{wrong: string}}
 */
export const judged = (readings, prefer) => {
  const found = readings.filter(({ open }) => open);
  const one = found.length === 1 ? found[0] : found.find(({ info }) => info === prefer);
  if (one?.open) return { open: one.open };
  if (found.length > 1) return { ask: found, wrong: 'Several games can read this. Which is it?' };
  const [first, ...others] = readings;
  if (others.every(({ reason }) => reason === first.reason)) return { wrong: first.reason ?? '' };
  return { ask: readings, wrong: 'None of the games can read this. Which is it meant for?' };
};
