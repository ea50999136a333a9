// Caches the files of one version, so that pages load at once and offline. All files of a version are cached together
// or not at all, under a path of their own, so versions never mix. A new version waits until the user wants it.
const VERSION = '{version}';
const FILES = [/* files */];

/** The path of the site. Several sites on one host share its caches, so the names of the caches contain it. */
const BASE = new URL('./', location.href).pathname;
const OURS = `quadrille${BASE}`;
const CACHE = OURS + VERSION;
// All pages start from the same document; the home page's has the games drawn into it.
const HOME = BASE;
const PAGE = `${BASE}play`;

/**
 * A document that can be served for any path. Browsers reject redirected responses for navigations, and hosts redirect
 * `play` to `play/`, so the redirect is dropped; relative URLs depend on the folder in which the document lies. Headers
 * are kept, since they contain the security policy. A document of another version is not cached.
 */
const documentAt = async (path) => {
  // Hosts compare times in whole seconds, or sizes too, so one that is asked may say that nothing has changed.
  const answer = await fetch(path, { cache: 'reload' });
  const text = await answer.text();
  if (!answer.ok || !text.includes(VERSION)) throw new Error(`${path} is not of ${VERSION}`);
  const headers = new Headers(answer.headers);
  for (const name of ['content-encoding', 'content-length']) headers.delete(name);
  return new Response(
    text.replaceAll('="../', () => `="${BASE}`),
    { headers },
  );
};

const keep = async () => {
  const cache = await caches.open(CACHE);
  await cache.addAll(FILES.map((file) => BASE + file));
  for (const path of [HOME, PAGE]) await cache.put(path, await documentAt(path));
  if (await oldIsBroken()) skipWaiting();
};

/** The caches of version 0.2, which supported only sites at the root of a host. */
const isOld = (name) => BASE === '/' && name.startsWith('quadrille-');

/**
 * Whether version 0.2 has cached a redirected page, which browsers reject: then the user might never see the offer of a
 * new version.
 */
const oldIsBroken = async () => {
  for (const name of (await caches.keys()).filter(isOld)) {
    const page = await (await caches.open(name)).match('/play', { ignoreVary: true });
    if (page?.redirected) return true;
  }
  return false;
};

const tidy = async () => {
  const isOurs = (name) => name.startsWith(OURS) && !name.slice(OURS.length).includes('/');
  const old = (await caches.keys()).filter(
    (name) => name !== CACHE && (isOurs(name) || isOld(name)),
  );
  await Promise.all(old.map((name) => caches.delete(name)));
  await clients.claim();
};

addEventListener('install', (event) => event.waitUntil(keep()));
addEventListener('activate', (event) => event.waitUntil(tidy()));
addEventListener('message', ({ data }) => {
  if (data === 'take over') skipWaiting();
});

/** Whether a path is that of a page; embedded pages come from the server, whose headers say who may embed them. */
const isPage = (path) => !/^(api|embed|assets)\/|\.[a-z]+$/.test(path);

/** Whether a path is that of a document of the site, whose text only the host has. */
const isDocument = (path) => /^docs(\/|$)/.test(path);

/** A document from the host, or offline the copy that was kept when it was last read. */
const documentFor = async (event, path) => {
  const cache = await caches.open(CACHE);
  const place = BASE + path.replace(/\/$/, '');
  const keepCopy = async (answer) => {
    const text = await answer.clone().text();
    // A page of another version needs files that are not in this cache.
    if (text.includes(VERSION)) await cache.put(place, answer);
  };
  try {
    const fresh = await fetch(event.request);
    if (fresh.ok) event.waitUntil(keepCopy(fresh.clone()));
    return fresh;
  } catch {
    const kept = await cache.match(place, { ignoreVary: true });
    return kept ?? cache.match(PAGE, { ignoreVary: true });
  }
};

/** A file or page from the cache; files that are not cached in advance are cached on first use. */
const cached = async (event, path, wanted) => {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(wanted, { ignoreVary: true });
  if (kept) return kept;
  const fresh = await fetch(event.request);
  if (fresh.ok && path.startsWith(`assets/${VERSION}/`))
    event.waitUntil(cache.put(event.request, fresh.clone()));
  return fresh;
};

addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin || !pathname.startsWith(BASE)) return;
  const path = pathname.slice(BASE.length).replace(/(^|\/)index\.html$/, '');
  if (request.mode !== 'navigate') {
    if (path.startsWith('assets/')) event.respondWith(cached(event, path, request));
  } else if (isDocument(path)) event.respondWith(documentFor(event, path));
  else if (path === '' || isPage(path))
    event.respondWith(cached(event, path, path === '' ? HOME : PAGE));
});
