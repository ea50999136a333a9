// Every state in which a page can be looked at, by name: where it is, and what is done there first. states.test.mjs
// reads the kinds of notices, tries, lessons and dialogs from the pages' code, and fails if one has no state here.
//
// A state is a path, or a function of the tools in `look.mjs` that opens a page; then its `deed` is run.

/** Begins a turn. */
const beginTurn = (page) => page.click('.cells button.grab');

/** Waits until a text of the page says something. */
const says = (page, css, words) =>
  page.waitForFunction(
    (where, text) => document.querySelector(where)?.textContent.includes(text),
    { timeout: 30_000 },
    css,
    words,
  );

const shown = (page, css) => page.waitForSelector(css, { visible: true, timeout: 30_000 });

/** Plays a turn by typing. */
const type = async (page, turn) => {
  await shown(page, '.cells');
  await page.waitForFunction(() => !document.querySelector('#move-text')?.readOnly);
  await page.$eval('#move-text', (field, text) => (field.value = text), turn);
  await page.$eval('.entry', (form) => form.requestSubmit());
};

/** Two people at a server's game, of whom the first is here. */
const people = (more = {}) => ({
  game: 'gekitai',
  seats: [
    { kind: 'person', name: 'Johannes Sebastian Widdershoven Senior' },
    { kind: 'person', name: 'Bo' },
  ],
  clock: { kind: 'days', days: 3 },
  ...more,
});

/** Opens a game of people at the first seat, and gives its id and secrets. */
const sitDown = async ({ open, post }, more) => {
  const made = await post('/api/games', people(more));
  await open(`/${made.id}#${made.tokens[0]}`);
  return made;
};

/** A command of a seat. */
const command = ({ post }, { id, tokens }, seat, what, fields = {}) =>
  post(`/api/games/${id}/commands`, { type: what, ...fields }, tokens[seat - 1]);

/** A new player of the server. */
const player = ({ post }, name) =>
  post('/api/players', { name: `${name} ${Date.now() % 1_000_000}` });

const BY_MAIL = { game: 'six-making', options: { size: 4 }, clock: { kind: 'days', days: 3 } };

/** Two players meet in the lobby and play; each has another challenge there. Gives the game and their keys. */
const meet = async (tools) => {
  const { post } = tools;
  const [one, two] = [await player(tools, 'Wilhelmina Widder'), await player(tools, 'Bo')];
  const made = await post('/api/lobby', { ...BY_MAIL, side: 'first' }, one.key);
  const { game } = await post(`/api/lobby/${made.challenge.id}`, {}, two.key);
  await post('/api/lobby', { ...BY_MAIL, side: 'second' }, one.key);
  await post('/api/lobby', { ...BY_MAIL, options: {}, rated: true }, two.key);
  return { game, keys: [one.key, two.key], id: one.id };
};

/** The same, and the game is over. */
const played = async (tools) => {
  const met = await meet(tools);
  const send = (seat, fields) =>
    tools.post(`/api/games/${met.game}/commands`, fields, met.keys[seat - 1]);
  await send(1, { type: 'move', turn: 'a1' });
  await send(2, { type: 'move', turn: 'b2' });
  await send(2, { type: 'resign' });
  return met;
};

const CORNER = 'f6';

/**
 * @typedef {{at: string|((tools: any) => Promise<any>), deed?: (page: any, tools: any) => Promise<any>,
 *   server?: boolean}} State
 * @type {Record<string, string|State>}
 */
