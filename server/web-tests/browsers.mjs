// What users get: the pages in Chromium, Firefox and WebKitGTK, from a server and from static hosts.
//   node server/web-tests/browsers.mjs PROGRAM [--games | --hosts] [BROWSER…]
// PROGRAM is the path of quadrille. From a server: a whole game of each kind, a puzzle, an analysis. From hosts: a first
// and a later visit, one without a network, a new version, and version 0.2 with a worker that shows no page, at the root
// and below a path. Prints a table; fails where something does not work. Browsers that are not installed are left out:
// Debian has chromium, firefox-esr, and webkit2gtk-driver with xvfb.
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BROWSERS, freePort, sleep } from './drivers.mjs';

const [program, ...words] = process.argv.slice(2);
const only = words.filter((word) => !word.startsWith('--'));
const browsers = Object.entries(BROWSERS).filter(([name]) => !only.length || only.includes(name));
const scratch = mkdtempSync(join(tmpdir(), 'quadrille-browsers-'));
const VERSION_0_2 = new URL('../../app/tests/browser/version-0.2/', import.meta.url).pathname;

const BOARD = "document.querySelector('main[data-ready] .board svg')";
const SHELF = "document.querySelector('main[data-ready] .shelf')";

/** A program that ends with this one. */
const children = [];
const start = (command, args, options = {}) => {
  const child = spawn(command, args, { stdio: 'ignore', ...options });
  children.push(child);
  return child;
};

/** Whether somebody answers at a port. */
const answers = async (port) => {
  for (let i = 0; i < 200; i += 1) {
    if (await fetch(`http://127.0.0.1:${port}/`).catch(() => null)) return;
    await sleep(50);
  }
  throw new Error(`nothing answers on port ${port}`);
};

/** A server with a file of its own. */
const serve = async () => {
  const port = await freePort();
  const args = ['serve', '--listen', `127.0.0.1:${port}`, '--data', join(scratch, 'games')];
  start(program, [...args, '--new-games', '10000', '--allowance', '100000']);
  await answers(port);
  return `http://127.0.0.1:${port}`;
};

