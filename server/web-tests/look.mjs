// Looks at every state of every page (states.mjs) in a real Chromium or Firefox: pictures at eight sizes in both themes,
// and at one with forced colours, with axe-core's findings.
//   node server/web-tests/look.mjs [--quick] [--firefox] ADDRESS FOLDER [STATE…]
// With --quick only a phone and a laptop in the light theme.
// ADDRESS is where `quadrille serve` or a static site is; pictures go to FOLDER. It fails if axe-core finds something,
// if a page is wider than its window, if a board or a button of a turn is not wholly visible, or if a script fails.
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import puppeteer from 'puppeteer-core';
import { CHROMIUM, FIREFOX } from './drivers.mjs';
import { STATES } from './states.mjs';

const words = process.argv.slice(2);
const quick = words.includes('--quick');
const [address, folder, ...only] = words.filter((word) => !word.startsWith('--'));
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Width, height, and how many pixels of the device one of the page is. */
const SIZES = [
  [360, 640],
  [390, 844],
  [844, 390],
  [768, 1024],
  [1024, 700],
  [1280, 800],
  [1920, 1080],
  [640, 400, 2],
];

/** The looks: a scheme of colours, whether the system forces its own, and the sizes. */
const LOOKS = quick
  ? { light: ['light', 'none', [SIZES[0], SIZES[4]]] }
  : {
      light: ['light', 'none', SIZES],
      dark: ['dark', 'none', SIZES],
      forced: ['dark', 'active', [[1280, 800]]],
    };

/** Sends something to the server; nothing where there is none. */
const post = async (path, body, token) => {
  const headers = { 'content-type': 'application/json' };
  if (token) headers.authorization = `Bearer ${token}`;
  const answer = await fetch(address + path, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return answer.json();
};

/** What states are made with. */
const tools = (page) => {
  /** Runs a function in the next document, before its own scripts. */
  const before = async (prepare) => {
    const { identifier } = await page.evaluateOnNewDocument(prepare);
    return () => page.removeScriptToEvaluateOnNewDocument(identifier);
  };
  const open = async (path, sight = 'main[data-ready]') => {
    await page.goto('about:blank');
    await page.goto(address + path);
    await page.waitForSelector(sight);
  };
  const solution = async (game, number) =>
    (await post('/api/puzzle', { game, number, solution: true })).solution;
  return {
    open,
    post,
    solution,
    /** Opens a page whose scripts find things as a function has left them. */
    prepared: async (prepare, path, sight) => {
      const undo = await before(prepare);
      await open(path, sight).finally(undo);
    },
    /** Leaves requests to addresses with this part without an answer. */
    silence: async (part) => {
      await page.setRequestInterception(true);
      page.on('request', (request) => {
        if (!request.url().includes(part)) request.continue();
      });
    },
    /** A game of this browser against the computer, as anybody makes it. */
    device: async (game) => {
      await open(`/?new=${game}`);
      await page.waitForSelector('#start');
      await Promise.all([page.waitForNavigation(), page.click('#start')]);
      await page.waitForSelector('main[data-ready]');
    },
    /** Solves a puzzle, whatever the defence. */
    solve: async (at, game, number, play) => {
      const puzzle = await post('/api/puzzle', { game, number, solution: true });
      for (let n = 0; n < puzzle.within; n += 1) {
        await at.waitForSelector('#prompt.mine');
        const turns = await at.$$eval('.turns [data-ply]', (all) =>
          all.map((one) => one.textContent),
        );
        const place = { game, position: puzzle.view.text, turns };
        const turn = n === 0 ? puzzle.solution[0] : (await post('/api/hint', place)).engine.turn;
        await play(at, turn);
        await at.waitForFunction(
          (count) =>
            document.querySelectorAll('.turns [data-ply]').length > count ||
            /Solved/.test(document.querySelector('#puzzle-words').textContent),
          {},
          turns.length + (n + 1 < puzzle.within ? 1 : 0),
        );
      }
    },
  };
};

/** What a turn needs and is not wholly seen: outside the window, or covered by something that was not opened. */
const unseen = (page) =>
  page.evaluate(() => {
    const whole = ['main.table .board', '#stage-play', '.chips', '.bar', '#clock-1', '#clock-2'];
    const shown = (node) => node?.checkVisibility({ visibilityProperty: true });
    const outside = whole.filter((one) => {
      const node = document.querySelector(one);
      if (!shown(node)) return false;
      const { left, right, top, bottom, width } = node.getBoundingClientRect();
      return (
        width > 0 && (left < 0 || top < 0 || right > innerWidth + 1 || bottom > innerHeight + 1)
      );
    });
    // On a phone the toolbar stays where the thumb is, whatever is shown above it.
    const bar = document.querySelector('main.table:not(.reader, .embed) > .side > .bar');
    const isTall = bar && getComputedStyle(bar.parentElement).display === 'contents';
    if (isTall && shown(bar) && innerHeight - bar.getBoundingClientRect().bottom > 2)
      outside.push('the toolbar, which has left its place,');
    // Whoever sees a solution or a proof's turns can step through them.
    if (
      document.querySelector('.reader .turns li') &&
      !document.querySelector('.stage.begun') &&
      !shown(document.querySelector('#nav-back'))
    )
      outside.push('the way through the turns');
    // Two lines of what a tab shows can be read without scrolling.
    const panel = document.querySelector('.tabbox > [role=tabpanel]:not([hidden])');
    if (shown(panel) && panel.clientHeight < 48)
      outside.push(`the panel of a tab, ${panel.clientHeight} px high,`);
    // A dialog, a menu and a message lie over the page on purpose.
    const over = document.querySelector(
      'dialog[open], [popover]:popover-open, #more-menu:not([hidden]), #toast',
    );
    if (over) {
      const { left, right, top, bottom } = over.getBoundingClientRect();
      const [inside, next] = [left >= 0 && top >= 0, right <= innerWidth && bottom <= innerHeight];
      const ways = [...over.querySelectorAll('form > .row:last-child button')];
      const below = ways.filter((way) => way.getBoundingClientRect().bottom > innerHeight);
      return [
        ...outside,
        ...(inside && next ? [] : [over.id]),
        ...below.map(({ id }) => id || 'a way on'),
      ];
    }
    const needed = [
      ...['.seat', '#prompt.mine', '#stage-play', '.bar button', '.bar a', '.clock'],
      ...['.cells button.grab', '.cells button.target'],
    ];
    const covered = [...document.querySelectorAll(needed.join(','))].filter((node) => {
      if (!shown(node)) return false;
      const { left, right, top, bottom, width, height } = node.getBoundingClientRect();
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      const inside = x > 0 && y > 0 && x < innerWidth && y < innerHeight;
      // A list that is scrolled hides what is not its turn.
      if (!inside || width === 0 || height === 0) return false;
      const hits = [
        [x, y],
        // Cells of a hexagon have no corners.
        ...(node.closest('.cells')
          ? []
          : [
              [x, top + 3],
              [x, bottom - 3],
            ]),
      ];
      return hits.some((at) => {
        const hit = document.elementFromPoint(...at);
        return hit && !node.contains(hit) && !hit.contains(node);
      });
    });
    const names = covered.map((node) => `${node.id || node.className || node.localName} (covered)`);
    return [...outside, ...new Set(names)];
  });

/** A Chromium that shows a look. */
const openChromium = async (scheme, forced) => {
  const browser = await puppeteer.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--force-prefers-reduced-motion'],
  });
  const page = await browser.newPage();
  const features = { 'prefers-color-scheme': scheme, 'forced-colors': forced };
  const client = await page.createCDPSession();
  await client.send('Emulation.setEmulatedMedia', {
    features: Object.entries(features).map(([name, value]) => ({ name, value })),
  });
  return page;
};

