import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { type Item, parseItems, SEPARATOR } from '../export/input.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { datasetMigrations } from '../migrations/datasets.ts';
import { packItems } from './chunks.ts';
import { pageQuery, readTexts, readOutlines, type ItemRange } from './store-reads.ts';
import { measureItems } from './model.ts';
import { appendItems, countReads, findCounts, listMeasures, insertDataset, purgeDataset } from './store.ts';

let datasets = 0;

onEachEngine(({ kind, open }) => {
  let engine: Engine;
  before(async () => (engine = await open(datasetMigrations)));

  async function make(): Promise<string> {
    const id = `dataset-${++datasets}`;
    await insertDataset(engine.db, id, 5);
    return id;
  }

  async function push(id: string, items: Item[], fields: string[] = []): Promise<boolean> {
    return appendItems(engine, id, await packItems(items, new Set()), await measureItems(items, fields), 10);
  }

  async function read(id: string, range: ItemRange): Promise<unknown[]> {
    const items: unknown[] = [];
    for await (const texts of readTexts(engine.db, id, range)) items.push(...texts.flatMap(parseItems));
    return items;
  }

  const countsOf = async (id: string) => (await findCounts(engine.db, [id])).get(id);
  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => ({ n: from + index }));

  describe('pushing', () => {
    test('appends in order and counts exactly', async () => {
      const id = await make();
      assert.equal(await push(id, [{ a: 1 }, { '#b': 2 }]), true);
      assert.equal(await push(id, numbers(0, 2500)), true);
      const counts = (await countsOf(id))!;
      const lines = [{ a: 1 }, { '#b': 2 }, ...numbers(0, 2500)];
      assert.deepEqual([counts.itemCount, counts.cleanItemCount, counts.modifiedAt], [2502, 2501, 10]);
      assert.deepEqual(counts.fields, ['a', '#b', 'n']);
      assert.deepEqual(await read(id, { first: 0, end: 2502, desc: false }), lines);
      const kept = await engine.db
        .selectFrom('dataset_chunks')
        .select(['item_count', 'bytes', 'items'])
        .where('dataset_id', '=', id)
        .execute();
      assert.equal(
        counts.bytes,
        kept.reduce((sum, { items }) => sum + Buffer.byteLength(items), 0),
      );
      for (const { item_count, bytes, items } of kept) {
        assert.deepEqual([items.split(SEPARATOR).length, Buffer.byteLength(items)], [item_count, bytes]);
      }
    });

    test('to a missing dataset writes nothing', async () => {
      assert.equal(await push('nowhere', [{ a: 1 }], ['a']), false);
      const chunks = await engine.db
        .selectFrom('dataset_chunks')
        .select('items')
        .where('dataset_id', '=', 'nowhere')
        .execute();
      assert.deepEqual([chunks, await listMeasures(engine.db, 'nowhere')], [[], []]);
    });

    test('many at once keeps each batch together and loses nothing', async () => {
      const id = await make();
      const batches = Array.from({ length: 200 }, (_, batch) =>
        Array.from({ length: (batch % 7) + 1 }, (_inner, n) => ({ batch, n, of: (batch % 7) + 1 })),
      );
      assert.deepEqual(
        new Set(await Promise.all(batches.map((batch) => push(id, batch, ['n'])))),
        new Set([true]),
      );
      const total = batches.flat().length;
      assert.equal((await countsOf(id))!.itemCount, total);
      const items = (await read(id, { first: 0, end: total, desc: false })) as {
        batch: number;
        n: number;
        of: number;
      }[];
      for (let at = 0; at < items.length; at += items[at]!.of) {
        assert.deepEqual(items.slice(at, at + items[at]!.of), batches[items[at]!.batch]);
      }
      assert.equal(new Set(items.map(({ batch }) => batch)).size, batches.length);
      const [measured] = await listMeasures(engine.db, id);
      assert.deepEqual([measured!.min, measured!.max, measured!.emptyCount], [0, 6, 0]);
    });

    test('any character comes back as it was', async () => {
      const id = await make();
      const hard: Item = JSON.parse(
        '{"nul":"\\u0000","half":"\\ud800","lines":"\\r\\n\\u2028","\\u0000":"😀","__proto__":1}',
      ) as Item;
      await push(id, [hard], ['nul', '\0', '\ud800']);
      assert.deepEqual(await read(id, { first: 0, end: 1, desc: false }), [hard]);
      assert.deepEqual((await countsOf(id))!.fields, Object.keys(hard));
      assert.deepEqual((await listMeasures(engine.db, id)).map(({ field }) => field).sort(), [
        '\0',
        'nul',
        '\ud800',
      ]);
    });

    test('statistics grow with each push', async () => {
      const id = await make();
      await push(id, [{ a: 3 }, { a: null }, {}], ['a']);
      await push(id, [{ a: -1.5 }, { a: 'four' }], ['a']);
      await push(id, [{}], ['a']);
      assert.deepEqual(await listMeasures(engine.db, id), [
        { field: 'a', min: -1.5, max: 4, nullCount: 1, emptyCount: 2 },
      ]);
    });

    test('a single item of many megabytes is kept', async () => {
      const id = await make();
      const item = { text: 'x'.repeat(9_000_000) };
      await push(id, [{ a: 1 }, item, { b: 2 }]);
      assert.deepEqual(await read(id, { first: 0, end: 3, desc: true }), [{ b: 2 }, item, { a: 1 }]);
    });
  });

  describe('reading', () => {
    test('gives any range in either direction, whatever the chunks', async () => {
      const id = await make();
      let total = 0;
      for (const size of [1, 3, 1, 1200, 2, 1, 7, 1500, 1]) {
        await push(id, numbers(total, total + size));
        total += size;
      }
      const all = numbers(0, total);
      for (const [first, end] of [
        [0, total],
        [0, 0],
        [0, 1],
        [1, 4],
        [2, 3],
        [3, 1500],
        [1204, 1206],
        [total - 1, total],
        [total, total],
      ] as const) {
        assert.deepEqual(await read(id, { first, end, desc: false }), all.slice(first, end));
        assert.deepEqual(await read(id, { first, end, desc: true }), all.slice(first, end).reverse());
      }
    });

    test('continues over pages of small and of large chunks', async () => {
      const id = await make();
      for (let n = 0; n < 60; n += 1) await push(id, [{ n, text: 'x'.repeat(n % 20 === 0 ? 300_000 : 10) }]);
      const seen = (await read(id, { first: 0, end: 60, desc: false })) as { n: number }[];
      assert.deepEqual(
        seen.map(({ n }) => n),
        Array.from({ length: 60 }, (_, n) => n),
      );
    });

    test('is not affected by items appended meanwhile', async () => {
      const id = await make();
      await push(id, numbers(0, 5));
      const reading = readTexts(engine.db, id, { first: 0, end: 5, desc: true });
      await push(id, numbers(5, 10));
      const items: unknown[] = [];
      for await (const texts of reading) items.push(...texts.flatMap(parseItems));
      assert.deepEqual(items, numbers(0, 5).reverse());
    });

    test('fails when the dataset is emptied meanwhile, rather than seem complete', async () => {
      const id = await make();
      for (let n = 0; n < 40; n += 1) await push(id, [{ n, text: 'x'.repeat(100_000) }]);
      const reading = readTexts(engine.db, id, { first: 0, end: 40, desc: false });
      await reading.next();
      await purgeDataset(engine.db, id, new AbortController().signal);
      await assert.rejects(
        async () => {
          for await (const _ of reading);
        },
        (error) => error instanceof Failure && error.kind === 'not-found',
      );
    });

    test('stops when its reader does', async () => {
      const id = await make();
      for (let n = 0; n < 20; n += 1) await push(id, [{ text: 'x'.repeat(200_000) }]);
      const reading = readTexts(engine.db, id, { first: 0, end: 20, desc: false });
      await reading.next();
      await reading.return();
      assert.deepEqual(await reading.next(), { done: true, value: undefined });
    });

    test('outlines have the columns of the items, and are as many', async () => {
      const id = await make();
      const same = (from: number, to: number) =>
        numbers(from, to).map(({ n }) => ({ n, text: 'x'.repeat(50) }));
      await push(id, same(0, 1500));
      await push(id, [{ single: 1 }]);
      await push(id, [...same(1501, 1700), { n: 1700, late: { a: [1] } }]);
      for (const [first, end] of [
        [0, 1701],
        [1, 1701],
        [0, 1500],
        [999, 1001],
        [1500, 1502],
        [5, 6],
      ] as const) {
        const outlined: Item[] = [];
        for await (const texts of readOutlines(engine.db, id, { first, end }))
          outlined.push(...texts.flatMap(parseItems));
        const all = (await read(id, { first, end, desc: false })) as Item[];
        assert.equal(outlined.length, all.length, `${first}-${end}`);
        const keysOf = (items: Item[]) => [...new Set(items.flatMap(Object.keys))];
        assert.deepEqual(keysOf(outlined), keysOf(all), `${first}-${end}`);
      }
      const { length } = await read(id, { first: 0, end: 1701, desc: false });
      assert.equal(length, 1701);
    });

    test('reads are counted', async () => {
      const id = await make();
      await countReads(engine.db, id, 7);
      await countReads(engine.db, id, 5);
      assert.equal((await countsOf(id))!.readCount, 12);
    });
  });

  describe('emptying', () => {
    test('leaves nothing of the dataset and all of the others', async () => {
      const [id, other] = [await make(), await make()];
      for (let n = 0; n < 3; n += 1) await push(id, [{ n }], ['n']);
      await push(other, [{ kept: true }], ['kept']);
      await purgeDataset(engine.db, id, new AbortController().signal);
      assert.equal(await countsOf(id), undefined);
      assert.equal(await push(id, [{ late: 1 }], ['late']), false);
      for (const table of ['dataset_chunks', 'dataset_statistics'] as const) {
        const rows = await engine.db.selectFrom(table).selectAll().where('dataset_id', '=', id).execute();
        assert.deepEqual(rows, [], table);
      }
      assert.deepEqual(await read(other, { first: 0, end: 1, desc: false }), [{ kept: true }]);
    });

    test('runs in batches, and stops on its signal', async () => {
      const id = await make();
      const chunk = { dataset_id: id, item_count: 1, bytes: 2, items: '{}' };
      const rows = Array.from({ length: 1100 }, (_, first_seq) => ({ ...chunk, first_seq }));
      await engine.db.insertInto('dataset_chunks').values(rows).execute();
      await assert.rejects(purgeDataset(engine.db, id, AbortSignal.abort(new Error('stopping'))), /stopping/);
      await purgeDataset(engine.db, id, new AbortController().signal);
      const left = await engine.db
        .selectFrom('dataset_chunks')
        .select('first_seq')
        .where('dataset_id', '=', id)
        .execute();
      assert.deepEqual(left, []);
    });
  });

  test('a page is found by the index, wherever it begins', async () => {
    const id = await make();
    const chunk = { item_count: 10, bytes: 2, items: '{}' };
    for (const dataset_id of [id, `${id}-beside`]) {
      const rows = Array.from({ length: 2000 }, (_, n) => ({ ...chunk, dataset_id, first_seq: n * 10 }));
      await engine.db.insertInto('dataset_chunks').values(rows).execute();
    }
    if (kind === 'postgres') await sql`analyze dataset_chunks`.execute(engine.db);
    for (const desc of [false, true]) {
      const { sql: text, parameters } = pageQuery(
        engine.db,
        id,
        { first: 15_000, end: 19_000, desc },
        8,
      ).compile();
      const explain = kind === 'sqlite' ? 'explain query plan ' : 'explain ';
      const { rows } = await engine.db.executeQuery<Record<string, unknown>>({
        ...sql``.compile(engine.db),
        sql: explain + text,
        parameters,
      });
      const plan = rows.map((row) => String(row['detail'] ?? row['QUERY PLAN'])).join('\n');
      // `ahead` and `measured` are the query's own small results.
      assert.doesNotMatch(plan, /SCAN (dataset_chunks|start|chunk)|Seq Scan on dataset_chunks/i, plan);
      assert.match(plan, /dataset_chunks.*(first_seq|pkey)/i);
    }
  });
});
