/** What the browser keeps. */

/** What stands in for a storage that the browser denies: it lasts as long as the page. @returns {Storage} */
const passing = () => {
  const kept = new Map();
  return /** @type {any} */ ({
    get length() {
      return kept.size;
    },
    key: (/** @type {number} */ i) => [...kept.keys()][i] ?? null,
    getItem: (/** @type {string} */ key) => kept.get(key) ?? null,
    setItem: () => {
      throw new Error('nothing is kept');
    },
    removeItem: (/** @type {string} */ key) => kept.delete(key),
  });
};

const storageOr = (/** @type {() => Storage} */ get) => {
  try {
    const storage = get();
    storage.getItem('quadrille.prefs');
    return storage;
  } catch {
    return passing();
  }
};

/** Kept for all pages. */
export const forever = storageOr(() => localStorage);
/** Kept for one tab. */
export const forTab = storageOr(() => sessionStorage);

/**
 * What a storage has under a key; `otherwise` where there is nothing, or nothing readable.
 * @param {Storage} storage @param {string} key @param {any} otherwise
 */
export const readFrom = (storage, key, otherwise) => {
  try {
    return JSON.parse(storage.getItem(key) ?? 'null') ?? otherwise;
  } catch {
    return otherwise;
  }
};

/**
 * Puts a text into a storage. Says whether that can.
 * @param {Storage} storage @param {string} key @param {string} text
 */
export const writeTo = (storage, key, text) => {
  try {
    storage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
};

/** The keys of a storage that begin so. @param {Storage} storage @param {string} prefix */
export const keysOf = (storage, prefix) =>
  Array.from({ length: storage.length }, (_, i) => storage.key(i) ?? '').filter((key) =>
    key.startsWith(prefix),
  );

/** What is kept for all pages. @param {string} key @param {any} otherwise */
export const read = (key, otherwise) => readFrom(forever, key, otherwise);
/** Keeps a value. Says whether the browser can. @param {string} key @param {any} value */
export const write = (key, value) => writeTo(forever, key, JSON.stringify(value));

/** The last things chosen on a form. @param {string} key @param {any} otherwise */
export const remembered = (key, otherwise) => read(`quadrille.${key}`, otherwise);
/** @param {string} key @param {any} value */
export const remember = (key, value) => write(`quadrille.${key}`, value);
