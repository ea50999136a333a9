/** The archive of public games: search form, result pages, and players' pages. */
import { below, gameAt, hasServer, pageAt } from '../address.js';
import { button, field, form, select, submit } from '../common/controls.js';
import { complain, el, fill, svg } from '../common/dom.js';
import { Refused } from '../common/refused.js';
import { ago, capital, clockName, plural, spaced } from '../common/text.js';
import { getJson } from '../connection/server.js';
import { catalogue } from '../program/views.js';
import { nameOf } from './boards.js';
import { optionWords } from './challenges.js';
import { me } from './me.js';

const REASONS = [
  ['', 'Any ending'],
  ['rules', 'By the rules'],
  ['resigned', 'Resigned'],
  ['time', 'On time'],
  ['agreed', 'Draw agreed'],
  ['repetition', 'Repetition'],
];

const RESULTS = [
  ['', 'Any result'],
  ['1', 'The first player won'],
  ['2', 'The second player won'],
  ['draw', 'Draw'],
  ['won', 'That player won'],
  ['lost', 'That player lost'],
];

/** A select for an option of a game. @param {import('../program/views.js').Option} option */
const variant = ({ name, values }) =>
  field(
    capital(spaced(name)),
    select({ id: `archive-option-${name}`, 'data-option': name }, [
      { value: '', label: 'Any' },
      ...values.map((value) => ({ value: JSON.stringify(value), label: String(value) })),
    ]),
  );

/** A row of the list. @param {any} game @param {(id: string) => string} nameOfGame */
const row = (game, nameOfGame) => {
  const won = game.result.winner;
  const seat = (/** @type {any} */ one, /** @type {number} */ i) => {
    const name = one.kind === 'player' ? (one.name ?? 'deleted player') : nameOf(one);
    const mark = won === i + 1 ? el('b', name) : el('span', name);
    return one.kind === 'player' && one.name
      ? el('a', { href: pageAt(`player/${one.id}`) }, mark)
      : mark;
  };
  return el(
    'tr',
    el('td', el('a', { href: gameAt(game.id) }, nameOfGame(game.game)), optionWords(game.options)),
    el('td', seat(game.seats[0], 0), ' – ', seat(game.seats[1], 1)),
    el(
      'td',
      won === 'draw' ? 'draw' : `${won === 1 ? '1–0' : '0–1'}`,
      el('small', ` ${game.result.reason}`),
    ),
    el('td', plural(game.turns, 'turn')),
    el('td', clockName(game.clock), game.rated && el('small', ' rated')),
    el('td', el('time', { dateTime: new Date(game.at).toISOString() }, ago(game.at))),
  );
};

/**
 * A list that is loaded page by page.
 * @param {() => Record<string, string>} query @param {(id: string) => string} nameOfGame
 * @param {HTMLElement} [instead] where to go if there is nothing
 */
const pagedList = (query, nameOfGame, instead) => {
  const list = el('tbody');
  const none = el('p.empty-line', { hidden: true }, 'No games found. ', instead);
  const more = button('#more-games', 'More', () => load(next), { hidden: true });
  let next = '';
  const load = async (/** @type {string} */ before) => {
    const fields = Object.entries(query()).filter(([, value]) => value !== '');
    if (before) fields.push(['before', before]);
    try {
      const page = await getJson(`archive?${new URLSearchParams(fields)}`);
      const rows = page.games.map((/** @type {any} */ game) => row(game, nameOfGame));
      if (before) list.append(...rows);
      else fill(list, ...rows);
      next = page.next ?? '';
      more.hidden = !next;
      none.hidden = list.childElementCount > 0 || Boolean(next);
      return page;
    } catch (error) {
      return complain(error);
    }
  };
  return { element: el('div.card.wide', el('table.open', list), none, more), load };
};