const nginx = (folder, port, more = '') => {
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/nginx.pid; events {}
     http { include /etc/nginx/mime.types; default_type application/octet-stream; access_log off; ${temp}
       server { listen 127.0.0.1:${port}; root ${folder}/root; ${more} } }`,
  );
  const own = existsSync('/usr/sbin/nginx') ? '/usr/sbin/nginx' : 'nginx';
  return start(own, ['-e', 'stderr', '-c', file]);
};

/** A host that takes the slash and index.html away from folders, as those for clean addresses do. */
const slashless = (folder, port) => {
  const kinds = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };
  const server = createServer((request, answer) => {
    const { pathname, search } = new URL(request.url, 'http://host');
    const path = decodeURIComponent(pathname);
    if (path.length > 1 && /\/(index\.html)?$/.test(path)) {
      const clean = path.replace(/\/(index\.html)?$/, '');
      answer.writeHead(308, { location: clean + search }).end();
      return;
    }
    const at = [path, `${path}/index.html`].map((one) => join(folder, 'root', one));
    const file = at.find((one) => existsSync(one) && !existsSync(join(one, 'index.html')));
    const kind = kinds[(file ?? '').split('.').at(-1)] ?? 'application/octet-stream';
    const missing = join(folder, 'root', '404.html');
    if (file && !readdirSafe(file))
      answer.writeHead(200, { 'content-type': kind }).end(readFileSync(file));
    else if (existsSync(missing))
      answer.writeHead(404, { 'content-type': 'text/html' }).end(readFileSync(missing));
    else answer.writeHead(404).end();
  });
  server.listen(port, '127.0.0.1');
  return {
    kill: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

/** Whether a path is a folder. */
const readdirSafe = (path) => {
  try {
    return readdirSync(path);
  } catch {
    return null;
  }
};

const FALLBACK = (base) =>
  `error_page 404 ${base}404.html; location / { try_files $uri $uri/index.html =404; }`;

/** Hosts by name: what starts one, below which path the site lies, and whether it has 404.html. */
const HOSTS = {
  'python, root': [
    (folder, port) =>
      start('python3', [
        '-m',
        'http.server',
        '--bind',
        '127.0.0.1',
        String(port),
        '-d',
        `${folder}/root`,
      ]),
    '/',
  ],
  'python, path': [
    (folder, port) =>
      start('python3', [
        '-m',
        'http.server',
        '--bind',
        '127.0.0.1',
        String(port),
        '-d',
        `${folder}/root`,
      ]),
    '/some/path/',
  ],
  'nginx, root': [nginx, '/'],
  'nginx, path': [nginx, '/some/path/'],
  'nginx with 404.html, path': [
    (folder, port) => nginx(folder, port, FALLBACK('/some/path/')),
    '/some/path/',
  ],
  'no slashes, root': [slashless, '/'],
  'no slashes, path': [slashless, '/some/path/'],
};

/** The site, written once. */
const site = join(scratch, 'site');
const writeSite = () => {
  if (!existsSync(site)) execFileSync(program, ['site', '-o', site], { stdio: 'ignore' });
};

/** Makes a site that of another version. Its documents are as old as those before, as in images with one time for all. */
const release = (folder, version) => {
  const [old] = readdirSync(join(folder, 'assets'));
  renameSync(join(folder, 'assets', old), join(folder, 'assets', version));
  for (const name of ['index.html', 'play/index.html', 'manifest.webmanifest', 'sw.js']) {
    const path = join(folder, name);
    const { atime, mtime } = statSync(path);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(old, version));
    if (name.endsWith('.html')) utimesSync(path, atime, mtime);
  }
};

/** When version 0.2 was written: a host calls files of one second unchanged, and its worker would stay. */
const LONG_AGO = new Date('2026-11-15');

/** A site whose worker, home and way to a new version are those of version 0.2. */
const writeOld = (folder) => {
  const main = 'assets/5459f0cf0f25/main.js';
  const files = { 'sw.js': 'sw.js', [main]: 'main.js' };
  for (const one of ['', 'play/', 'puzzles/']) files[`${one}index.html`] = 'index.html';
  for (const [to, from] of Object.entries(files)) {
    const path = join(folder, to);
    cpSync(join(VERSION_0_2, from), path);
    utimesSync(path, LONG_AGO, LONG_AGO);
  }
};

/** Pages of each kind, and what must be visible there. */
const PAGES = {
  '': SHELF,
  puzzles: SHELF,
  'puzzles/gekitai/1': BOARD,
  'learn/glaisher/2': BOARD,
  'analysis/jeson-mor': BOARD,
  'results/jeson-mor/3': BOARD,
  'rules/glaisher': "document.querySelector('main[data-ready] .prose svg')",
};

/** The documents, which only the host has. */
const openDocuments = async (browser, address) => {
  for (const path of ['docs', 'docs/levels/']) {
    await browser.open(address + path);
    await browser.until(`/${path}`, "document.querySelector('main[data-ready] #docs-words')");
  }
};

const openAll = async (browser, address) => {
  for (const [path, sight] of Object.entries(PAGES)) {
    await browser.open(address + path);
    await browser.until(`/${path}`, sight);
  }
};

const kept = (browser) => browser.until('the pages are kept', 'navigator.serviceWorker.controller');
const click = (browser, css) => browser.value(`document.querySelector('${css}').click()`);

/** A new game against the computer, which answers. */
const playComputer = async (browser, address) => {
  await browser.open(`${address}?new=gekitai`);
  await browser.until('a new game', "document.querySelector('#start')");
  await click(browser, '#start');
  await browser.until('its board', "document.querySelector('#cell-c3.grab')");
  await click(browser, '#cell-c3');
  await browser.until('an answer', `document.querySelector('.turns [data-ply="2"]')`);
};

const askSolution = async (browser, address) => {
  await browser.open(`${address}puzzles/gekitai/1`);
  await browser.until('the board', BOARD);
  await click(browser, '#puzzle-solution');
  await browser.until('the solution', "document.querySelector('.turns [data-ply]')");
};

/** An analysis, whose best turn is played. */
const analyse = async (browser, address) => {
  await browser.open(`${address}analysis/jeson-mor`);
  await browser.until('lines', "document.querySelector('#lines li button')");
  await click(browser, '#lines li button');
  await browser.until('a turn', "document.querySelector('#moves [aria-current]')");
};

/** The settings, which lie over a page that has keys of its own. */
const setByKeys = async (browser, address) => {
  await browser.open(`${address}analysis/gekitai#a1,f6`);
  await browser.until('the board', BOARD);
  await click(browser, '[popovertarget=settings]');
  const bottom = "document.querySelector('#settings').getBoundingClientRect().bottom";
  await browser.until('no higher than they are', `${bottom} < innerHeight - 100`);
  await browser.value("document.querySelector('#settings input[name=board]:checked').focus()");
  await browser.key('ArrowRight');
  await browser.until('another board', "document.documentElement.dataset.board === 'wood'");
  await browser.key('Escape');
  await browser.until('they are closed', "!document.querySelector('#settings:popover-open')");
};

