// Three browsers behind one small interface: Chromium and Firefox through puppeteer, WebKitGTK through its driver.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import puppeteer from 'puppeteer-core';

/** How long anything may take. */
const PATIENCE = 40_000;

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A port that nobody uses. */
export const freePort = () =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** What all browsers can do once they open addresses and evaluate expressions. */
const withWaiting = (browser) => ({
  ...browser,
  /** Waits until an expression is true; a page that is on its way has none. */
  until: async (what, expression, patience = PATIENCE) => {
    const begin = Date.now();
    for (;;) {
      if (await browser.value(`Boolean(${expression})`).catch(() => false)) return;
      if (Date.now() - begin > patience) {
        const says = await browser.value('document.body.innerText.slice(0, 300)').catch(String);
        throw new Error(`${what}: not within ${patience} ms; the page says ${says}`);
      }
      await sleep(50);
    }
  },
});

const byPuppeteer = (options) => async () => {
  const browser = await puppeteer.launch({ headless: true, ...options });
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 800 });
  return withWaiting({
    open: (url) => page.goto(url, { waitUntil: 'domcontentloaded' }),
    value: (expression) => page.evaluate(expression),
    press: (x, y) => page.mouse.click(x, y),
    key: (name) => page.keyboard.press(name),
    picture: (path) => page.screenshot({ path }),
    close: () => browser.close(),
  });
};

/** A press of the mouse, as WebDriver has it. */
const pressed = (x, y) => ({
  type: 'pointer',
  id: 'mouse',
  parameters: { pointerType: 'mouse' },
  actions: [
    { type: 'pointerMove', x: Math.round(x), y: Math.round(y) },
    { type: 'pointerDown', button: 0 },
    { type: 'pointerUp', button: 0 },
  ],
});

/** The keys that WebDriver has as characters. */
const KEYS = { Escape: '\uE00C', ArrowRight: '\uE014' };

const struck = (value) => ({
  type: 'key',
  id: 'keys',
  actions: [
    { type: 'keyDown', value },
    { type: 'keyUp', value },
  ],
});

const MINI_BROWSER = '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser';

/** WebKitGTK wants a display, and its driver speaks plain WebDriver. */
const webkit = async () => {
  const [port, display] = [await freePort(), `:${90 + (process.pid % 100)}`];
  const screen = spawn('Xvfb', [display, '-screen', '0', '1400x1000x24'], { stdio: 'ignore' });
  await sleep(1_500);
  const env = { ...process.env, DISPLAY: display, LIBGL_ALWAYS_SOFTWARE: '1' };
  // Its sandbox wants what containers do not have.
  env.WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS = '1';
  const driver = spawn('WebKitWebDriver', [`--port=${port}`], { env, stdio: 'ignore' });
  await sleep(1_000);
  const call = async (method, path, body) => {
    const sent = { method, body: body && JSON.stringify(body) };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, sent);
    const { value } = await answer.json();
    if (value?.error) throw new Error(value.message);
    return value;
  };
  const wanted = { 'webkitgtk:browserOptions': { binary: MINI_BROWSER, args: ['--automation'] } };
  const { sessionId } = await call('POST', '/session', { capabilities: { alwaysMatch: wanted } });
  const at = `/session/${sessionId}`;
  return withWaiting({
    open: (url) => call('POST', `${at}/url`, { url }),
    value: (expression) =>
      call('POST', `${at}/execute/sync`, { script: `return ${expression}`, args: [] }),
    press: (x, y) => call('POST', `${at}/actions`, { actions: [pressed(x, y)] }),
    key: (name) => call('POST', `${at}/actions`, { actions: [struck(KEYS[name])] }),
    picture: async (path) => {
      const { writeFileSync } = await import('node:fs');
      writeFileSync(path, Buffer.from(await call('GET', `${at}/screenshot`), 'base64'));
    },
    close: async () => {
      await call('DELETE', at).catch(() => {});
      driver.kill();
      // The next browser takes the same display.
      const gone = once(screen, 'exit');
      screen.kill();
      await gone;
    },
  });
};

export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
export const FIREFOX = process.env.FIREFOX ?? '/usr/bin/firefox-esr';

/** The browsers that are installed, by name. */
export const BROWSERS = Object.fromEntries(
  [
    ['chromium', CHROMIUM, byPuppeteer({ executablePath: CHROMIUM, args: ['--no-sandbox'] })],
    ['firefox', FIREFOX, byPuppeteer({ executablePath: FIREFOX, browser: 'firefox' })],
    ['webkit', MINI_BROWSER, webkit],
  ].flatMap(([name, path, start]) => (existsSync(path) ? [[name, start]] : [])),
);