/** @param {HTMLElement} main */
export const archivePage = async (main) => {
  if (!hasServer()) throw new Refused(404, 'this site keeps no games between people');
  document.title = 'Archive – Quadrille';
  main.className = 'page archive';
  const shelf = await catalogue();
  const nameOfGame = (/** @type {string} */ id) =>
    shelf.games.find((one) => one.id === id)?.name ?? id;
  const asked = new URLSearchParams(location.search);
  const game = select(
    { id: 'archive-game', onchange: () => showVariants() },
    [
      { value: '', label: 'Any game' },
      ...shelf.games.map(({ id, name }) => ({ value: id, label: name })),
    ],
    asked.get('game') ?? '',
  );
  const reason = select(
    { id: 'archive-reason' },
    REASONS.map(([value, label]) => ({ value, label })),
  );
  const result = select(
    { id: 'archive-result' },
    RESULTS.map(([value, label]) => ({ value, label })),
  );
  const number = (/** @type {string} */ id, /** @type {string} */ name) =>
    el('input', {
      type: 'number',
      id,
      min: '2',
      max: '999',
      placeholder: name,
      'aria-label': name,
    });
  const [least, most] = [number('archive-least', 'At least'), number('archive-most', 'At most')];
  const variants = el('div.lobby-options');
  const showVariants = () => {
    const info = shelf.games.find(({ id }) => id === game.value);
    fill(variants, ...(info?.options ?? []).map(variant));
  };
  const options = () => {
    const picked = [...variants.querySelectorAll('select')].filter(({ value }) => value !== '');
    if (picked.length === 0) return '';
    return JSON.stringify(
      Object.fromEntries(picked.map((one) => [one.dataset.option, JSON.parse(one.value)])),
    );
  };
  const player = el('input', { type: 'text', id: 'archive-player', autocomplete: 'off' });
  const from = el('input', { type: 'date', id: 'archive-from' });
  const to = el('input', { type: 'date', id: 'archive-to' });
  let id = '';
  const day = (/** @type {string} */ value, /** @type {number} */ more) =>
    value ? String(new Date(`${value}T00:00:00`).getTime() + more) : '';
  const query = () => ({
    game: game.value,
    options: options(),
    reason: reason.value,
    result: result.value,
    least_turns: least.value,
    most_turns: most.value,
    player: id,
    from: day(from.value, 0),
    to: day(to.value, 86_399_999),
  });
  const all = el('a', { href: pageAt('archive') }, 'Clear filters');
  const list = pagedList(query, nameOfGame, all);
  const save = el('a.button', { download: 'games.ndjson' }, 'Download all');
  const search = async () => {
    id = '';
    const name = player.value.trim();
    try {
      if (name) ({ id } = await getJson(`players?name=${encodeURIComponent(name)}`));
    } catch (error) {
      complain(error);
      return;
    }
    const fields = Object.entries(query()).filter(([, value]) => value !== '');
    save.href = below(`api/archive/export?${new URLSearchParams(fields)}`);
    await list.load('');
  };
  fill(
    main,
    el('h1', 'Archive'),
    el(
      'p.lead',
      'All finished public games. To see what was played in a position, open Tools in the ',
      el('a', { href: pageAt('analysis') }, 'analysis'),
      '.',
    ),
    form(
      '#archive-search.card.searching',
      search,
      field('Game', game),
      variants,
      field('Player', player),
      field('Result', result),
      el('div.row', submit('.primary', 'Search'), save),
      el(
        'details',
        { open: innerWidth >= 760 },
        el('summary', 'More filters'),
        el(
          'div',
          field('Ending', reason),
          field('Turns', el('div.joined', least, most)),
          field('From', from),
          field('To', to),
        ),
      ),
    ),
    list.element,
  );
  showVariants();
  await search();
};

/** The graph of a rating. @param {{at: number, rating: number}[]} points */
const curve = (points) => {
  const ratings = points.map(({ rating }) => rating);
  const [low, high] = [Math.min(...ratings) - 20, Math.max(...ratings) + 20];
  const width = Math.max(points.length - 1, 1);
  const at = ratings.map((one, i) => `${i} ${((1 - (one - low) / (high - low)) * 100).toFixed(1)}`);
  const words = `Rating over ${plural(points.length, 'game')}: from ${ratings[0]} to ${ratings.at(-1)}`;
  return svg(
    'svg',
    {
      class: 'graph',
      viewBox: `0 0 ${width} 100`,
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': words,
    },
    svg('path', { class: 'curve', d: `M${at.join('L')}` }),
  );
};

/** @param {HTMLElement} main @param {string} id */
export const playerPage = async (main, id) => {
  if (!hasServer()) throw new Refused(404, 'this site keeps no games between people');
  main.className = 'page archive';
  const [shelf, player] = await Promise.all([
    catalogue(),
    getJson(`players/${encodeURIComponent(id)}`),
  ]);
  document.title = `${player.name} – Quadrille`;
  const nameOfGame = (/** @type {string} */ game) =>
    shelf.games.find((one) => one.id === game)?.name ?? game;
  const ratings = Object.entries(player.ratings).map(([game, own]) => {
    const count = el('small', plural(own.games, 'rated game'));
    const box = el(
      'div.card.rating',
      el('b', nameOfGame(game)),
      el(
        'span',
        `${own.rating}${own.provisional ? '?' : ''}`,
        el('small', ` ± ${2 * own.deviation}`),
      ),
      count,
    );
    getJson(`players/${player.id}/ratings/${game}`)
      .then(({ points }) => {
        if (points.length < 2) return;
        const ratings = points.map((/** @type {any} */ { rating }) => rating);
        count.append(`, ${Math.min(...ratings)} to ${Math.max(...ratings)}`);
        box.append(curve(points));
      })
      .catch(() => {});
    return box;
  });
  const own = me();
  const against = el('p');
  const list = pagedList(() => ({ player: player.id }), nameOfGame);
  fill(
    main,
    el('h1', player.name, player.bot && el('small', ' bot')),
    el('p.lead', `Member since ${new Date(player.since).toLocaleDateString()}.`),
    ratings.length > 0 ? el('div.ratings', ...ratings) : el('p.empty-line', 'No rated games yet.'),
    against,
    el('h2', 'Games'),
    list.element,
  );
  await list.load('');
  if (own && own.id !== player.id) {
    const met = await getJson(`archive?player=${own.id}&against=${player.id}&most=1`);
    const [won, drawn, lost] = met.score ?? [0, 0, 0];
    if (won + drawn + lost > 0)
      against.textContent = `Against you: ${lost} won, ${drawn} drawn, ${won} lost.`;
  }
};