/** The visits of a person, by name. */
const VISITS = {
  first: async (browser, { address }) => {
    await openAll(browser, address);
  },
  later: async (browser, { address }) => {
    // A host without slashes leads from home to an address that no worker of the site may answer.
    await browser.open(`${address}puzzles`);
    await kept(browser);
    await openAll(browser, address);
    await openDocuments(browser, address);
    await playComputer(browser, address);
  },
  offline: async (browser, host) => {
    host.goAway();
    try {
      await openAll(browser, host.address);
      await openDocuments(browser, host.address);
      await playComputer(browser, host.address);
      await askSolution(browser, host.address);
      await analyse(browser, host.address);
    } finally {
      await host.comeBack();
    }
  },
  'new version': async (browser, host) => {
    release(host.site, 'another');
    await browser.open(`${host.address}puzzles`);
    await browser.until('it is offered', "document.querySelector('#take-over')");
    await click(browser, '#take-over');
    const script = "document.querySelector('script[type=module]').src.includes('/another/')";
    await browser.until('it is there', `${script} && ${SHELF}`);
  },
};

/** A browser that has version 0.2 sees a page of the new one in the end. */
const cured = async (browser, host) => {
  rmSync(host.site, { recursive: true });
  writeOld(host.site);
  await browser.open(host.address);
  await kept(browser);
  rmSync(host.site, { recursive: true });
  cpSync(site, host.site, { recursive: true });
  const begin = Date.now();
  for (;;) {
    await browser.open(host.address).catch(() => {});
    const there = browser.until('the new version', SHELF, 5_000);
    if (
      await there.then(
        () => true,
        () => false,
      )
    )
      return;
    if (Date.now() - begin > 90_000) throw new Error('version 0.2 stays');
  }
};

/** A host with the site. */
const hostOf = async (name) => {
  const [run, base] = HOSTS[name];
  const folder = mkdtempSync(join(scratch, 'host-'));
  const port = await freePort();
  const own = join(folder, 'root', base);
  cpSync(site, own, { recursive: true });
  let process_ = null;
  const host = {
    site: own,
    base,
    address: `http://127.0.0.1:${port}${base}`,
    goAway: () => process_.kill('SIGKILL'),
    comeBack: async () => {
      process_ = run(folder, port);
      await answers(port);
    },
  };
  await host.comeBack();
  return host;
};

const rows = [];
let wrong = 0;
/** Runs something and notes what became of it. */
const tried = async (row, column, act) => {
  const begin = Date.now();
  const done = await act().then(
    () => 'ok',
    (error) => `NO: ${error.message.split('\n')[0]}`,
  );
  if (done !== 'ok') wrong += 1;
  rows.push([row, column, done]);
  console.log(`${row} | ${column} | ${done} | ${((Date.now() - begin) / 1000).toFixed(1)} s`);
};

