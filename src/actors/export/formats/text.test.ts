import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourceOf, textOf } from '../fixture.ts';
import { toText, writeText } from './text.ts';

const row = (item: string) => item;

test('many small items share a chunk of about 64 KiB', async () => {
  const sizes: number[] = [];
  const batch = Array.from({ length: 1000 }, () => 'x'.repeat(100));
  for await (const chunk of writeText(sourceOf(batch, batch, batch)(), { row })) sizes.push(chunk.length);
  assert.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    300_000,
  );
  assert.equal(sizes.length, 5);
  for (const size of sizes.slice(0, -1)) assert.ok(size >= 65_536 && size < 66_000, `${size}`);
});

test('no batch is read before the reader asks for it', async () => {
  let given = 0;
  async function* batches() {
    for (;;) {
      given += 1;
      yield ['x'.repeat(70_000)];
    }
  }
  const chunks = writeText(batches(), { row });
  assert.equal(given, 0);
  await chunks.next();
  assert.equal(given, 1);
  await chunks.next();
  assert.equal(given, 2);
});

test('a reader that stops closes the source', async () => {
  let isEnded = false;
  async function* batches() {
    try {
      for (;;) yield ['x'.repeat(70_000)];
    } finally {
      isEnded = true;
    }
  }
  for await (const chunk of writeText(batches(), { row })) {
    assert.equal(chunk.length, 70_000);
    break;
  }
  assert.ok(isEnded);
});

test('a failure of the source reaches the reader', async () => {
  async function* batches(): AsyncGenerator<string[]> {
    yield ['x'];
    throw new Error('the disk is gone');
  }
  await assert.rejects(textOf(writeText(batches(), { row })), /the disk is gone/);
});

test('without items there are head and tail, without these no chunk at all', async () => {
  assert.equal(
    await textOf(writeText(sourceOf<string>()(), { row, head: 'H', between: ',', tail: 'T' })),
    'HT',
  );
  assert.deepEqual(await writeText(sourceOf<string>([], [])(), { row }).next(), {
    done: true,
    value: undefined,
  });
});

test('plain values become text, and null becomes none', () => {
  const values = ['x', '', 0, -0.5, 1e21, true, false, null, undefined];
  assert.deepEqual(values.map(toText), ['x', '', '0', '-0.5', '1e+21', 'true', 'false', '', '']);
});
