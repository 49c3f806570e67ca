import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyBatches, sourceOf, textOf } from './fixture.ts';
import { exportJsonl, exportJsonlTexts } from './jsonl.ts';

test('each item is a line', async () => {
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
