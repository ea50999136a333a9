// Keeps the files of one version, so that the pages come at once and without a network. All files of a version come
// together or not at all, and lie below a path of their own: old and new can never be mixed. A new version waits
// until its reader wants it.
const VERSION = '{version}';
const FILES = [/* files */];

/** The path below which the site lies. Several sites of one host share its caches: their names say whose they are. */
const BASE = new URL('./', location.href).pathname;
const OURS = `quadrille${BASE}`;
const CACHE = OURS + VERSION;
// The pages begin with the same document; the first one has its games drawn into it.
const HOME = BASE;
const PAGE = `${BASE}play`;

/**
 * A document as it may answer any address. Browsers refuse what was redirected, as hosts do from `play` to `play/`, and
 * files are named from the folder in which the document lies. Its headers stay: they say what it may do. A document of
 * another version is not kept.
 */
const documentAt = async (path) => {
  const answer = await fetch(path, { cache: 'no-cache' });
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

/** The caches of version 0.2, which knew only sites at the root of a host. */
const isOld = (name) => BASE === '/' && name.startsWith('quadrille-');

/** Whether version 0.2 keeps a page that browsers refuse: its reader might never see that there is a new version. */
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

/** Whether a path is one of a page; those that others show come from the server, which says who may. */
const isPage = (path) => !/^(api|embed|assets)\/|\.[a-z]+$/.test(path);

addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin || !pathname.startsWith(BASE)) return;
  const path = pathname.slice(BASE.length).replace(/(^|\/)index\.html$/, '');
  const wanted =
    request.mode === 'navigate'
      ? path === ''
        ? HOME
        : isPage(path)
          ? PAGE
          : null
      : path.startsWith('assets/')
        ? request
        : null;
  if (!wanted) return;
  const answer = async () => {
    const cache = await caches.open(CACHE);
    const kept = await cache.match(wanted, { ignoreVary: true });
    if (kept) return kept;
    const fresh = await fetch(request);
    // What is not kept ahead is kept once it was needed.
    if (fresh.ok && path.startsWith(`assets/${VERSION}/`))
      event.waitUntil(cache.put(request, fresh.clone()));
    return fresh;
  };
  event.respondWith(answer());
});
