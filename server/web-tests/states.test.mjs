import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { LIKE, STATES } from './states.mjs';

const WEB = new URL('../web/', import.meta.url).pathname;
const read = (path) => readFileSync(join(WEB, path), 'utf8');

/** The words of a union of strings. */
const union = (text, pattern) =>
  [...pattern.exec(text)[1].matchAll(/'([\w-]+)'/g)].map(([, one]) => one);

const all = (name, kinds) => {
  assert.ok(kinds.length > 1, `${name}: only ${kinds}`);
  for (const kind of kinds) {
    const state = `${name}-${kind}`;
    assert.ok(STATES[state] || LIKE[state], `${state} has no state: add it to states.mjs`);
  }
};

test('every notice of a game has a state', () => {
  all(
    'notice',
    [...read('game/noticecard.js').matchAll(/case '(\w+)'/g)].map(([, kind]) => kind),
  );
});

test('every stage of a lesson and of a puzzle has a state', () => {
  all('lesson', union(read('pages/learn.js'), /@typedef \{(['\w|]+)\} Progress/));
  all('puzzle', union(read('pages/puzzling.js'), /progress: (['\w|]+)/));
});

test('every dialog has a state', () => {
  const texts = readdirSync(WEB, { recursive: true })
    .filter((path) => path.endsWith('.js') && path !== 'common/dialogs.js')
    .map(read);
  const ids = texts.flatMap((text) =>
    [...text.matchAll(/(?:openDialog|recordBox)\([^;]*?\bid: '([\w-]+)'/g)].map(([, id]) => id),
  );
  const asks = texts.some((text) => text.includes('confirmBox(')) ? ['confirm'] : [];
  all(
    'dialog',
    [...new Set([...ids, ...asks])].filter((id) => id !== 'new-game'),
  );
});

test('every line over a page has a state', () => {
  const ids = ['connection/versions.js', 'connection/status.js', 'game/left.js', 'common/dom.js']
    .map(read)
    .flatMap((text) => [...text.matchAll(/el\(\s*'(?:p|section)#([\w-]+)/g)].map(([, id]) => id));
  assert.ok(ids.length >= 4, `only ${ids}`);
  for (const id of ids) assert.ok(STATES[id], `${id} has no state: add it to states.mjs`);
});

test('what is like something else has no state of its own', () => {
  for (const name of Object.keys(LIKE)) assert.ok(!STATES[name], name);
});
