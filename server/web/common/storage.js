/** Data kept in the browser. */

/** A stand-in if the browser denies access to storage; it lasts as long as the page. @returns {Storage} */
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

/** Shared by all pages. */
export const forever = storageOr(() => localStorage);
/** For this tab only. */
export const forTab = storageOr(() => sessionStorage);

/**
 * Reads a JSON value from a storage; `otherwise` if it is missing or malformed.
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
 * Writes a text to a storage. Returns whether that worked.
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

/** The keys of a storage with this prefix. @param {Storage} storage @param {string} prefix */
export const keysOf = (storage, prefix) =>
  Array.from({ length: storage.length }, (_, i) => storage.key(i) ?? '').filter((key) =>
    key.startsWith(prefix),
  );

/** Reads a value shared by all pages. @param {string} key @param {any} otherwise */
export const read = (key, otherwise) => readFrom(forever, key, otherwise);
/** Writes a value shared by all pages. Returns whether that worked. @param {string} key @param {any} value */
export const write = (key, value) => writeTo(forever, key, JSON.stringify(value));

/** The values last chosen on a form. @param {string} key @param {any} otherwise */
export const remembered = (key, otherwise) => read(`quadrille.${key}`, otherwise);
/** @param {string} key @param {any} value */
export const remember = (key, value) => write(`quadrille.${key}`, value);
