/**
 * Addresses. A site lies at the root of a host or below any path, and is not told where: its scripts lie two folders
 * below its beginning, in `assets/VERSION/`.
 */
const BASE = new URL('../../', import.meta.url);

/** The address of a file of this version, by its path in `assets/VERSION/`. @param {string} path */
export const fileAt = (path) => new URL(path, import.meta.url).href;

/** Whether there is a server behind the pages, or only files. */
export const hasServer = () => document.documentElement.dataset.server !== 'none';

/** The address of something that is not a page. @param {string} path */
export const below = (path) => BASE.pathname + path;

/**
 * The address of a page; where there are only files, it is a folder.
 * @param {string} path @param {string} [more] what follows, from `?` or `#` on
 */
export const pageAt = (path, more = '') =>
  `${below(path)}${path === '' || hasServer() ? '' : '/'}${more}`;

/** The address of a game on a server. @param {string} id @param {string} [secret] */
export const gameAt = (id, secret) => pageAt(id, secret ? `#${secret}` : '');

/** The address of a game of this browser. @param {string} id */
export const playAt = (id) => pageAt('play', `#${id}`);

/**
 * The address of a position on a page of its game. A static site has no folder for every position, so there it goes
 * into the query.
 * @param {string} page @param {string} game @param {string} text @param {string} [more] another thing behind `?`
 */
export const positionAt = (page, game, text, more = '') => {
  const path = toPath(text);
  return hasServer()
    ? pageAt(`${page}/${game}/${path}`, more && `?${more}`)
    : pageAt(`${page}/${game}`, `?position=${encodeURIComponent(path)}${more && `&${more}`}`);
};

/** The whole address, for others to open. @param {string} address */
export const whole = (address) => new URL(address, BASE).href;

/** The words of the path that leads to a page. @param {string} pathname */
export const wordsOf = (pathname) =>
  pathname
    .slice(BASE.pathname.length)
    .replace(/\/?(index\.html)?$/, '')
    .split('/');

/** A position as the path of an address: the blank before the player becomes `_`. */
export const toPath = (/** @type {string} */ text) =>
  encodeURIComponent(text.replace(/ (?=[^ ]*$)/, '_'))
    .replace(/%2F/g, '/')
    .replace(/%2C/g, ',')
    .replace(/%3B/g, ';')
    .replace(/%3D/g, '=');
/** The way back. */
export const fromPath = (/** @type {string} */ path) =>
  decodeURIComponent(path).replace(/_(?=[^_]*$)/, ' ');

/** The position that the address of a page asks for, as a path. @param {string[]} words those behind the game */
export const askedPosition = (words) =>
  new URLSearchParams(location.search).get('position') ?? words.join('/');
