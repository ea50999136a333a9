// Measures long use: long tasks in an analysis at a quarter of the processor's speed, memory and storage after many
// games of this browser.
//   node server/web-tests/endure.mjs ADDRESS [STEPS] [GAMES]    (0 skips a part)
// A long task is one of more than 50 ms; each is reported with the functions that took most of it. Numbers of a busy machine
// mean little: the scripts' own time is reported beside them.
import { readFileSync } from 'node:fs';
import puppeteer from 'puppeteer-core';

const [address, steps = '40', games = '30'] = process.argv.slice(2);
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--js-flags=--expose-gc'],
});

/** Notes every frame that took more than 50 ms, with the scripts that were to blame. */
const watch = () => {
  window.long = [];
  new PerformanceObserver((list) => {
    for (const { duration, blockingDuration, scripts } of list.getEntries())
      window.long.push({
        duration,
        blocking: blockingDuration,
        scripts: scripts.map(
          ({ duration: took, invoker, sourceFunctionName, forcedStyleAndLayoutDuration }) => ({
            took,
            name: sourceFunctionName || invoker,
            layout: forcedStyleAndLayoutDuration,
          }),
        ),
      });
  }).observe({ type: 'long-animation-frame', buffered: true });
  window.tasks = [];
  new PerformanceObserver((list) =>
    window.tasks.push(...list.getEntries().map(({ duration }) => duration)),
  ).observe({ type: 'longtask', buffered: true });
};

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** What a server says of a position. */
const seen = async (game, turns) => {
  const answer = await fetch(`${address}/api/view`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ game, turns }),
  });
  return answer.json();
};

/** The turns of a game with a maximum length, the same in every run. */
const played = async (game, most) => {
  const turns = [];
  let turn = '';
  while (turns.length < most) {
    const now = await seen(game, turn ? [...turns, turn] : turns);
    if (now.over) break;
    if (turn && !now.in_turn) [turns[turns.length], turn] = [turn, ''];
    turn += now.steps[(7 * turns.length) % now.steps.length].text;
  }
  return turns;
};

/** How often the best turn is played at the end of a game that was stepped through. */
const BEST = 5;

/** Steps through a game of this many turns with the engine running, and on from there. */
const analyse = async (game) => {
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000);
  await page.evaluateOnNewDocument(watch);
  const turns = await played(game, Number(steps) / 2);
  await page.goto(`${address}/analysis/${game}#${turns.map(encodeURIComponent).join(',')}`);
  await page.waitForSelector('main[data-ready] .board svg');
  const client = await page.createCDPSession();
  await client.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.evaluate(() => {
    window.long = [];
    window.tasks = [];
  });
  for (let i = 0; i < Number(steps); i += 1) {
    await page.keyboard.press(i < turns.length ? 'ArrowLeft' : 'ArrowRight');
    await sleep(600);
  }
  for (let i = 0; i < BEST; i += 1) {
    await page.keyboard.press('Space');
    await sleep(2_000);
  }
  const [long, tasks] = await page.evaluate(() => [window.long, window.tasks]);
  const blocked = long.filter(({ blocking }) => blocking > 0);
  const own = new Map();
  for (const { took, name, layout } of blocked.flatMap(({ scripts }) => scripts))
    own.set(name, [(own.get(name)?.[0] ?? 0) + took, (own.get(name)?.[1] ?? 0) + layout]);
  const worst = (all) => Math.round(Math.max(0, ...all));
  const frames = long.map(({ duration }) => duration);
  console.log(
    `analysis of ${game}, ${steps} steps and ${BEST} best turns at quarter speed: ${tasks.length} long tasks, ` +
      `worst ${worst(tasks)} ms; ${blocked.length} long frames, worst ${worst(frames)} ms`,
  );
  for (const [name, [took, layout]] of [...own].sort((a, b) => b[1][0] - a[1][0]).slice(0, 8))
    console.log(`  ${Math.round(took)} ms in ${name}, of them ${Math.round(layout)} ms layout`);
  await page.close();
};

/** How much memory the process of a page takes, and its scripts after collecting, in MB. */
const memory = async (page) => {
  await page.evaluate(() => window.gc?.());
  const client = await browser.target().createCDPSession();
  const { processInfo } = await client.send('SystemInfo.getProcessInfo');
  const sizes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))[1]));
  const { JSHeapUsedSize } = await page.metrics();
  return { process: Math.max(...sizes) / 1024, heap: JSHeapUsedSize / 2 ** 20 };
};

const stored = (page) =>
  page.evaluate(() =>
    Object.entries(localStorage).reduce((all, [key, value]) => all + key.length + value.length, 0),
  );

/** Plays games against the computer, some turns each, then gives them up. */
const play = async () => {
  const page = await browser.newPage();
  let [first, before] = [null, 0];
  for (let game = 1; game <= Number(games); game += 1) {
    await page.goto(`${address}/?new=gekitai`);
    await page.waitForSelector('#start');
    await Promise.all([page.waitForNavigation(), page.click('#start')]);
    for (let turn = 0; turn < 6; turn += 1) {
      const mine = await page
        .waitForSelector('#prompt.mine', { timeout: 20_000 })
        .catch(() => null);
      if (!mine || (await page.$('.stage.over'))) break;
      await page.$$eval('.cells button.grab', (all, n) => all[n % all.length]?.click(), 5 * turn);
      await sleep(150);
    }
    if (!(await page.$('.stage.over'))) {
      await page.click('#more');
      await page.click('#resign');
      await page.click('dialog .primary');
      await page.waitForSelector('.stage.over');
    }
    if (game === 1) [first, before] = [await memory(page), await stored(page)];
  }
  const last = await memory(page);
  const each = Math.round(((await stored(page)) - before) / Math.max(1, Number(games) - 1));
  console.log(
    `after 1 game: ${first.process.toFixed(0)} MB in the process, ${first.heap.toFixed(1)} MB of scripts`,
  );
  console.log(
    `after ${games} games: ${last.process.toFixed(0)} MB, ${last.heap.toFixed(1)} MB; ${each} characters stored for each game`,
  );
};

if (Number(steps) > 0)
  for (const game of ['glaisher', 'gekitai', 'jeson-mor', 'six-making']) await analyse(game);
if (Number(games) > 0) await play();
await browser.close();
