// What somebody hears who plays a whole game of each kind without seeing it:
//   node server/web-tests/transcript.mjs ADDRESS FOLDER [GAME…]
// ADDRESS is a server's. One side is played in Chromium, by typing; the other one answers over HTTP. Everything that the
// page announces is written to FOLDER/GAME.txt, with the board in words at the start and in the middle. It fails if a
// turn is announced not at all or more than once, or the result is not told.
import { mkdirSync, writeFileSync } from 'node:fs';
import puppeteer from 'puppeteer-core';

const [address, folder, ...only] = process.argv.slice(2);
const GAMES = ['glaisher', 'gekitai', 'jeson-mor', 'six-making'];
/** Games that end soon: what is heard matters, not how well it is played. */
const OPTIONS = { 'jeson-mor': { size: 5 }, 'six-making': { size: 4 } };
const MOST_TURNS = 60;

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

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Notes everything that is announced, once for each change. */
const listen = (page) =>
  page.evaluate(() => {
    window.heard = [];
    const live = document.getElementById('live');
    new MutationObserver(() => {
      const text = live.textContent.trim();
      if (text) window.heard.push(text);
    }).observe(live, { childList: true, characterData: true, subtree: true });
  });

const take = (page) => page.evaluate(() => window.heard.splice(0));

/** The board as the key `b` tells it. */
const inWords = async (page) => {
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('b');
  await page.waitForSelector('#described');
  const words = await page.$eval('#described', (box) => box.innerText);
  await page.keyboard.press('Escape');
  await page.waitForSelector('#described', { hidden: true });
  return words
    .split('\n')
    .filter(Boolean)
    .map((line) => `      ${line}`);
};

/** The turn that is played: at random, but the same in every run; one that wins if there is one. */
const chosen = async (game, turns, number) => {
  const place = { game, options: OPTIONS[game], turns };
  const { engine } = await post('/api/hint', { ...place, nodes: 2_000 });
  const { turns: all } = await post('/api/query', {
    game,
    options: OPTIONS[game],
    moves: turns,
    want: ['turns'],
  });
  const wins = engine.win_in === 1;
  return wins || number > 12 ? engine.turn : all[(number * 7919) % all.length];
};

const playGame = async (page, game) => {
  const seats = [
    { kind: 'person', name: 'Ann' },
    { kind: 'person', name: 'Bo' },
  ];
  const { id, tokens } = await post('/api/games', { game, options: OPTIONS[game], seats });
  await page.goto(`${address}/${id}#${tokens[0]}`);
  await page.waitForSelector('main[data-ready] .board svg');
  await page.waitForFunction(() =>
    /Connected/.test(document.querySelector('#connection').textContent),
  );
  await listen(page);
  const lines = [
    `${game}: Ann plays in the browser, Bo answers.`,
    '',
    ...(await inWords(page)),
    '',
  ];
  const faults = [];
  const turns = [];
  for (let n = 1; n <= MOST_TURNS; n += 1) {
    const own = n % 2 === 1;
    const turn = await chosen(game, turns, n);
    if (own) {
      await page.focus('#move-text');
      await page.keyboard.type(turn);
      await page.keyboard.press('Enter');
    } else await post(`/api/games/${id}/commands`, { type: 'move', turn }, tokens[1]);
    turns.push(turn);
    await page.waitForSelector(`.turns [data-ply="${n}"]`);
    await sleep(900);
    const heard = await take(page);
    lines.push(`${String(n).padStart(3)}. ${own ? `Ann types ${turn}` : `Bo plays ${turn}`}`);
    lines.push(...heard.map((one) => `     > ${one}`));
    const told = heard.filter((one) => /\bplays?\b/.test(one)).length;
    if (told !== 1) faults.push(`${game}, turn ${n} (${turn}) was told ${told} times`);
    const over = await page.$('.seat.won, .stage.over');
    if (over) {
      if (!heard.some((one) => /won|draw/i.test(one))) faults.push(`${game}: no result was told`);
      break;
    }
    if (n === 10) lines.push('', ...(await inWords(page)), '');
  }
  writeFileSync(`${folder}/${game}.txt`, `${lines.join('\n')}\n`);
  return faults;
};

mkdirSync(folder, { recursive: true });
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--force-prefers-reduced-motion'],
});
const page = await browser.newPage();
const faults = [];
for (const game of GAMES.filter((one) => !only.length || only.includes(one)))
  faults.push(...(await playGame(page, game)));
await browser.close();
console.log(faults.length ? faults.join('\n') : `every turn was told once; see ${folder}`);
process.exitCode = faults.length ? 1 : 0;
