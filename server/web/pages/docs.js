/** The documents. They come with the page; this adds the search. */
import { fileAt, pageAt } from '../address.js';
import { el, fill } from '../common/dom.js';
import { Refused } from '../common/refused.js';

/** @typedef {[address: string, page: string, heading: string, text: string]} Section */

const MOST = 12;
const AROUND = 70;

/** The words of a query, in lower case. @param {string} text */
export const wordsIn = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

/**
 * The sections that contain all words, best match first: words in a heading count more than in the text.
 * @param {Section[]} index @param {string[]} words @returns {Section[]}
 */
export const search = (index, words) => {
  if (words.length === 0) return [];
  const worth = (/** @type {Section} */ [, page, heading, text]) => {
    const [title, own, below] = [page, heading, text].map((part) => part.toLowerCase());
    let sum = 0;
    for (const word of words) {
      const found = (own.includes(word) ? 8 : 0) + (title.includes(word) ? 4 : 0);
      const often = below.split(word).length - 1;
      if (found + often === 0) return 0;
      sum += found + Math.min(often, 3);
    }
    return sum;
  };
  return index
    .map((section) => ({ section, sum: worth(section) }))
    .filter(({ sum }) => sum > 0)
    .sort((a, b) => b.sum - a.sum)
    .slice(0, MOST)
    .map(({ section }) => section);
};

/** The text around the first matching word. @param {string} text @param {string[]} words */
export const excerpt = (text, words) => {
  const small = text.toLowerCase();
  const places = words.map((word) => small.indexOf(word)).filter((place) => place >= 0);
  const at = places.length > 0 ? Math.min(...places) : 0;
  // Both ends lie between words.
  const from = at > AROUND ? text.indexOf(' ', at - AROUND) + 1 : 0;
  const most = at + 2 * AROUND;
  const to = most < text.length ? Math.max(text.lastIndexOf(' ', most), at) : text.length;
  const part = text.slice(Math.min(from, at), to).trim();
  return `${from > 0 ? '… ' : ''}${part}${to < text.length ? ' …' : ''}`;
};

/** A text in which every second part is one of the words. @param {string} text @param {string[]} words */
export const partsOf = (text, words) => {
  const safe = words.map((word) => word.replace(/[^\p{L}\p{N}]/gu, '\\$&'));
  return text.split(new RegExp(`(${safe.join('|')})`, 'gi'));
};

/** The path of an index entry on this site. @param {string} address */
const placeOf = (address) => {
  const [path, anchor] = address.split('#');
  return anchor ? `${pageAt(path)}#${anchor}` : pageAt(path);
};

/** Fetched once, on the first search. @type {Promise<Section[]>|null} */
let coming = null;
const fetchIndex = () => {
  coming ??= fetch(fileAt('docs.json')).then((answer) => {
    if (!answer.ok) throw new Error(`the index could not be fetched: ${answer.status}`);
    return answer.json();
  });
  coming.catch(() => (coming = null));
  return coming;
};

/** @param {HTMLInputElement} field @param {HTMLElement} list */
const show = async (field, list) => {
  const asked = field.value;
  const words = wordsIn(asked);
  if (words.length === 0) return fill(list);
  const found = await fetchIndex().then(
    (index) => search(index, words),
    () => null,
  );
  if (asked !== field.value) return undefined;
  if (!found) return fill(list, el('p', 'The search cannot be reached; try again in a moment.'));
  if (found.length === 0) return fill(list, el('p', `No results for “${asked.trim()}”.`));
  const item = (/** @type {Section} */ [address, page, heading, text]) =>
    el(
      'li',
      el('a', { href: placeOf(address) }, heading === page ? page : `${page}: ${heading}`),
      el(
        'small',
        partsOf(excerpt(text, words), words).map((part, i) => (i % 2 ? el('mark', part) : part)),
      ),
    );
  return fill(list, el('ul', ...found.map(item)));
};

/** @param {HTMLElement} main @param {string[]} rest */
export const docsPage = async (main, [name]) => {
  const field = /** @type {HTMLInputElement|null} */ (main.querySelector('#docs-words'));
  const list = /** @type {HTMLElement|null} */ (main.querySelector('#docs-found'));
  if (!field || !list) {
    // Offline, the service worker answers with a page that has no document.
    await fetch(location.href).catch(() => {
      throw new Error('documents that you have not read before need a network');
    });
    throw new Refused(404, `there is no document \`${name ?? ''}\``);
  }
  const title = main.querySelector('h1')?.textContent;
  document.title = name ? `${title} – documents – Quadrille` : 'Documents – Quadrille';
  field.disabled = false;
  field.addEventListener('input', () => show(field, list));
  field.form?.addEventListener('submit', (event) => {
    event.preventDefault();
    list.querySelector('a')?.click();
  });
  const asked = new URLSearchParams(location.search).get('q');
  if (asked) {
    field.value = asked;
    await show(field, list);
  }
};
