// The search of the documents.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { excerpt, partsOf, search, wordsIn } from '../web/pages/docs.js';

const INDEX = [
  ['docs/http', 'HTTP', 'HTTP', 'One address for pages and programs. Limits are below.'],
  ['docs/http#limits', 'HTTP', 'Limits', 'What an address spends, and what a body may weigh.'],
  ['docs/hosting#limits', 'Hosting', 'Limits', 'What bounds the server as a whole.'],
];

const found = (text) => search(INDEX, wordsIn(text)).map(([address]) => address);

test('a section must hold every word', () => {
  assert.deepEqual(found('limits server'), ['docs/hosting#limits']);
  assert.deepEqual(found('limits nothing'), []);
  assert.deepEqual(found('  '), []);
});

test('words in headings come first', () => {
  assert.deepEqual(found('LIMITS'), ['docs/http#limits', 'docs/hosting#limits', 'docs/http']);
});

test('an excerpt shows the words in their surroundings', () => {
  const long = `${'a '.repeat(200)}purse${' b'.repeat(200)}`;
  const part = excerpt(long, ['purse']);
  assert.ok(part.startsWith('… ') && part.endsWith(' …') && part.includes('purse'), part);
  assert.equal(excerpt('short', ['none']), 'short');
  const words = excerpt(`${'several '.repeat(40)}purse${' words'.repeat(60)}`, ['purse']);
  assert.match(words, /^… (several )+purse( words)+ …$/, 'cut between words');
});

test('the words that were found stand out', () => {
  assert.deepEqual(partsOf('A Clock (c) and clocks', ['clock', '(c)']), [
    ...['A ', 'Clock', ' ', '(c)', ' and ', 'clock', 's'],
  ]);
});
