// Exports many items in every format and prints how far memory rose, in bytes; run with --expose-gc.
import { exporters } from './exporters.ts';
import type { Item } from './input.ts';

const [count = '300000'] = process.argv.slice(2);
const BATCH = 1000;

async function* source(): AsyncGenerator<Item[]> {
  for (let start = 0; start < Number(count); start += BATCH) {
    yield Array.from({ length: BATCH }, (_, at) => ({
      id: start + at,
      url: `https://shop.test/${start + at}`,
      tags: ['new', `n${at % 7}`],
      // A few columns and keys come late, as they do in real items.
      ...(at % 500 === 0 && { [`late${start % 50_000}`]: 'x "y" <z>' }),
    }));
  }
}

function usedBytes(): number {
  globalThis.gc!();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const rises: Record<string, number> = {};
for (const [format, { write }] of Object.entries(exporters)) {
  const before = usedBytes();
  let highest = before;
  let chunks = 0;
  for await (const _ of write(source)) {
    chunks += 1;
    if (chunks % 40 === 0) highest = Math.max(highest, usedBytes());
  }
  rises[format] = highest - before;
}
process.stdout.write(JSON.stringify(rises));
