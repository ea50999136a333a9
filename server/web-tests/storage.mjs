/** A storage as browsers have it. */
export const storage = (kept = new Map()) => ({
  get length() {
    return kept.size;
  },
  key: (i) => [...kept.keys()][i] ?? null,
  getItem: (key) => kept.get(key) ?? null,
  setItem: (key, value) => {
    kept.set(key, String(value));
  },
  removeItem: (key) => {
    kept.delete(key);
  },
});
