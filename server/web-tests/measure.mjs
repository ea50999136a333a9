// Measures the pages in a real Chromium, cold, with a blank page beside them:
//   node server/web-tests/measure.mjs ADDRESS[,ADDRESS…] [RUNS] [PROGRAM]
// For each page, at full and at a quarter of the speed: the largest contentful paint, when the page is ready, requests
// and bytes; then, on visits of their own, a real tap on the first cell as soon as one can be tapped: when the frame that
// shows it has been made, and how long after the tap. Then a tap with 300 ms of network latency. Several addresses (two
// versions) are visited in turn. With the path of PROGRAM, the engine in the page beside the native one. Medians of
// several runs; numbers of a busy machine mean nothing.
import { execFileSync } from 'node:child_process';
import puppeteer from 'puppeteer-core';

const [all, runs = '5', program] = process.argv.slice(2);
const addresses = all.split(',');
/** A game between people on the server, with its secrets; nothing where there is no server. */
const makeTable = (address) =>
  fetch(`${address}/api/games`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ game: 'gekitai', seats: [{ kind: 'person' }, { kind: 'person' }] }),
  }).then(
    (answer) => (answer.ok ? answer.json() : null),
    () => null,
  );
const SERVED = 'game of a server';
const PAGES = {
  blank: '/robots.txt',
  home: '/',
  analysis: '/analysis/gekitai',
  puzzle: '/puzzles/gekitai/1',
  lesson: '/learn/gekitai/2',
  game: '/play',
  [SERVED]: '/',
};
const boardless = (name) => name === 'blank' || name === 'home';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const median = (/** @type {number[]} */ some) => some.sort((a, b) => a - b)[some.length >> 1];

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});

/** A game of this browser, made as anybody makes it. */
const makeGame = async (page, address) => {
  await page.goto(`${address}/?new=gekitai`);
  await page.waitForSelector('#start');
  await Promise.all([page.waitForNavigation(), page.click('#start')]);
  await page.waitForSelector('main[data-ready]');
  return new URL(page.url()).hash;
};

/** Notes the largest paint, the first cell that can be tapped, and the first frame on which a tap shows. */
const watch = () => {
  new PerformanceObserver((list) => {
    window.largest = list.getEntries().at(-1).startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  const look = () => {
    const cell = document.querySelector('.cells button.grab');
    if (!cell) return requestAnimationFrame(look);
    const { x, y, width, height } = cell.getBoundingClientRect();
    window.tappable = [x + width / 2, y + height / 2];
    addEventListener('pointerdown', ({ timeStamp }) => {
      const seen = new MutationObserver(() => {
        seen.disconnect();
        // A message comes after the frame has been laid out and painted.
        const channel = new MessageChannel();
        channel.port1.onmessage = () => {
          const now = performance.now();
          window.drawn = { drawn: now, after: now - timeStamp };
        };
        requestAnimationFrame(() => channel.port2.postMessage(null));
      });
      for (const one of document.querySelectorAll('.board .picture, .board .marks'))
        seen.observe(one, { childList: true, subtree: true });
    });
  };
  requestAnimationFrame(look);
};

/** Taps the first cell that can be tapped, with the mouse, and tells when that is on the screen. */
const firstTap = async (page) => {
  const options = { timeout: 60_000, polling: 5 };
  const at = await page.waitForFunction(() => window.tappable, options);
  await page.mouse.click(...(await at.jsonValue()));
  const seen = await page.waitForFunction(() => window.drawn, options);
  return seen.jsonValue();
};

/** A tap on a page that has its rules, from the click to the frame on which the piece is drawn. */
const lateTap = async (page, client, latency) => {
  await sleep(1_500);
  await client.send('Network.emulateNetworkConditions', {
    offline: false,
    latency,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
  return page.evaluate(
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
};

/** Opens a page with nothing kept but what is stored, and tells what it took. */
const once = async (address, name, slower, { tapped = false, latency = 0 } = {}) => {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  let hash = '';
  if (name === SERVED) {
    // The first tap is a turn, so each visit has a game of its own.
    const { id, tokens } = await makeTable(address);
    hash = `${id}#${tokens[0]}`;
  }
  if (name === 'game') {
    hash = await makeGame(page, address);
    await page.goto('about:blank');
  }
  const client = await page.createCDPSession();
  await client.send('Network.enable');
  await client.send('Network.clearBrowserCache');
  await client.send('Network.setBypassServiceWorker', { bypass: true });
  if (slower > 1) await client.send('Emulation.setCPUThrottlingRate', { rate: slower });
  const seen = { requests: 0, bytes: 0, largest: 0, ready: 0, drawn: 0, after: 0, tap: 0 };
  client.on('Network.requestWillBeSent', () => (seen.requests += 1));
  client.on(
    'Network.loadingFinished',
    ({ encodedDataLength }) => (seen.bytes += encodedDataLength),
  );
  await page.evaluateOnNewDocument(watch);
  const opened = page.goto(address + PAGES[name] + hash);
  if (tapped) Object.assign(seen, await firstTap(page));
  await opened;
  if (name !== 'blank') {
    await page.waitForSelector('main[data-ready]', { timeout: 60_000 });
    seen.ready = await page.evaluate(() => performance.now());
  }
  if (latency > 0) seen.tap = await lateTap(page, client, latency);
  if (!tapped && latency === 0) {
    // Rules and engine are fetched after the paint; a page may also listen to the server for good.
    await sleep(slower > 1 ? 300 : 1_500);
    // A paint is told a little after it has been.
    await page.waitForFunction(() => window.largest > 0, { timeout: 5_000 }).catch(() => {});
    seen.largest = await page.evaluate(() => window.largest ?? 0);
  }
  await context.close();
  return seen;
};

const count = Number(runs);
const served = await Promise.all(addresses.map(makeTable));
const places = addresses.flatMap((address, i) =>
  Object.keys(PAGES)
    .filter((name) => name !== SERVED || served[i])
    .map((name) => ({ address, name })),
);
for (const slower of [1, 4]) {
  const paints = new Map(places.map((place) => [place, []]));
  const taps = new Map(places.map((place) => [place, []]));
  for (let i = 0; i < count; i += 1)
    for (const place of places) {
      const { address, name } = place;
      paints.get(place).push(await once(address, name, slower));
      if (!boardless(name))
        taps.get(place).push(await once(address, name, slower, { tapped: true }));
    }
  for (const place of places) {
    const of = (some, key) => Math.round(median(some.get(place).map((one) => one[key])));
    const tapped = `, first tap drawn ${of(taps, 'drawn')} ms, ${of(taps, 'after')} ms after it`;
    const speed = `${slower === 1 ? 'full' : 'quarter'} speed`;
    console.log(
      `${place.address}, ${speed}, ${place.name}: paint ${of(paints, 'largest')} ms, ` +
        `ready ${of(paints, 'ready')} ms${boardless(place.name) ? '' : tapped}, ` +
        `${of(paints, 'requests')} requests, ${of(paints, 'bytes')} bytes`,
    );
  }
}
for (const address of addresses) {
  const late = [];
  for (let i = 0; i < count; i += 1)
    late.push((await once(address, 'game', 1, { latency: 300 })).tap);
  console.log(
    `${address}: tap to drawn move with 300 ms of latency: ${median(late).toFixed(1)} ms`,
  );
}

/** How many positions the engine looks at in a second, in the page and natively. */
const speeds = async () => {
  const page = await browser.newPage();
  await page.goto(addresses[0]);
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