export const STATES = {
  home: '/',
  'home-new': '/?new=glaisher',
  learn: '/learn',
  puzzles: '/puzzles',
  'puzzles-of': '/puzzles/gekitai',
  results: '/results',
  analyse: '/analysis',
  editors: '/editor',
  editor: '/editor/glaisher',
  rules: '/rules/gekitai',
  'rules-all': '/rules/all',
  docs: '/docs',
  lobby: { server: true, at: '/lobby' },
  'lobby-full': {
    server: true,
    at: async (tools) => {
      await meet(tools);
      await tools.open('/lobby');
    },
    deed: (page) => shown(page, 'tr[data-id]'),
  },
  'home-people': {
    server: true,
    at: async (tools) => {
      await meet(tools);
      await tools.open('/');
    },
    deed: (page) => Promise.all([shown(page, '#lobby tr'), shown(page, '#watched .live svg')]),
  },
  archive: { server: true, at: '/archive' },
  'archive-found': {
    server: true,
    at: async (tools) => {
      await played(tools);
      await tools.open('/archive?game=six-making');
    },
    deed: (page) => shown(page, 'tbody tr'),
  },
  missing: '/rules/none',
  failed: { server: true, at: ({ open }) => open('/zzzzzzzz', '.empty') },
  atlas: '/results/gekitai/atlas',
  player: {
    server: true,
    at: async (tools) => {
      const { id } = await played(tools);
      await tools.open(`/player/${id}`);
    },
    deed: (page) => shown(page, 'tbody tr'),
  },
  'home-games': {
    at: async ({ device, open }) => {
      await device('glaisher');
      await device('gekitai');
      await open('/');
    },
    deed: (page) => shown(page, '#mine-title'),
  },
  toast: {
    at: '/analysis/gekitai#zz',
    deed: async (page) => {
      await shown(page, '#toast');
      // Its timer removes the original, not this copy.
      await page.$eval('#toast', (node) => node.replaceWith(node.cloneNode(true)));
    },
  },
  'new-version': {
    at: ({ prepared }) =>
      prepared(() => {
        const waiting = { postMessage: () => {} };
        const worker = {
          ...{ controller: {}, addEventListener: () => {} },
          register: async () => ({ waiting, addEventListener: () => {} }),
        };
        Object.defineProperty(navigator, 'serviceWorker', { value: worker });
      }, '/learn'),
    deed: (page) => shown(page, '#new-version'),
  },

  // Games of this browser, and a turn in the making.
  'game-glaisher': { at: ({ device }) => device('glaisher') },
  'game-gekitai': { at: ({ device }) => device('gekitai') },
  'game-jeson-mor': { at: ({ device }) => device('jeson-mor') },
  'game-six-making': { at: ({ device }) => device('six-making') },
  'game-menu': { at: ({ device }) => device('gekitai'), deed: (page) => page.click('#more') },
  settings: {
    at: ({ device }) => device('jeson-mor'),
    deed: (page) => page.evaluate(() => document.getElementById('settings').showPopover()),
  },
  stages: {
    at: ({ device }) => device('glaisher'),
    deed: async (page) => {
      await beginTurn(page);
      await page.hover('.chips button:nth-child(2)');
    },
  },
  'stages-by-digit': {
    at: ({ device }) => device('glaisher'),
    deed: async (page) => {
      await page.click('#cell-a2');
      await page.keyboard.press('2');
      await says(page, '.stages', '2+4');
    },
  },
  'no-coordinates': {
    at: ({ device }) => device('gekitai'),
    deed: async (page) => {
      await page.evaluate(() => document.getElementById('settings').showPopover());
      await page.$eval('#settings .flag:last-child input', (input) => input.click());
      await page.evaluate(() => document.getElementById('settings').hidePopover());
      await page.waitForSelector('.no-coordinates');
    },
  },
  hint: {
    at: ({ device }) => device('glaisher'),
    deed: async (page) => {
      await page.click('#hint');
      await shown(page, '#advice');
    },
  },
  wrong: {
    at: ({ device }) => device('gekitai'),
    deed: async (page) => {
      await type(page, 'z9');
      await says(page, '#move-error', 'z9');
    },
  },
  over: {
    at: ({ device }) => device('six-making'),
    deed: async (page) => {
      await page.click('#more');
      await page.click('#resign');
      await page.click('dialog .primary');
      await shown(page, '.stage.over');
    },
  },
  zen: {
    at: ({ device }) => device('gekitai'),
    deed: (page) => page.keyboard.press('z'),
  },

  full: {
    at: ({ device }) => device('gekitai'),
    deed: async (page) => {
      await page.evaluate(() => {
        Storage.prototype.setItem = () => {
          throw new DOMException('full', 'QuotaExceededError');
        };
      });
      await type(page, 'c3');
      await says(page, '#move-error', 'no room');
    },
  },

  // A server that is not there.
  offline: {
    server: true,
    at: async (tools) => {
      const { id } = await sitDown(tools);
      // Firefox pretends to be offline, but leaves open what is open.
      await tools.prepared(() => {
        const Own = WebSocket;
        window.WebSocket = class extends Own {
          /** @param {string} address */
          constructor(address) {
            super(address);
            addEventListener('offline', () => this.close());
          }
        };
      }, `/${id}`);
    },
    deed: async (page) => {
      await page.setOfflineMode(true);
      await shown(page, '.connection.lost[data-kind=offline]');
    },
  },
  link: {
    server: true,
    at: '/archive',
    deed: async (page) => {
      await page.setOfflineMode(true);
      await page.$eval('#archive-search', (search) => search.requestSubmit());
      await shown(page, '#link');
    },
  },
  away: {
    server: true,
    at: async (tools) => {
      const made = await sitDown(tools);
      await tools.silence(`/api/games/${made.id}`);
      // As the service worker has it, which knows no boards of the server.
      await tools.prepared(
        () =>
          addEventListener('DOMContentLoaded', () =>
            document.getElementById('main')?.replaceChildren(),
          ),
        `/${made.id}`,
        '#away',
      );
    },
  },

  // Notices of a game on a server.
  'notice-join': {
    server: true,
    at: async ({ open, post }) => {
      const open_ = { kind: 'open' };
      const made = await post('/api/games', people({ seats: [people().seats[0], open_] }));
      await open(`/${made.id}#${made.tokens[1]}`);
    },
    deed: (page) => shown(page, '#join'),
  },
  'notice-invite': {
    server: true,
    at: ({ open }) => open('/?new=gekitai'),
    deed: async (page) => {
      await page.$eval('input[value=link]', (input) => input.click());
      await Promise.all([page.waitForNavigation(), page.click('#start')]);
      await shown(page, '#invite-link');
    },
  },
  'notice-question': {
    server: true,
    at: async (tools) => {
      const made = await sitDown(tools);
      await command(tools, made, 1, 'move', { turn: 'c3' });
      await command(tools, made, 2, 'offer-draw');
    },
    deed: (page) => shown(page, '#accept'),
  },
  'notice-next': {
    server: true,
    at: async (tools) => {
      const made = await tools.post('/api/games', people());
      await command(tools, made, 1, 'move', { turn: 'c3' });
      await command(tools, made, 2, 'resign');
      await command(tools, made, 1, 'rematch');
      await command(tools, made, 2, 'rematch');
      await tools.open(`/${made.id}`);
    },
    deed: (page) => shown(page, '#to-rematch'),
  },
  'notice-note': {
    server: true,
    at: async ({ open, post }) => open(`/${(await post('/api/games', people())).id}#nothing`),
    deed: (page) => shown(page, '#seat-note'),
  },
  'notice-stuck': {
    at: ({ device }) => device('gekitai'),
    deed: async (page) => {
      // The rules have theirs by now; a computer that gets no Worker cannot think.
      await page.click('#flip');
      await page.waitForSelector('#seat-1.top');
      await page.evaluate(() => {
        window.Worker = class {
          constructor() {
            throw new Error('no more Workers');
          }
        };
      });
      await type(page, 'c3');
      await shown(page, '#stuck');
    },
  },
  premove: {
    server: true,
    at: async (tools) => {
      const made = await sitDown(tools);
      await command(tools, made, 1, 'move', { turn: 'c3' });
    },
    deed: async (page) => {
      await says(page, '#prompt', 'Bo to move');
      await page.waitForSelector('.board [data-piece]');
      await page.click(`#cell-${CORNER}`);
      await says(page, '#prompt', 'played next');
    },
  },
  'seat-choice': {
    server: true,
    at: async ({ open, post }) => {
      const made = await post('/api/games', people());
      await open(`/${made.id}#${made.tokens[0]}`);
      await open(`/${made.id}#${made.tokens[1]}`, '#choose-seat');
    },
  },
  table: {
    server: true,
    at: async ({ open, post }) =>
      open(`/${(await post('/api/games', people({ game: 'glaisher' }))).id}`),
  },
  embed: {
    server: true,
    at: async ({ open, post }) =>
      open(`/embed/${(await post('/api/games', people())).id}`, '.board svg'),
  },
  ended: {
    server: true,
    at: async (tools) => {
      const made = await sitDown(tools);
      await command(tools, made, 1, 'move', { turn: 'c3' });
      await command(tools, made, 2, 'resign');
    },
    deed: async (page) => {
      await shown(page, '#rematch');
      await page.click('#rematch');
    },
  },

  // Dialogs, and what lies over a page.
  'dialog-keys': { at: '/analysis/gekitai', deed: (page) => page.keyboard.press('?') },
  'dialog-described': {
    at: ({ device }) => device('glaisher'),
    deed: async (page) => {
      await page.keyboard.press('b');
      await shown(page, '#described');
    },
  },
  'dialog-links': {
    server: true,
    at: (tools) => sitDown(tools),
    deed: async (page) => {
      await page.click('#more');
      await page.click('#share');
    },
  },
  'dialog-greet': {
    server: true,
    at: (tools) => sitDown(tools),
    deed: async (page) => {
      await page.click('#more');
      await page.click('#greet-open');
      await shown(page, '#greet');
    },
  },
  'dialog-key': {
    server: true,
    at: '/lobby',
    deed: async (page) => {
      const name = `Ann${Date.now() % 1_000_000}`;
      await page.$eval('#player-name', (field, text) => (field.value = text), name);
      await page.$eval('#register', (form) => form.requestSubmit());
      await shown(page, '#key-open');
      await page.click('#key-open');
      await shown(page, '#key');
    },
  },
  'dialog-record': {
    at: '/analysis/gekitai#a1,f6,c3,f3',
    deed: async (page) => {
      await page.click('#tab-tools');
      await page.click('#export');
      await shown(page, '#record');
    },
  },
  'dialog-confirm': {
    at: ({ device }) => device('gekitai'),
    deed: async (page) => {
      await page.click('#more');
      await page.click('#resign');
    },
  },
  'rules-panel': {
    at: ({ device }) => device('gekitai'),
    deed: async (page) => {
      await page.click('#more');
      await page.click('#rules-open');
      await shown(page, '#rules-panel article');
    },
  },

  // Lessons.
  'lesson-begins': '/learn/glaisher/2',
  'lesson-stages': { at: '/learn/glaisher/3', deed: beginTurn },
  'lesson-missed': { at: '/learn/gekitai/2', deed: (page) => lesson(page, CORNER, 'Not quite') },
  'lesson-done': { at: '/learn/gekitai/2', deed: (page) => lesson(page, 'b3', 'Well done') },
  'lesson-playing': {
    at: '/learn/gekitai/2',
    deed: async (page) => {
      await lesson(page, 'b3', 'Well done');
      await page.click('#lesson-game');
      await says(page, '.task', 'small game');
    },
  },
  'lesson-answering': {
    at: '/learn/gekitai/2',
    deed: async (page) => {
      await STATES['lesson-playing'].deed(page);
      // A novice that never answers.
      await page.evaluate(() => {
        window.Worker = class {
          addEventListener() {}
          postMessage() {}
          terminate() {}
        };
      });
      await type(page, 'e5');
      await says(page, '#prompt', 'thinks');
    },
  },

  // Puzzles.
  'puzzle-begins': '/puzzles/six-making/12',
  'puzzle-stages': { at: '/puzzles/glaisher/1', deed: beginTurn },
  'puzzle-wrong': {
    at: '/puzzles/gekitai/1',
    deed: async (page, { solution }) => {
      const [right] = await solution('gekitai', 1);
      await shown(page, '.cells button.grab');
      const names = await page.$$eval('.cells button.grab', (all) =>
        all.map(({ id }) => id.slice(5)),
      );
      await type(
        page,
        names.find((name) => name !== right),
      );
      await says(page, '#puzzle-words', 'answers');
    },
  },
  'puzzle-right': {
    at: '/puzzles/gekitai/1',
    deed: async (page, { solution }) => {
      await type(page, (await solution('gekitai', 1))[0]);
      await says(page, '#puzzle-words', 'Right');
    },
  },
  'puzzle-solved': {
    at: '/puzzles/gekitai/1',
    deed: async (page, { solve }) => {
      await solve(page, 'gekitai', 1, type);
      await says(page, '#puzzle-words', 'Solved');
    },
  },
  'puzzle-shown': {
    at: '/puzzles/glaisher/1',
    deed: async (page) => {
      await page.click('#puzzle-solution');
      await shown(page, '.turns [data-ply="1"]');
    },
  },
  'puzzle-helped': {
    at: '/puzzles/glaisher/3',
    deed: async (page) => {
      await page.click('#puzzle-hint');
      await shown(page, '.marks .hint');
    },
  },

  // Results.
  'result-first': '/results/gekitai',
  'result-open': '/results/six-making',
  result: '/results/jeson-mor',
  'result-playing': {
    at: '/results/gekitai',
    deed: async (page) => {
      await page.click('#begin');
      await shown(page, '.turns [data-ply="1"]');
    },
  },
  'result-practice': {
    at: '/results/gekitai',
    deed: async (page) => {
      await page.click('#practise');
      await type(page, 'c3');
      await shown(page, '.turns [data-ply="2"]');
    },
  },

  // Analysis and review.
  analysis: '/analysis/jeson-mor',
  'analysis-turns': '/analysis/gekitai#a1,f6,c3,f3',
  'analysis-stages': { at: '/analysis/glaisher', deed: beginTurn },
  'analysis-import': {
    at: '/analysis',
    deed: async (page) => {
      await page.$eval('#import-text', (field) => (field.value = 'c3 d4 zz'));
      await page.click('#import');
      await page.waitForFunction(() => document.querySelector('#import-error')?.textContent);
    },
  },
  'analysis-dropped': {
    at: '/analysis',
    deed: async (page) => {
      await page.evaluate(() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(['[Game "gekitai"]\n\n1. c3 d4 2. a1 f6\n'], 'game.txt'));
        const drop = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
        document.body.dispatchEvent(drop);
      });
      await says(page, '#moves', 'f6');
    },
  },
  'analysis-sketched': {
    at: '/analysis/gekitai',
    deed: async (page) => {
      for (const [from, to] of [
        ['#cell-a2', '#cell-d4'],
        ['#cell-f6', '#cell-f6'],
      ]) {
        const [begin, end] = await Promise.all(
          [from, to].map(async (css) => (await page.$(css)).clickablePoint()),
        );
        await page.mouse.move(begin.x, begin.y);
        await page.mouse.down({ button: 'right' });
        await page.mouse.move(end.x, end.y);
        await page.mouse.up({ button: 'right' });
      }
      await page.waitForSelector('.marks .sketch-ring');
    },
  },
  'editor-wrong': {
    at: '/editor/gekitai',
    deed: async (page) => {
      await page.$eval('#edit-text', (field) => (field.value = '7/6/6/6/6/6 1'));
      await page.click('#edit-read');
      await page.waitForFunction(() => document.querySelector('#edit-error')?.textContent);
    },
  },
  review: { at: '/analysis/gekitai#a1,f6,b1,f3,c1', deed: (page) => reviewed(page) },
  'review-asked': {
    at: '/analysis/gekitai#a1,f6,b1,f3,c1',
    deed: async (page) => {
      await reviewed(page);
      await page.click('#next-mistake');
      await page.click('#retry');
      await shown(page, '#moment-show');
    },
  },
  'review-shown': {
    at: '/analysis/gekitai#a1,f6,b1,f3,c1',
    deed: async (page) => {
      await STATES['review-asked'].deed(page);
      await page.click('#moment-show');
      await says(page, '#moment', 'Better than');
    },
  },
};

/** Tries a lesson's task. */
const lesson = async (page, cell, words) => {
  await shown(page, `#cell-${cell}.grab`);
  await page.click(`#cell-${cell}`);
  await says(page, '#lesson-words', words);
};

/** Has the engine go over the game. */
const reviewed = async (page) => {
  await page.click('#tab-review');
  await page.click('#review-start');
  await says(page, '#live', 'Review done');
};

/**
 * What has no state of its own, and why.
 * @type {Record<string, string>}
 */
export const LIKE = {
  'lesson-won': 'drawn like lesson-done',
  'lesson-lost': 'drawn like lesson-missed',
  'lesson-drawn': 'drawn like lesson-missed',
  'puzzle-late': 'drawn like puzzle-wrong',
};
