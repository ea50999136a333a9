/**
 * QR codes (ISO/IEC 18004) for short texts: byte mode, versions 1 to 5, error correction level L, which needs only one
 * block of code words. All functions are pure.
 */

/** For each version: the number of data and error correction code words, and the position of its alignment pattern. */
const VERSIONS = [
  { data: 19, check: 7, align: 0 },
  { data: 34, check: 10, align: 18 },
  { data: 55, check: 15, align: 22 },
  { data: 80, check: 20, align: 26 },
  { data: 108, check: 26, align: 30 },
];

/** Powers of 2 in GF(256), and their logarithms. */
const [POWERS, LOGS] = (() => {
  const powers = new Uint8Array(255);
  const logs = new Uint8Array(256);
  for (let i = 0, x = 1; i < 255; i++) {
    powers[i] = x;
    logs[x] = i;
    x = (x << 1) ^ (x & 128 ? 0x11d : 0);
  }
  return [powers, logs];
})();

const times = (/** @type {number} */ a, /** @type {number} */ b) =>
  a && b ? POWERS[(LOGS[a] + LOGS[b]) % 255] : 0;

/** The error correction code words for these data. @param {number[]} data @param {number} count */
const checks = (data, count) => {
  let divisor = [1];
  for (let i = 0; i < count; i++)
    divisor = [...divisor, 0].map((one, at) => one ^ times(divisor[at - 1] ?? 0, POWERS[i]));
  const rest = [...data, ...Array(count).fill(0)];
  for (let i = 0; i < data.length; i++) {
    const factor = rest[i];
    divisor.forEach((one, at) => {
      rest[i + at] ^= times(one, factor);
    });
  }
  return rest.slice(data.length);
};

/** All code words for a text in a version. @param {Uint8Array} bytes @param {typeof VERSIONS[0]} version */
const words = (bytes, { data, check }) => {
  const bits = [0, 1, 0, 0];
  const push = (/** @type {number} */ value, /** @type {number} */ count) => {
    for (let i = count - 1; i >= 0; i--) bits.push((value >> i) & 1);
  };
  push(bytes.length, 8);
  for (const byte of bytes) push(byte, 8);
  push(0, Math.min(4, data * 8 - bits.length));
  while (bits.length % 8) bits.push(0);
  const all = [];
  for (let i = 0; i < bits.length; i += 8) all.push(parseInt(bits.slice(i, i + 8).join(''), 2));
  for (let i = 0; all.length < data; i++) all.push(i % 2 ? 0x11 : 0xec);
  return [...all, ...checks(all, check)];
};

/** The 15 format bits for level L and mask 0. */
const FORMAT = '111011111000100';

/**
 * The code for a text, row by row, true for dark; null if the text is too long.
 * @param {string} text @returns {boolean[][]|null}
 */
export const qrCode = (text) => {
  const bytes = new TextEncoder().encode(text);
  const number = VERSIONS.findIndex(({ data }) => bytes.length <= data - 2);
  if (number < 0) return null;
  const version = VERSIONS[number];
  const size = 21 + 4 * number;
  /** @type {(boolean|undefined)[][]} */
  const grid = Array.from({ length: size }, () => Array(size).fill(undefined));
  const set = (/** @type {number} */ y, /** @type {number} */ x, /** @type {boolean} */ dark) => {
    if (y >= 0 && x >= 0 && y < size && x < size) grid[y][x] = dark;
  };
  for (const [top, left] of [
    [0, 0],
    [0, size - 7],
    [size - 7, 0],
  ])
    for (let y = -1; y <= 7; y++)
      for (let x = -1; x <= 7; x++) {
        const ring = Math.max(Math.abs(y - 3), Math.abs(x - 3));
        set(top + y, left + x, ring !== 2 && ring <= 3);
      }
  for (let i = 8; i < size - 8; i++) {
    set(6, i, i % 2 === 0);
    set(i, 6, i % 2 === 0);
  }
  if (version.align)
    for (let y = -2; y <= 2; y++)
      for (let x = -2; x <= 2; x++)
        set(version.align + y, version.align + x, Math.max(Math.abs(y), Math.abs(x)) !== 1);
  for (let i = 0; i < 15; i++) {
    const dark = FORMAT[14 - i] === '1';
    // One copy beside the first corner, one split between the other two.
    if (i < 6) set(i, 8, dark);
    else if (i < 8) set(i + 1, 8, dark);
    else if (i === 8) set(8, 7, dark);
    else set(8, 14 - i, dark);
    if (i < 8) set(8, size - 1 - i, dark);
    else set(size - 15 + i, 8, dark);
  }
  set(size - 8, 8, true);
  const bits = words(bytes, version).flatMap((word) =>
    [7, 6, 5, 4, 3, 2, 1, 0].map((bit) => (word >> bit) & 1),
  );
  let next = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    const up = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step++)
      for (const x of [right, right - 1]) {
        const y = up ? size - 1 - step : step;
        if (grid[y][x] !== undefined) continue;
        grid[y][x] = (bits[next++] === 1) !== ((y + x) % 2 === 0);
      }
  }
  return /** @type {boolean[][]} */ (grid);
};

/** The outline of the dark squares as an SVG path, one unit per square. @param {boolean[][]} code */
export const outline = (code) =>
  code.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
