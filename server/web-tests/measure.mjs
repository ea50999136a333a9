// Measures the pages in a real Chromium, cold, with a blank page beside them:
//   node server/web-tests/measure.mjs ADDRESS [RUNS] [PROGRAM]
// For each page, at full and at a quarter of the speed: the largest contentful paint, when the page is ready, when a real
// tap on the first cell that can be tapped has been drawn, requests and bytes. Then a tap with 300 ms of network latency.
// With the path of PROGRAM, the engine in the page beside the native one. Medians of several runs; numbers of a busy
// machine mean nothing.
import { execFileSync } from 'node:child_process';
import puppeteer from 'puppeteer-core';

const [address, runs = '5', program] = process.argv.slice(2);
/** A game between people on the server, with its secrets; nothing where there is no server. */
const makeTable = () =>
  fetch(`${address}/api/games`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ game: 'gekitai', seats: [{ kind: 'person' }, { kind: 'person' }] }),
  }).then(
    (answer) => (answer.ok ? answer.json() : null),
    () => null,
  );
const hasServer = (await makeTable()) !== null;
/** Whether the pages play by themselves; those of version 0.1 did not, and had no puzzles. */
const alone = (await (await fetch(address)).text()).includes('.webmanifest');
const PAGES = {
  blank: '/robots.txt',
  home: '/',
  analysis: '/analysis/gekitai',
  ...(alone ? { puzzles: '/puzzles/gekitai/1', game: '/play' } : {}),
  ...(hasServer ? { 'game of a server': '/' } : {}),
};

const median = (/** @type {number[]} */ all) => all.sort((a, b) => a - b)[all.length >> 1];

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});

/** A game of this browser, made as anybody makes it. */
const makeGame = async (page) => {
  await page.goto(`${address}/?new=gekitai`);
  await page.waitForSelector('#start');
  await Promise.all([page.waitForNavigation(), page.click('#start')]);
  await page.waitForSelector('main[data-ready]');
  return new URL(page.url()).hash;
};

/** Taps the first cell that can be tapped, with the mouse, and tells when that is on the screen. */
const firstTap = async (page) => {
  const options = { timeout: 60_000, polling: 5 };
  const at = await page.waitForFunction(() => window.tappable, options);
  await page.mouse.click(...(await at.jsonValue()));
  await page.waitForFunction(() => window.drawn > 0, options);
  return page.evaluate(() => window.drawn);
};

/** Opens a page with nothing kept but what is stored, and tells what it took. */
const once = async (name, path, slower, latency = 0) => {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  let hash = '';
  if (name === 'game of a server') {
    // The first tap is a turn, so each visit has a game of its own.
    const { id, tokens } = await makeTable();
    hash = `${id}#${tokens[0]}`;
  }
  if (name === 'game') {
    hash = await makeGame(page);
    await page.goto('about:blank');
  }
  const client = await page.createCDPSession();
  await client.send('Network.enable');
  await client.send('Network.clearBrowserCache');
  await client.send('Network.setBypassServiceWorker', { bypass: true });
  if (slower > 1) await client.send('Emulation.setCPUThrottlingRate', { rate: slower });
  const seen = { requests: 0, bytes: 0 };
  client.on('Network.requestWillBeSent', () => (seen.requests += 1));
  client.on(
    'Network.loadingFinished',
    ({ encodedDataLength }) => (seen.bytes += encodedDataLength),
  );
  await page.evaluateOnNewDocument(() => {
    new PerformanceObserver((list) => {
      window.largest = list.getEntries().at(-1).startTime;
    }).observe({ type: 'largest-contentful-paint', buffered: true });
    // The first cell that can be tapped, and the first frame on which a tap has changed the board.
    const look = () => {
      const cell = document.querySelector('.cells button.grab');
      if (!cell) return requestAnimationFrame(look);
      const { x, y, width, height } = cell.getBoundingClientRect();
      window.tappable = [x + width / 2, y + height / 2];
      addEventListener('pointerdown', () => {
        const seen = new MutationObserver(() => {
          seen.disconnect();
          requestAnimationFrame(() => (window.drawn = performance.now()));
        });
        const options = { childList: true, subtree: true };
        for (const one of document.querySelectorAll('.board .picture, .board .marks'))
          seen.observe(one, options);
      });
    };
    requestAnimationFrame(look);
  });
  const opened = page.goto(address + path + hash);
  const boardless = name === 'blank' || name === 'home';
  const drawn = boardless || latency > 0 ? 0 : await firstTap(page);
  await opened;
  let ready = 0;
  if (name !== 'blank') {
    await page.waitForSelector('main[data-ready]', { timeout: 60_000 });
    ready = await page.evaluate(() => performance.now());
  }
  let tap = 0;
  if (latency > 0) {
    // The rules come after the first paint, and nobody has found the cell to tap sooner than that.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await client.send('Network.emulateNetworkConditions', {
      offline: false,
      latency,
      downloadThroughput: -1,
      uploadThroughput: -1,
    });
    // From the click to the first frame on which the piece is drawn.
    tap = await page.evaluate(
      () =>
        new Promise((resolve) => {
          const cell = document.querySelector('.cells button[data-cell="14"]');
          const picture = document.querySelector('.board .picture');
          const before = performance.now();
          new MutationObserver(() =>
            requestAnimationFrame(() => resolve(performance.now() - before)),
          ).observe(picture, { childList: true, subtree: true });
          cell.click();
        }),
    );
  }
  // A paint is reported a little after it has happened.
  await page.waitForFunction(() => window.largest > 0, { timeout: 5_000 }).catch(() => {});
  const largest = await page.evaluate(() => window.largest ?? 0);
  await context.close();
  return { largest, ready, drawn, tap, ...seen };
};

