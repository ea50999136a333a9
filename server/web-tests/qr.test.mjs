import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import { outline, qrCode } from '../web/club/qr.js';

test('a code is as large as its text needs', () => {
  const sizes = [1, 17, 18, 32, 33, 53, 54, 78, 79, 106].map(
    (length) => qrCode('x'.repeat(length))?.length,
  );
  assert.deepEqual(sizes, [21, 21, 25, 25, 29, 29, 33, 33, 37, 37]);
  assert.equal(qrCode('x'.repeat(107)), null);
  assert.equal(qrCode('ä'.repeat(54)), null);
});

test('codes are those that zbarimg has read back', () => {
  const prints = [
    'https://play.example.org/lobby#pk-ABCDEFGHIJKLMNOPQRSTUV',
    'pk-0123456789012345678901',
    'x'.repeat(106),
  ].map((text) => {
    const code = qrCode(text) ?? [];
    const bits = code.map((row) => row.map(Number).join('')).join('\n');
    return createHash('sha256').update(bits).digest('hex').slice(0, 16);
  });
  assert.deepEqual(prints, ['ae7a02d2303f9984', 'dcbe90c1a9ec3217', '28571cbdad171764']);
});

test('each corner but one has its square', () => {
  const code = qrCode('pk-0123456789012345678901') ?? [];
  const size = code.length;
  const ring = (/** @type {number} */ top, /** @type {number} */ left) =>
    [0, 6].every((edge) =>
      [0, 1, 2, 3, 4, 5, 6].every((i) => code[top + edge][left + i] && code[top + i][left + edge]),
    );
  assert.ok(ring(0, 0) && ring(0, size - 7) && ring(size - 7, 0));
  assert.ok(!ring(size - 7, size - 7));
  assert.ok(outline(code).startsWith('M0 0h1v1h-1z'));
});
