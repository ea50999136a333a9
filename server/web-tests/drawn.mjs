/** As much of a document as drawings need: elements that can be read back. */
const element = (tag) => ({
  tag,
  attributes: {},
  children: [],
  heard: {},
  setAttribute(key, value) {
    this.attributes[key] = value;
  },
  append(...children) {
    this.children.push(...children);
  },
  addEventListener(kind, listener) {
    this.heard[kind] = listener;
  },
});
globalThis.document = { createElementNS: (_, tag) => element(tag) };

/** The classes of elements, in order. */
export const classes = (elements) => elements.map(({ attributes }) => attributes.class.trim());
