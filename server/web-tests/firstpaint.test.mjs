// What the style sheets say of boards that no script has measured yet.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { ask } from './program.mjs';

const read = (name) => readFileSync(new URL(`../web/${name}`, import.meta.url), 'utf8');

test('before the scripts run, a board has its shape and its coordinates their size', async () => {
  const [styles, layout] = [read('styles.css'), read('layout.css')];
  for (const id of ['glaisher', 'gekitai', 'jeson-mor', 'six-making']) {
    const [width, height] = (await ask('view', { game: id })).size;
    assert.ok(styles.includes(`[viewBox^='0 0 ${width}']) { --across: ${width} }`), id);
    if (width > 1.05 * height)
      assert.ok(layout.includes(`.drawn.wide) { --wide: ${(width / height).toFixed(4)} }`), id);
  }
});
