// Keeps the files of one version, so that the pages come at once and without a network. All files of a version come
// together or not at all, and lie below a path of their own: old and new can never be mixed. A new version waits
// until its reader wants it.
const VERSION = '5459f0cf0f25';
const FILES = ['/assets/5459f0cf0f25/main.js'];

const CACHE = `quadrille-${VERSION}`;
// The pages begin with the same document; the first one has its games drawn into it.
const HOME = '/';
const PAGE = '/play';

addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll([HOME, PAGE, ...FILES])));
});

addEventListener('message', ({ data }) => {
  if (data === 'take over') skipWaiting();
});

addEventListener('activate', (event) => {
  const tidy = async () => {
    const old = (await caches.keys()).filter(
      (name) => name.startsWith('quadrille-') && name !== CACHE,
    );
    await Promise.all(old.map((name) => caches.delete(name)));
    await clients.claim();
  };
  event.waitUntil(tidy());
});

/** Whether an address is one of a page; those that others show come from the server, which says who may. */
const isPage = (path) => !/^\/(api|embed|assets)\/|\.[a-z]+$/.test(path);

addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  const wanted =
    request.mode === 'navigate'
      ? pathname === HOME
        ? HOME
        : isPage(pathname)
          ? PAGE
          : null
      : pathname.startsWith('/assets/')
        ? request
        : null;
  if (!wanted) return;
  const answer = async () =>
    (await (await caches.open(CACHE)).match(wanted, { ignoreVary: true })) ?? fetch(request);
  event.respondWith(answer());
});
