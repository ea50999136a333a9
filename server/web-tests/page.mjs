/** As much of a document as parts of a page need that are tested without a browser. */
class Part {
  constructor(tag) {
    Object.assign(this, {
      localName: tag,
      childNodes: [],
      parent: null,
      heard: {},
      attributes: {},
    });
    Object.assign(this, { id: '', className: '', dataset: {}, hidden: false, disabled: false });
    this.classList = { add: (name) => (this.className += ` ${name}`), toggle: () => {} };
    this.style = { setProperty: () => {} };
  }
  append(...children) {
    for (const child of children) this.insertBefore(child, null);
  }
  insertBefore(child, before) {
    const node = child instanceof Part ? child : new Words(String(child?.data ?? child));
    node.remove();
    const at = before === null ? this.childNodes.length : this.childNodes.indexOf(before);
    this.childNodes.splice(at, 0, node);
    node.parent = this;
  }
  remove() {
    if (this.parent) this.parent.childNodes.splice(this.parent.childNodes.indexOf(this), 1);
    this.parent = null;
  }
  setAttribute(key, value) {
    this.attributes[key] = value;
  }
  removeAttribute(key) {
    delete this.attributes[key];
  }
  addEventListener(kind, listener) {
    this.heard[kind] = listener;
  }
  click() {
    this.heard.click?.({});
  }
  get textContent() {
    return this.childNodes.map(({ textContent }) => textContent).join('');
  }
  set textContent(text) {
    this.childNodes = [];
    if (text) this.append(text);
  }
  /** The part with an id, within this one. */
  find(id) {
    if (this.id === id) return this;
    return this.childNodes.map((child) => child.find(id)).find(Boolean);
  }
}

class Words extends Part {
  constructor(data) {
    super('#text');
    this.data = data;
  }
  get textContent() {
    return this.data;
  }
}

globalThis.Text = Words;
globalThis.document = {
  createElement: (tag) => new Part(tag),
  createElementNS: (_, tag) => new Part(tag),
  getElementById: () => null,
  querySelector: () => null,
  querySelectorAll: () => [],
};
