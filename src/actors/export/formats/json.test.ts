import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../../kernel/failure.ts';
import { anyBatches, nested, sourceOf, textOf } from '../fixture.ts';
import type { Item } from '../input.ts';
import { exportJson, exportJsonl, exportJsonlTexts, exportJsonTexts } from './json.ts';

test('items become one array', async () => {
  assert.equal(
    await textOf(exportJson(sourceOf<Item>([{ a: 1 }, { b: [] }], [], [{}]))),
    '[{"a":1},\n{"b":[]},\n{}]',
  );
  assert.equal(await textOf(exportJson(sourceOf())), '[]');
});

test('a byte order mark is written when asked for', async () => {
  assert.equal(await textOf(exportJson(sourceOf([{}]), { bom: true })), '\uFEFF[{}]');
  assert.equal(await textOf(exportJsonTexts(sourceOf(['{}']), { bom: true })), '\uFEFF[{}]');
});

test('an export is read back unchanged, and texts give the same as items', async () => {
  await fc.assert(
    fc.asyncProperty(anyBatches, async (batches) => {
      const text = await textOf(exportJson(sourceOf(...batches)));
      const items = batches.flat();
      assert.equal(JSON.stringify(JSON.parse(text)), JSON.stringify(items));
      const texts = batches.map((batch) => batch.map((item) => JSON.stringify(item)));
      assert.equal(await textOf(exportJsonTexts(sourceOf(...texts))), text);
      // Lone surrogates are escaped, so that the bytes preserve them.
      assert.ok(text.isWellFormed());
    }),
  );
});

test('an item too deep for the stack is a failure, not a crash', async () => {
  await assert.rejects(
    textOf(exportJson(sourceOf([nested(100_000)]))),
    (error) => error instanceof Failure && error.kind === 'invalid',
  );
});

test('each item of JSON lines is a line', async () => {
  assert.equal(await textOf(exportJsonl(sourceOf([{ a: 'x\ny' }], [{}]))), '{"a":"x\\ny"}\n{}\n');
  assert.equal(await textOf(exportJsonl(sourceOf())), '');
  assert.equal(await textOf(exportJsonl(sourceOf([{}]), { bom: true })), '\uFEFF{}\n');
});

test('there are as many lines as items, and texts give the same as items', async () => {
  await fc.assert(
    fc.asyncProperty(anyBatches, async (batches) => {
      const text = await textOf(exportJsonl(sourceOf(...batches)));
      const texts = batches.map((batch) => batch.map((item) => JSON.stringify(item)));
      assert.deepEqual(text.split('\n'), [...texts.flat(), '']);
      assert.equal(await textOf(exportJsonlTexts(sourceOf(...texts))), text);
    }),
  );
});
