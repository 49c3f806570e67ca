import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usedBytes } from '../../../test/memory.ts';
import { exporters } from './exporters.ts';
import type { Item } from './input.ts';

const COUNT = 300_000;
const BATCH = 1000;

async function* source(): AsyncGenerator<Item[]> {
  for (let start = 0; start < COUNT; start += BATCH) {
    yield Array.from({ length: BATCH }, (_, at) => ({
      id: start + at,
      url: `https://shop.test/${start + at}`,
      tags: ['new', `n${at % 7}`],
      // Some columns appear late, as in real items.
      ...(at % 500 === 0 && { [`late${start % 5000}`]: 'x "y" <z>' }),
    }));
  }
}

for (const [format, { write }] of Object.entries(exporters)) {
  test(`${format}: memory stays flat while 300,000 items are written`, async () => {
    const before = usedBytes();
    let highest = before;
    let chunks = 0;
    for await (const _ of write(source)) {
      chunks += 1;
      if (chunks % 40 === 0) highest = Math.max(highest, usedBytes());
    }
    assert.ok(chunks > 100);
    assert.ok(highest - before < 20_000_000, `rose by ${highest - before} bytes`);
  });
}
