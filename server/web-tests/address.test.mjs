import assert from 'node:assert/strict';
import test from 'node:test';
import * as address from '../web/address.js';

const page = { documentElement: { dataset: {} } };
globalThis.document = page;
const withServer = (server) => {
  page.documentElement.dataset.server = server;
};
const root = address.below('');

test('a position in an address reads back, whatever signs it has', () => {
  for (const text of ['6/1x2o1/6 1', 'a,b;c=d/e 2', 'x_y/z 1', '100%/é 2', 'none']) {
    assert.equal(address.fromPath(address.toPath(text)), text);
    assert.ok(!/[ ?#]/.test(address.toPath(text)), text);
  }
});

test('a page of a static site is a folder, and its position is in the query', () => {
  withServer('none');
  assert.equal(address.pageAt('learn'), `${root}learn/`);
  assert.equal(address.pageAt(''), root);
  assert.equal(
    address.positionAt('editor', 'g', '6/6 1', 'a=b'),
    `${root}editor/g/?position=6%2F6_1&a=b`,
  );
});

test('a page of a server is a path, and so is its position', () => {
  withServer(undefined);
  assert.equal(address.pageAt('learn', '?x'), `${root}learn?x`);
  assert.equal(address.positionAt('editor', 'g', '6/6 1', 'a=b'), `${root}editor/g/6/6_1?a=b`);
  assert.equal(address.gameAt('id', 'secret'), `${root}id#secret`);
  assert.equal(address.gameAt('id'), `${root}id`);
});

test('the words of a path are those below the site, without an index or a last slash', () => {
  const words = (path) => address.wordsOf(root + path);
  assert.deepEqual(words('learn/g/2'), ['learn', 'g', '2']);
  assert.deepEqual(words('learn/g/'), ['learn', 'g']);
  assert.deepEqual(words('play/index.html'), ['play']);
  assert.deepEqual(words(''), ['']);
});
