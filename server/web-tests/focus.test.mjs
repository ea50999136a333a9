import assert from 'node:assert/strict';
import test from 'node:test';
import './page.mjs';

const { keepFocus } = await import('../web/common/dom.js');

const control = () => ({
  isConnected: true,
  disabled: false,
  seen: true,
  matches() {
    return this.disabled;
  },
  checkVisibility() {
    return this.seen;
  },
  focus() {
    document.activeElement = this;
  },
});

/** Where the focus is after a change of the control that had it. */
const after = (change) => {
  const [was, next] = [control(), control()];
  document.activeElement = was;
  keepFocus(
    () => Object.assign(was, change),
    () => next,
  );
  return document.activeElement === next ? 'next' : 'was';
};

test('the focus goes on from a control that is hidden, disabled or replaced', () => {
  assert.equal(after({ seen: false }), 'next');
  assert.equal(after({ disabled: true }), 'next');
  assert.equal(after({ isConnected: false }), 'next');
  assert.equal(after({}), 'was');
});

test('where nothing has the focus, nothing takes it', () => {
  document.body = document.activeElement = control();
  keepFocus(
    () => (document.body.seen = false),
    () => assert.fail('taken'),
  );
});
