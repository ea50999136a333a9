// Looks at every page in a real Chromium: pictures at seven sizes in both themes and at one in the colours of a system
// that forces its own, and axe-core's findings.
//   node server/web-tests/look.mjs ADDRESS FOLDER [PAGE…]
// ADDRESS is where `quadrille serve` or a static site is; pictures go to FOLDER. It fails if axe-core finds something,
// if a page is wider than its window, if a board or a button of a turn is not wholly seen, or if a script fails.
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import puppeteer from 'puppeteer-core';

const [address, folder, ...only] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Width, height, and how many pixels of the device one of the page is. */
const SIZES = [
  [360, 640],
  [390, 844],
  [844, 390],
  [1024, 700],
  [1280, 800],
  [1920, 1080],
  [640, 400, 2],
];

const PAGES = {
  home: '/',
  'home-new': '/?new=glaisher',
  learn: '/learn',
  lesson: '/learn/glaisher/2',
  puzzles: '/puzzles',
  'puzzles-of': '/puzzles/gekitai',
  puzzle: '/puzzles/six-making/12',
  results: '/results',
  'result-first': '/results/gekitai',
  'result-open': '/results/six-making',
  result: '/results/jeson-mor',
  analyse: '/analysis',
  analysis: '/analysis/jeson-mor',
  'analysis-turns': '/analysis/gekitai#a1,f6,c3,f3',
  editors: '/editor',
  editor: '/editor/glaisher',
  rules: '/rules/gekitai',
  'rules-all': '/rules/all',
  missing: '/rules/none',
  'game-glaisher': '/play#glaisher',
  'game-gekitai': '/play#gekitai',
  'game-jeson-mor': '/play#jeson-mor',
  'game-six-making': '/play#six-making',
  'game-menu': '/play#gekitai',
  settings: '/play#jeson-mor',
  stages: '/play#glaisher',
  'lesson-stages': '/learn/glaisher/3',
  'puzzle-stages': '/puzzles/glaisher/1',
  'analysis-stages': '/analysis/glaisher',
  over: '/play#six-making',
  table: '/{id}',
  embed: '/embed/{id}',
};

/** Begins a turn. */
const beginTurn = (page) => page.click('.cells button.grab');

/** What is done before a page is looked at. */
const DEEDS = {
  'game-menu': (page) => page.click('#more'),
  settings: (page) => page.evaluate(() => document.getElementById('settings').showPopover()),
  'lesson-stages': beginTurn,
  'puzzle-stages': beginTurn,
  'analysis-stages': beginTurn,
  stages: async (page) => {
    await beginTurn(page);
    await page.hover('.chips button:nth-child(2)');
  },
  over: async (page) => {
    // In the second theme it is over already.
    if (await page.$('.stage.over')) return;
    await page.click('#more');
    await page.click('#resign');
    await page.click('dialog .primary');
    await page.waitForSelector('.stage.over');
  },
};

/** The looks: a scheme of colours, whether the system forces its own, and the sizes. */
const LOOKS = {
  light: ['light', 'none', SIZES],
  dark: ['dark', 'none', SIZES],
  forced: ['dark', 'active', [[1280, 800]]],
};

/** Makes a game of each kind against the computer, as anybody makes it, and tells their addresses. */
const makeGames = async (page) => {
  const made = {};
  for (const game of Object.values(PAGES).flatMap((path) => path.split('/play#')[1] ?? [])) {
    if (made[game]) continue;
    await page.goto(`${address}/?new=${game}`);
    await page.waitForSelector('#start');
    await Promise.all([page.waitForNavigation(), page.click('#start')]);
    made[game] = new URL(page.url()).hash;
  }
  return made;
};

/** Makes a game between people, which only a server has. */
const makeTable = async () => {
  const answer = await fetch(`${address}/api/games`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      game: 'glaisher',
      seats: [
        { kind: 'person', name: 'Johannes Sebastian Widdershoven Senior' },
        { kind: 'person', name: 'Bo' },
      ],
      clock: { kind: 'days', days: 3 },
    }),
  }).catch(() => null);
  return answer?.ok ? (await answer.json()).id : null;
};

/** What a turn needs and is not wholly seen. */
const unseen = (page) =>
  page.evaluate(() =>
    ['main.table .board', '#stage-play', '.chips', '.bar', '#clock-1', '#clock-2'].filter((one) => {
      const node = document.querySelector(one);
      if (!node || node.offsetParent === null) return false;
      const { left, right, top, bottom, width } = node.getBoundingClientRect();
      return (
        width > 0 && (left < 0 || top < 0 || right > innerWidth + 1 || bottom > innerHeight + 1)
      );
    }),
  );

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--force-prefers-reduced-motion'],
});
const faults = [];
mkdirSync(folder, { recursive: true });
const page = await browser.newPage();
let where = '';
page.on('pageerror', (error) => faults.push(`${where}: ${error.message}`));
page.on('console', (message) => {
  // Files that a developer may change are not kept, and a page that is missing is looked at on purpose.
  const expected = /fetching the script|status of 404/.test(message.text());
  if (message.type() === 'error' && !expected) faults.push(`${where}: ${message.text()}`);
});
const client = await page.createCDPSession();
const games = await makeGames(page);
const table = await makeTable();

for (const [theme, [scheme, forced, sizes]] of Object.entries(LOOKS)) {
  const features = { 'prefers-color-scheme': scheme, 'forced-colors': forced };
  await client.send('Emulation.setEmulatedMedia', {
    features: Object.entries(features).map(([name, value]) => ({ name, value })),
  });
  for (const [name, path] of Object.entries(PAGES)) {
    if (only.length > 0 && !only.includes(name)) continue;
    if (path.includes('{id}') && !table) continue;
    where = `${name} ${theme}`;
    await page.setViewport({ width: 1280, height: 800 });
    const [before, game] = path.split('/play#');
    await page.goto('about:blank');
    await page.goto(address + (game ? `/play${games[game]}` : before.replace('{id}', table)));
    await page.waitForSelector('main[data-ready]');
    await DEEDS[name]?.(page);
    await new Promise((resolve) => {
      setTimeout(resolve, 400);
    });
    await page.evaluate(axe);
    // Colours that the system forces are not those that axe-core reads.
    const rules = { 'color-contrast': { enabled: forced === 'none' } };
    const found = await page.evaluate((some) => window.axe.run({ rules: some }), rules);
    for (const { id, nodes } of found.violations)
      faults.push(
        `${where}: axe ${id}: ${nodes
          .map((node) => node.target)
          .slice(0, 3)
          .join(' ')}`,
      );
    for (const [width, height, scale = 1] of sizes) {
      await page.setViewport({ width, height, deviceScaleFactor: scale });
      await new Promise((resolve) => {
        setTimeout(resolve, 80);
      });
      await page.screenshot({ path: `${folder}/${name}-${width}x${height}-${theme}.png` });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wide > 0) faults.push(`${where}: ${wide} px wider than a window of ${width}×${height}`);
      for (const one of await unseen(page))
        faults.push(`${where}: ${one} is not wholly seen at ${width}×${height}`);
    }
  }
}
await browser.close();
console.log(faults.length === 0 ? 'nothing found' : faults.join('\n'));
process.exitCode = faults.length === 0 ? 0 : 1;