const tryHosts = async (name, launch) => {
  for (const where of Object.keys(HOSTS)) {
    const host = await hostOf(where);
    const browser = await launch();
    for (const [visit, act] of Object.entries(VISITS))
      await tried(`${name}, ${where}`, visit, () => act(browser, host));
    await browser.close();
    if (host.base === '/' && !where.startsWith('no')) {
      // Version 0.2 knew only sites at the root.
      const other = await launch();
      await tried(`${name}, ${where}`, "0.2's worker", () => cured(other, host));
      await other.close();
    }
    host.goAway();
  }
};

/** Where the next tap of a turn goes: at random, but always in the same way. */
const nextTap = (n) => `(() => {
  const play = document.querySelector('#stage-play');
  const all = play?.checkVisibility() ? [play] : ['.chips button', '.cells button.target', '.cells button.grab']
    .map((css) => [...document.querySelectorAll(css)]).find((some) => some.length > 0) ?? [];
  if (all.length === 0) return null;
  const { left, top, width, height } = all[${n} % all.length].getBoundingClientRect();
  return [left + width / 2, top + height / 2];
})()`;

/** How many taps in a row may begin turns that are abandoned. */
const MOST_IDLE = 200;

/** Plays a whole game at one screen with the mouse, to its end. */
const playWhole = async (browser, address, game) => {
  const body = JSON.stringify({
    game,
    shared: true,
    seats: [{ kind: 'person' }, { kind: 'person' }],
  });
  const headers = { 'content-type': 'application/json' };
  const { id, tokens } = await (
    await fetch(`${address}/api/games`, { method: 'POST', headers, body })
  ).json();
  await browser.open(`${address}/${id}#${tokens[0]}`);
  await browser.until('the board', BOARD);
  const count = () => browser.value("document.querySelectorAll('.turns [data-ply]').length");
  const isOver = () => browser.value("Boolean(document.querySelector('.seat.won, .stage.over'))");
  let [random, turns, idle] = [1, 0, 0];
  while (!(await isOver())) {
    random = (random * 16807) % 2147483647;
    const point = await browser.value(nextTap(random));
    if (point) await browser.press(...point);
    await sleep(30);
    const now = await count();
    [turns, idle] = [now, now > turns ? 0 : idle + 1];
    if (idle > MOST_IDLE) throw new Error(`after ${turns} turns nothing can be played`);
  }
  turns = await count();
  const stored = await (await fetch(`${address}/api/games/${id}`)).json();
  if (!stored.result) throw new Error(`after ${turns} turns the page says that it is over`);
  if (stored.turns.length !== turns)
    throw new Error(`${turns} turns are seen, ${stored.turns.length} stored`);
};

const tryGames = async (name, launch, address) => {
  const browser = await launch();
  const { games } = await (
    await fetch(`${address}/api/catalogue`)
  )
    .json()
    .catch(() => ({ games: [] }));
  const ids = games.length
    ? games.map(({ id }) => id)
    : ['glaisher', 'gekitai', 'jeson-mor', 'six-making'];
  for (const game of ids)
    await tried(`${name}, served`, `a game of ${game}`, () => playWhole(browser, address, game));
  await tried(`${name}, served`, 'a puzzle', () => askSolution(browser, `${address}/`));
  await tried(`${name}, served`, 'an analysis', () => analyse(browser, `${address}/`));
  await tried(`${name}, served`, 'settings by keys', () => setByKeys(browser, `${address}/`));
  await browser.close();
};

try {
  const address = words.includes('--hosts') ? '' : await serve();
  if (!words.includes('--games')) writeSite();
  for (const [name, launch] of browsers) {
    if (!words.includes('--hosts')) await tryGames(name, launch, address);
    if (!words.includes('--games')) await tryHosts(name, launch);
  }
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
}
const columns = [...new Set(rows.map(([, column]) => column))];
console.log(`\n| | ${columns.join(' | ')} |\n|---|${columns.map(() => '---|').join('')}`);
for (const row of new Set(rows.map(([name]) => name))) {
  const cell = (column) => rows.find(([r, c]) => r === row && c === column)?.[2] ?? '';
  console.log(`| ${row} | ${columns.map((column) => cell(column).split(':')[0]).join(' | ')} |`);
}
process.exit(wrong ? 1 : 0);
