import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';

const WEB = new URL('../web/', import.meta.url).pathname;
const read = (path) => readFileSync(join(WEB, path), 'utf8');

/** The rooms, each with those it may import from. */
const rooms = new Map(
  read('ROOMS.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [, name, , others] = line.split('|');
      const named = (text) => [...text.matchAll(/`(\w+)`/g)].map(([, one]) => one);
      return [named(name)[0], named(others)];
    }),
);

const modules = readdirSync(WEB, { recursive: true }).filter((path) => path.endsWith('.js'));
const roomOf = (path) => (path.includes('/') ? path.split('/')[0] : '');

/** The modules that one runs; types in comments may come from anywhere. */
const imported = (path) => {
  const text = read(path);
  const now = [...text.matchAll(/^(?:import|export)\b[^;]*? from '([^']+)';/gm)];
  const later = [...text.matchAll(/await import\('([^']+)'\)/g)];
  return [...now, ...later].map(([, to]) => join(dirname(path), to));
};

test('every module lies in a room of the table, and every room of the table exists', () => {
  const used = new Set(modules.map(roomOf).filter((room) => room !== ''));
  assert.deepEqual([...used].sort(), [...rooms.keys()].sort());
});

test('modules import from the rooms that the table allows', () => {
  const wrong = modules.flatMap((path) => {
    const room = roomOf(path);
    const may = [room, ...(rooms.get(room) ?? [])];
    return imported(path)
      .filter((to) => to !== 'address.js' && room !== '' && !may.includes(roomOf(to)))
      .map((to) => `${path} imports ${to}`);
  });
  assert.deepEqual(wrong, []);
});

test('no room is imported by one that it imports from, directly or through others', () => {
  const reaches = (room, seen = new Set()) => {
    for (const other of rooms.get(room) ?? []) {
      assert.ok(rooms.has(other), `${room} may import from ${other}, which is no room`);
      if (!seen.has(other)) reaches(other, seen.add(other));
    }
    return seen;
  };
  for (const room of rooms.keys()) assert.ok(!reaches(room).has(room), room);
});

test('whatever the table allows is used', () => {
  const unused = [...rooms].flatMap(([room, others]) => {
    const paths = modules.filter((path) => roomOf(path) === room).flatMap(imported);
    return others.filter((other) => !paths.some((to) => roomOf(to) === other));
  });
  assert.deepEqual(unused, []);
});

test('no line is longer than 120 columns', () => {
  const texts = readdirSync(WEB, { recursive: true }).filter((path) =>
    /\.(css|html|js)$/.test(path),
  );
  const long = texts.flatMap((path) =>
    read(path)
      .split('\n')
      .flatMap((line, i) => (line.length > 120 ? [`${path}:${i + 1}`] : [])),
  );
  assert.deepEqual(long, []);
});

test('addresses of files are made in one place, since a bundle lies elsewhere than its modules', () => {
  const named = modules.filter((path) => read(path).includes('import.meta'));
  assert.deepEqual(named, ['address.js']);
});
