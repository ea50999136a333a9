/**
 * URLs. The site may live at the root of a host or below any path, and is not told which: the scripts are two folders
 * below it, in `assets/VERSION/`.
 */
const BASE = new URL('../../', import.meta.url);

/** The URL of a file of this version, by its path in `assets/VERSION/`. @param {string} path */
export const fileAt = (path) => new URL(path, import.meta.url).href;

/** Whether there is a server behind the pages, or only static files. */
export const hasServer = () => document.documentElement.dataset.server !== 'none';

/** The path of something that is not a page. @param {string} path */
export const below = (path) => BASE.pathname + path;

/**
 * The path of a page; on a static site it is a folder.
 * @param {string} path @param {string} [more] query or fragment, including `?` or `#`
 */
export const pageAt = (path, more = '') =>
  `${below(path)}${path === '' || hasServer() ? '' : '/'}${more}`;

/** The path of a game on a server. @param {string} id @param {string} [secret] */
export const gameAt = (id, secret) => pageAt(id, secret ? `#${secret}` : '');

/** The path of a game kept in this browser. @param {string} id */
export const playAt = (id) => pageAt('play', `#${id}`);

/**
 * The path of a position on a page of its game. A static site has no folder for every position, so there it goes into
 * the query.
 * @param {string} page @param {string} game @param {string} text @param {string} [more] another query parameter
 */
export const positionAt = (page, game, text, more = '') => {
  const path = toPath(text);
  return hasServer()
    ? pageAt(`${page}/${game}/${path}`, more && `?${more}`)
    : pageAt(`${page}/${game}`, `?position=${encodeURIComponent(path)}${more && `&${more}`}`);
};

/** The absolute URL, to be shared. @param {string} address */
export const whole = (address) => new URL(address, BASE).href;

/** The segments of a page's path. @param {string} pathname */
export const wordsOf = (pathname) =>
  pathname
    .slice(BASE.pathname.length)
    .replace(/\/?(index\.html)?$/, '')
    .split('/');

/** A position as a path segment: the space before the player becomes `_`. */
export const toPath = (/** @type {string} */ text) =>
  encodeURIComponent(text.replace(/ (?=[^ ]*$)/, '_'))
    .replace(/%2F/g, '/')
    .replace(/%2C/g, ',')
    .replace(/%3B/g, ';')
    .replace(/%3D/g, '=');
/** The inverse of `toPath`. */
export const fromPath = (/** @type {string} */ path) =>
  decodeURIComponent(path).replace(/_(?=[^_]*$)/, ' ');

/** The position in the path of a page, still encoded. @param {string[]} words the segments after the game */
export const askedPosition = (words) =>
  new URLSearchParams(location.search).get('position') ?? words.join('/');