/** A Firefox that shows a look, which it takes from its settings. */
const openFirefox = async (scheme, forced) => {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: FIREFOX,
    extraPrefsFirefox: {
      'ui.prefersReducedMotion': 1,
      'ui.systemUsesDarkTheme': scheme === 'dark' ? 1 : 0,
      'layout.css.prefers-color-scheme.content-override': scheme === 'dark' ? 0 : 1,
      'browser.display.document_color_use': forced === 'active' ? 2 : 1,
    },
  });
  return browser.newPage();
};

const launch = words.includes('--firefox') ? openFirefox : openChromium;
const faults = [];
mkdirSync(folder, { recursive: true });
let where = '';

// Files that a developer may change are not cached, a missing page and a wrong secret are visited on purpose, and taking a
// picture styles the page, which no page allows.
const EXPECTED = /fetching the script|status of 40[14]|ERR_INTERNET|WebSocket|wss?:|inline style/;

/** Notes what goes wrong in a page's scripts. Firefox calls a failed connection an error of the page. */
const heed = (page) => {
  const note = (text) => {
    if (!EXPECTED.test(text)) faults.push(`${where}: ${text}`);
  };
  page.on('pageerror', (error) => note(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') note(message.text());
  });
};
const hasServer = (await fetch(`${address}/api/health`).catch(() => null))?.ok === true;

for (const [theme, [scheme, forced, sizes]] of Object.entries(LOOKS)) {
  const page = await launch(scheme, forced);
  heed(page);
  for (const [name, state] of Object.entries(STATES)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const { at, deed, server = false } = typeof state === 'string' ? { at: state } : state;
    if (server && !hasServer) continue;
    where = `${name} ${theme}`;
    await page.setViewport({ width: 1280, height: 800 });
    page.removeAllListeners('request');
    await page.setRequestInterception(false);
    await page.setOfflineMode(false);
    // One state must not see what another has stored.
    if (page.url().startsWith(address)) await page.evaluate(() => localStorage.clear());
    try {
      await (typeof at === 'string' ? tools(page).open(at) : at(tools(page)));
      await deed?.(page, tools(page));
    } catch (error) {
      faults.push(`${where}: cannot be made: ${error.message.split('\n')[0]}`);
      continue;
    }
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
  await page.browser().close();
}
console.log(faults.length === 0 ? 'nothing found' : faults.join('\n'));
process.exitCode = faults.length === 0 ? 0 : 1;
