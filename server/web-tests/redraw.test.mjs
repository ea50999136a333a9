import assert from 'node:assert/strict';
import test from 'node:test';
import { kept } from '../web/board/redraw.js';

const stays = (old, next) =>
  kept([...old], [...next], (one, other) => one === other)
    .map((one) => one ?? '.')
    .join('');

test('what is the same stays, whatever comes, goes or changes between', () => {
  assert.equal(stays('abcd', 'abcd'), 'abcd');
  assert.equal(stays('abcd', 'abxcd'), 'ab.cd');
  assert.equal(stays('abcd', 'acd'), 'acd');
  assert.equal(stays('abcd', 'axxd'), 'a..d');
  assert.equal(stays('', 'ab'), '..');
  assert.equal(stays('ab', ''), '');
});

test('what stays keeps its order: what came before something that stays is put in anew behind it', () => {
  assert.equal(stays('abc', 'cab'), 'c..');
  assert.equal(stays('aab', 'aba'), 'ab.');
});
