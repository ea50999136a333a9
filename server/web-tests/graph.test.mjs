import assert from 'node:assert/strict';
import test from 'node:test';
import { graph } from '../web/analysis/graph.js';
import { classes } from './drawn.mjs';

const entry = (ply, bar, mistake = null) => ({ ply, bar, mistake });
const part = (root, name) => root.children.find(({ attributes }) => attributes.class === name);

test('the curve is high where the first player is better', () => {
  const root = graph([entry(0, 500), entry(1, 1000), entry(2, 0)], 2, 1, () => {});
  assert.equal(part(root, 'curve').attributes.d, 'M0 50.0L1 4.0L2 96.0');
  assert.equal(part(root, 'here').attributes.d, 'M1 0V100');
});

test('a mistake has a mark, the longer the worse', () => {
  const entries = [entry(1, 500, 'inaccuracy'), entry(2, 500), entry(3, 500, 'blunder')];
  const ticks = graph(entries, 3, 0, () => {}).children.filter(({ attributes }) =>
    attributes.class.startsWith('tick'),
  );
  assert.deepEqual(
    ticks.map(({ attributes }) => attributes.d),
    ['M1 100v-6', 'M3 100v-20'],
  );
});

test('a game without turns has no curve, and a click picks the nearest turn', () => {
  assert.deepEqual(classes(graph([], 0, 0, () => {}).children), ['zero', 'here']);
  const picked = [];
  const root = graph([entry(0, 500)], 10, 0, (ply) => picked.push(ply));
  root.getBoundingClientRect = () => ({ left: 100, width: 200 });
  for (const clientX of [100, 129, 131, 300]) root.heard.click({ clientX });
  assert.deepEqual(picked, [0, 1, 2, 10]);
});