const count = Number(runs);
for (const slower of [1, 4]) {
  for (const [name, path] of Object.entries(PAGES)) {
    const all = [];
    for (let i = 0; i < count; i += 1) all.push(await once(name, path, slower));
    const of = (key) => Math.round(median(all.map((one) => one[key])));
    console.log(
      `${slower === 1 ? 'full' : 'quarter'} speed, ${name}: paint ${of('largest')} ms, ready ${of('ready')} ms, first tap drawn ${of('drawn')} ms, ` +
        `${of('requests')} requests, ${of('bytes')} bytes`,
    );
  }
}
const tapped = alone ? 'game' : 'game of a server';
const taps = [];
for (let i = 0; i < count; i += 1) taps.push((await once(tapped, PAGES[tapped], 1, 300)).tap);
console.log(`tap to drawn move with 300 ms of latency: ${median(taps).toFixed(1)} ms`);

/** How many positions the engine looks at in a second, in the page and natively. */
const speeds = async () => {
  const page = await browser.newPage();
  await page.goto(address);
  await page.waitForSelector('main[data-ready]');
  const games = await page.evaluate(async () => {
    const assets = document.querySelector('script[type=module]').src.replace(/main\.js$/, '');
    const { catalogue } = await import(`${assets}program/views.js`);
    return (await catalogue()).games.map(({ id }) => id);
  });
  // Where the start is solved, nothing is searched.
  const beyond = { gekitai: { position: '6/1x2o1/6/3o2/6/x4o 1' } };
  const request = (game) => ({ game, lines: 1, nodes: 400_000, ...beyond[game] });
  const inPage = (fields) =>
    page.evaluate(async (asked) => {
      const assets = document.querySelector('script[type=module]').src.replace(/main\.js$/, '');
      const { think } = await import(`${assets}program/ask.js`);
      let last = null;
      const take = (line) => {
        if (line.nodes) last = line;
      };
      await think('analysis', asked, take, new AbortController().signal);
      return last;
    }, fields);
  const native = (fields) => {
    const input = `${JSON.stringify({ ask: 'analysis', ...fields })}\n`;
    const lines = execFileSync(program, ['query'], { input, encoding: 'utf8' }).trim().split('\n');
    return lines.map((line) => JSON.parse(line)).findLast(({ nodes }) => nodes);
  };
  const speed = ({ nodes, time_ms: ms }) => nodes / Math.max(1, ms);
  for (const game of games) {
    const pages = [];
    const natives = [];
    for (let i = 0; i < 3; i += 1) {
      pages.push(speed(await inPage(request(game))));
      natives.push(speed(native(request(game))));
    }
    const [here, there] = [median(pages), median(natives)];
    console.log(
      `${game}: ${Math.round(here)} nodes/ms in the page, ${Math.round(there)} natively, ${Math.round((100 * here) / there)} %`,
    );
  }
};
if (program) await speeds();
await browser.close();
