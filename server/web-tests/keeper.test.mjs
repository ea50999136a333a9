import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { runInNewContext } from 'node:vm';

const SCRIPT = readFileSync(new URL('../web/sw.js', import.meta.url), 'utf8');
const HOST = 'https://host';
const VERSION = 'abc';

/** The service worker of a site below a path, which has been installed, and a host that can go away. */
const keeper = async (base = '/') => {
  const listeners = {};
  const kept = new Map();
  const path = (at) => new URL(at.url ?? at, HOST).href;
  const cache = {
    addAll: async (all) => all.forEach((one) => kept.set(path(one), new Response(one))),
    put: async (at, answer) => void kept.set(path(at), answer),
    match: async (at) => kept.get(path(at))?.clone(),
  };
  const host = { away: false };
  const fetched = async (request) => {
    if (host.away) throw new TypeError('away');
    const { pathname } = new URL(path(request));
    const known = !pathname.includes('nothing');
    return new Response(`${pathname} of ${VERSION}`, { status: known ? 200 : 404 });
  };
  const waits = [];
  runInNewContext(
    SCRIPT.replace('{version}', VERSION).replace('/* files */', "'assets/abc/main.js'"),
    {
      ...{ URL, Response, Headers, Promise, fetch: fetched, skipWaiting: () => {} },
      location: { href: `${HOST}${base}sw.js`, origin: HOST },
      caches: { open: async () => cache, keys: async () => [], delete: async () => true },
      clients: { claim: async () => {} },
      addEventListener: (name, act) => (listeners[name] = act),
    },
  );
  const happens = async (name, event) => {
    listeners[name]({ waitUntil: (work) => waits.push(work), ...event });
    while (waits.length > 0) await waits.pop();
  };
  await happens('install', {});
  /** What a visit to a page shows: nothing where the browser asks the host itself. */
  const visit = async (to) => {
    let answer = null;
    const request = { method: 'GET', mode: 'navigate', url: HOST + base + to };
    await happens('fetch', { request, respondWith: (coming) => (answer = coming) });
    const text = (await (await answer)?.text()) ?? null;
    while (waits.length > 0) await waits.pop();
    return text;
  };
  return { host, visit };
};

for (const base of ['/', '/some/path/']) {
  test(`pages begin with what is kept, below ${base}`, async () => {
    const { host, visit } = await keeper(base);
    host.away = true;
    assert.equal(await visit(''), `${base} of abc`);
    for (const page of ['learn/gekitai/2', 'results/', 'zzzzzzzz'])
      assert.equal(await visit(page), `${base}play of abc`, page);
    for (const other of ['api/health', 'embed/zzzzzzzz', 'robots.txt'])
      assert.equal(await visit(other), null, other);
  });

  test(`documents are those of the host, and those that were read are there without it, below ${base}`, async () => {
    const { host, visit } = await keeper(base);
    assert.equal(await visit('docs'), `${base}docs of abc`);
    assert.equal(await visit('docs/levels/'), `${base}docs/levels/ of abc`);
    assert.equal(await visit('docs/nothing'), `${base}docs/nothing of abc`);
    host.away = true;
    assert.equal(await visit('docs/'), `${base}docs of abc`);
    assert.equal(await visit('docs/levels?q=x'), `${base}docs/levels/ of abc`);
    for (const other of ['docs/nothing', 'docs/paper'])
      assert.equal(await visit(other), `${base}play of abc`, other);
  });
}
