import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { Failure } from '../../kernel/failure.ts';
import { exporters, startExport } from './exporters.ts';
import { bytesOf, sourceOf } from './fixture.ts';
import type { Item } from './input.ts';

/** An endless source that counts how often it was opened and closed. */
function endlessSource() {
  const seen = { begun: 0, ended: 0 };
  async function* source(): AsyncGenerator<Item[]> {
    seen.begun += 1;
    const isFirstPass = seen.begun === 1;
    try {
      for (let at = 0; !isFirstPass || at < 3; at += 1) {
        yield Array.from({ length: 100 }, (_, n) => ({ text: `${at} ${n} ${Math.sin(n + at)}`.repeat(20) }));
      }
    } finally {
      seen.ended += 1;
    }
  }
  return { source, seen };
}

for (const [format, { write, contentType, extension }] of Object.entries(exporters)) {
  test(`${format}: a reader that stops closes the source of items`, async () => {
    const { source, seen } = endlessSource();
    // Formats that read once must not end where tables end their first pass.
    if (['json', 'jsonl', 'xml', 'rss'].includes(format)) for await (const _ of source()) continue;
    for await (const chunk of write(source)) {
      assert.ok(chunk.length > 0);
      if (chunk.length > 10_000) break;
    }
    assert.deepEqual(seen, { begun: 2, ended: 2 });
  });

  test(`${format}: a failure of the source reaches the reader`, async () => {
    let begun = 0;
    async function* source(): AsyncGenerator<Item[]> {
      begun += 1;
      yield [{ a: 1 }];
      if (begun === 2 || !['csv', 'html', 'xlsx'].includes(format)) throw new Error('the disk is gone');
    }
    await assert.rejects(bytesOf(write(source)), /the disk is gone/);
  });

  test(`${format}: has a content type and an extension`, () => {
    assert.match(contentType, /^(application|text)\/[\w.+-]+(; charset=utf-8)?$/);
    assert.equal(extension, format);
  });
}

test('a started export gives the same chunks', async () => {
  const items = Array.from({ length: 5000 }, (_, at) => ({ at, text: 'x'.repeat(50) }));
  const started = await startExport(exporters.csv.write(sourceOf(items)));
  assert.deepEqual(await bytesOf(started), await bytesOf(exporters.csv.write(sourceOf(items))));
});

test('a table without columns fails before anything is sent', async () => {
  for (const format of ['csv', 'html', 'xlsx'] as const) {
    await assert.rejects(
      startExport(exporters[format].write(sourceOf<Item>([{}]))),
      (error) => error instanceof Failure && error.details.code === 'no-columns-in-exported-dataset',
    );
  }
});

test('a started export can be ended without reading it', async () => {
  const { source, seen } = endlessSource();
  const started = await startExport(exporters.html.write(source));
  assert.deepEqual(seen, { begun: 2, ended: 1 });
  await started.return?.();
  assert.deepEqual(seen, { begun: 2, ended: 2 });
  assert.equal((await started.next()).done, false, 'the first chunk was there already');
  assert.equal((await started.next()).done, true);
});

test('a stream that is destroyed ends the reading of items', async () => {
  for (const format of ['csv', 'xlsx'] as const) {
    const { source, seen } = endlessSource();
    const stream = Readable.from(await startExport(exporters[format].write(source)), { objectMode: false });
    await once(stream, 'readable');
    stream.destroy();
    await once(stream, 'close');
    assert.equal(seen.ended, seen.begun, format);
  }
});
