/** Converts the form for a new game to a request. All functions are pure. */

/** The available clocks, by the value of their field. */
export const CLOCKS = [
  ['none', 'No clock'],
  ['60+1', '1 min + 1 s'],
  ['180+2', '3 min + 2 s'],
  ['300+3', '5 min + 3 s'],
  ['600+5', '10 min + 5 s'],
  ['1800+20', '30 min + 20 s'],
  ['d1', '1 day a turn'],
  ['d3', '3 days a turn'],
  ['d7', '7 days a turn'],
];

/** @param {string} value */
export const clockOf = (value) => {
  if (value === 'none') return { kind: 'none' };
  if (value.startsWith('d')) return { kind: 'days', days: Number(value.slice(1)) };
  const [seconds, increment] = value.split('+').map(Number);
  return { kind: 'time', seconds, increment };
};

/** @param {string} value a level or a player of the original program, by the value of its field */
const computerSeat = (value) => {
  const [kind, which] = value.split(':');
  return kind === 'level' ? { kind, level: Number(which) } : { kind, player: which };
};

/**
 * The request for the values of the form.
 * @param {import('../program/views.js').GameInfo} info @param {Record<string, string>} values @param {string|null}
 *   position
 * @param {boolean} first whether the user moves first, if only one of the seats is theirs
 */
export const requestOf = (info, values, position, first) => {
  const name = values.name?.trim();
  const me = { kind: 'person', ...(name ? { name } : {}) };
  const pair = (/** @type {object} */ other) => (first ? [me, other] : [other, me]);
  const seats = {
    computer: () => pair(computerSeat(values.one)),
    screen: () => info.players.map((player) => ({ kind: 'person', name: player })),
    link: () => pair({ kind: 'open' }),
    watch: () => [computerSeat(values.one), computerSeat(values.two)],
  }[/** @type {'computer'|'screen'|'link'|'watch'} */ (values.mode)]();
  return {
    game: info.id,
    seats,
    shared: values.mode === 'screen',
    clock: values.mode === 'watch' ? { kind: 'none' } : clockOf(values.clock),
    ...(position ? { position } : { options: optionsOf(info, values) }),
  };
};

/**
 * The options that differ from the defaults.
 * @param {import('../program/views.js').GameInfo} info @param {Record<string, string>} values
 */
const optionsOf = (info, values) =>
  Object.fromEntries(
    info.options.flatMap((option) => {
      const value = values[`option.${option.name}`];
      if (value === undefined || value === String(option.default)) return [];
      return [[option.name, option.values.find((one) => String(one) === value)]];
    }),
  );

/**
 * Whether a game can be kept in the browser: correspondence games and friends on other screens need a server.
 * @param {string} mode @param {{kind: string}} clock
 */
export const isForHere = (mode, clock) => mode !== 'link' && clock.kind !== 'days';
