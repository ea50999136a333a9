// Compresses a file in gzip's format as tightly as possible, which takes a while: node pack.mjs FROM TO.
import { readFileSync, writeFileSync } from 'node:fs';
import zopfli from '@gfx/zopfli';

const [from, to] = process.argv.slice(2);
writeFileSync(
  to,
  await zopfli.gzipAsync(readFileSync(from), { numiterations: 15, blocksplittingmax: 0 }),
);
