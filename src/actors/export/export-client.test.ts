// Exports in the export thread: the same bytes as in the main thread, the same errors, and no open sources.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Failure } from '../../kernel/failure.ts';
import { ExportWriter } from './export-client.ts';
import { exporters, startExport, type ExportFormat } from './exporters.ts';
import { parseItems } from './input.ts';

const writer = new ExportWriter();
after(() => writer.close());

const texts = ['{"a":1,"b":"<x>"}', '{"c":[1,{"d":"é"}]},\n{"a":"\\u0001"}'];
const FORMATS: ExportFormat[] = ['json', 'jsonl', 'csv', 'html', 'xml', 'rss'];

/** A source of batches that counts its open iterations. */
function source(batches: readonly string[][]) {
  const open = { count: 0 };
  const items = async function* () {
    open.count += 1;
    try {
      for (const batch of batches) {
        await turn();
        yield batch;
      }
    } finally {
      open.count -= 1;
    }
  };
  return { items, open };
}

const textOf = async (chunks: AsyncIterable<Uint8Array | string>) => {
  let text = '';
  for await (const chunk of chunks) text += Buffer.from(chunk).toString();
  return text;
};

test('a file has the bytes that it would have here', async () => {
  const { items, open } = source(texts.map((text) => [text]));
  const parsed = async function* () {
    yield texts.flatMap(parseItems);
  };
  await Promise.all(
    FORMATS.map(async (format) => {
      const made = await textOf(writer.write({ format, projection: {}, options: {} }, { items }));
      assert.equal(made, await textOf(exporters[format].write(parsed, {})), format);
    }),
  );
  assert.equal(open.count, 0);
});

test('items are projected in the thread', async () => {
  const { items } = source([texts]);
  const task = { format: 'jsonl', projection: { omit: ['a'], skipEmpty: true }, options: {} } as const;
  assert.equal(await textOf(writer.write(task, { items })), '{"b":"<x>"}\n{"c":[1,{"d":"é"}]}\n');
});

test('a table learns its columns from the outlines where there are some', async () => {
  const { items } = source([['{"a":1}']]);
  const outlines = source([['{"b":null,"a":null}']]).items;
  const task = { format: 'csv', projection: {}, options: { bom: false } } as const;
  assert.equal(await textOf(writer.write(task, { items, outlines })), 'b,a\r\n,1\r\n');
});

test('errors of options and items are the same as in the main thread', async () => {
  const { items, open } = source([['{}']]);
  for (const [format, projection, message] of [
    ['json', { fields: ['a'], outputFields: ['b', 'c'] }, /outputFields/],
    ['csv', {}, /no item has a column/],
  ] as const) {
    await assert.rejects(
      startExport(writer.write({ format, projection, options: {} }, { items })),
      (error: Failure) => error instanceof Failure && error.kind === 'invalid' && message.test(error.message),
    );
  }
  assert.equal(open.count, 0);
});

test('an export fails with the error that its items could not be read for', async () => {
  const failure = new Failure('not-found', 'gone');
  const items = async function* () {
    yield ['{"a":1}'];
    throw failure;
  };
  const task = { format: 'xml', projection: {}, options: {} } as const;
  await assert.rejects(textOf(writer.write(task, { items })), (error) => error === failure);
});

test('a reader that stops early leaves no open source, and the next export works', async () => {
  const { items, open } = source(Array.from({ length: 1000 }, () => [`{"a":"${'x'.repeat(10_000)}"}`]));
  const task = { format: 'xml', projection: {}, options: {} } as const;
  for await (const chunk of writer.write(task, { items })) {
    assert.ok(chunk.length > 0);
    break;
  }
  while (open.count > 0) await turn();
  const { items: few } = source([['{"a":1}']]);
  assert.match(await textOf(writer.write(task, { items: few })), /<a>1<\/a>/);
});

test('others have their turn while much is exported', async () => {
  const { items } = source([[`{"text":"${'<&'.repeat(500_000)}"}`]]);
  let turns = 0;
  const counting = setInterval(() => (turns += 1));
  await textOf(writer.write({ format: 'html', projection: {}, options: {} }, { items }));
  clearInterval(counting);
  assert.ok(turns > 0);
});
