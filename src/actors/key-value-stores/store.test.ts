// Records in the database, on each engine: exact sums, one record per key, and no writes to deleted stores.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { keyValueStoreMigrations } from '../migrations/key-value-stores.ts';
import {
  deleteRecord,
  deleteRecordBatch,
  findRecord,
  listKeys,
  listRecords,
  listRecordBatch,
  listReferencedBlobs,
  replaceRecord,
  type NewRecord,
} from './store.ts';
import { addStoreUsage, insertStore, deleteStore, findStats } from './store-stats.ts';

const inRow = (text: string): NewRecord => {
  const body = new Uint8Array(Buffer.from(text));
  return { contentType: 'text/plain', encoding: null, size: body.length, etag: `tag-${text}`, body };
};
const inBlob = (blob: string, size: number): NewRecord => ({
  contentType: 'image/png',
  encoding: 'gzip',
  size,
  etag: blob,
  blob,
});

onEachEngine((testEngine) => {
  let engine: Engine;
  let stores = 0;
  before(async () => (engine = await testEngine.open(keyValueStoreMigrations)));

  async function make(): Promise<string> {
    const id = `store-${++stores}`;
    await insertStore(engine.db, id, 1);
    return id;
  }
  const stats = async (id: string) => (await findStats(engine.db, [id]))(id);

  test('a record is the last one written, in the row or in a blob', async () => {
    const id = await make();
    assert.equal(await replaceRecord(engine, id, 'key', inRow('one'), 10), undefined);
    const first = (await findRecord(engine.db, id, 'key'))!;
    assert.ok('body' in first && Buffer.from(first.body).toString() === 'one');
    assert.deepEqual(
      [first.contentType, first.encoding, first.size, first.updatedAt],
      ['text/plain', null, 3, 10],
    );
    assert.equal(await replaceRecord(engine, id, 'key', inBlob('blob-a', 100), 20), undefined);
    const second = (await findRecord(engine.db, id, 'key'))!;
    assert.ok('blob' in second && second.blob === 'blob-a');
    assert.deepEqual([second.encoding, second.size, second.etag], ['gzip', 100, 'blob-a']);
    assert.equal(await replaceRecord(engine, id, 'key', inBlob('blob-b', 50), 30), 'blob-a');
    assert.equal(await replaceRecord(engine, id, 'key', inRow(''), 40), 'blob-b');
    assert.equal(await findRecord(engine.db, id, 'other'), undefined);
  });

  test('a row holds every byte value, and an empty record', async () => {
    const id = await make();
    const body = Uint8Array.from({ length: 256 }, (_, i) => i);
    await replaceRecord(engine, id, 'all', { ...inRow(''), size: 256, body }, 1);
    await replaceRecord(engine, id, 'none', inRow(''), 1);
    const [all, none] = [await findRecord(engine.db, id, 'all'), await findRecord(engine.db, id, 'none')];
    assert.ok(all && 'body' in all && Buffer.from(all.body).equals(body));
    assert.ok(none && 'body' in none && none.body.length === 0);
  });

  test('each replaced blob is returned once, with any number of concurrent writes', async () => {
    const id = await make();
    const blobs = Array.from({ length: 30 }, (_, i) => `former-${i}`);
    const summaries = await Promise.all(
      blobs.map((blob, i) =>
        i % 5 === 4
          ? deleteRecord(engine, id, 'key', 1)
          : replaceRecord(engine, id, 'key', inBlob(blob, i), 1),
      ),
    );
    const left = await findRecord(engine.db, id, 'key');
    const named = left && 'blob' in left ? [left.blob] : [];
    const dropped = summaries.filter((blob) => blob !== undefined);
    const written = blobs.filter((_, i) => i % 5 !== 4);
    assert.deepEqual([...dropped, ...named].sort(), written.sort());
  });

  test('the sum of sizes is exact under writes and deletes at the same time', async () => {
    const id = await make();
    const work: Promise<unknown>[] = [];
    for (let i = 0; i < 60; i += 1) {
      const key = `key-${i % 7}`;
      work.push(
        i % 4 === 3
          ? deleteRecord(engine, id, key, i)
          : replaceRecord(engine, id, key, inBlob(`sum-${i}`, (i * 37) % 1000), i),
      );
    }
    await Promise.all(work);
    const records = await listKeys(engine.db, id, { prefixes: [''], limit: 100 });
    const sum = records.reduce((total, { size }) => total + size, 0);
    const { storageBytes, writeCount, deleteCount } = await stats(id);
    assert.deepEqual([storageBytes, writeCount, deleteCount], [sum, 45, 15]);
    for (const { key } of records) await deleteRecord(engine, id, key, 1);
    assert.equal((await stats(id)).storageBytes, 0);
  });

  test('deleting a missing record changes no sum', async () => {
    const id = await make();
    await replaceRecord(engine, id, 'key', inRow('12345'), 1);
    assert.equal(await deleteRecord(engine, id, 'absent', 7), undefined);
    const { storageBytes, deleteCount, modifiedAt } = await stats(id);
    assert.deepEqual([storageBytes, deleteCount, modifiedAt], [5, 1, 7]);
  });

  test('nothing is written into a missing store', async () => {
    await assert.rejects(replaceRecord(engine, 'absent', 'key', inRow('x'), 1), { kind: 'not-found' });
    assert.equal(await findRecord(engine.db, 'absent', 'key'), undefined);
    assert.equal(await deleteRecord(engine, 'absent', 'key', 1), undefined);
    assert.equal((await stats('absent')).storageBytes, 0);
  });

  test('stores do not see the records of others', async () => {
    const [one, other] = [await make(), await make()];
    await replaceRecord(engine, one, 'key', inRow('one'), 1);
    assert.equal(await findRecord(engine.db, other, 'key'), undefined);
    assert.deepEqual(await listKeys(engine.db, other, { prefixes: [''], limit: 10 }), []);
    await deleteRecord(engine, other, 'key', 1);
    assert.ok(await findRecord(engine.db, one, 'key'));
  });

  test('keys are listed in the order of their bytes, from one on, by all prefixes', async () => {
    const id = await make();
    const keys = ['b', 'B', 'a', 'A', 'a-1', 'a_1', 'aB', 'ab', '!', '~'.replace('~', 'z'), "a'"];
    for (const key of keys) await replaceRecord(engine, id, key, inRow(key), 1);
    const list = async (page: Partial<Parameters<typeof listKeys>[2]>) =>
      (await listKeys(engine.db, id, { prefixes: [], limit: 100, ...page })).map(({ key }) => key);
    assert.deepEqual(await list({}), keys.toSorted());
    assert.deepEqual(await list({ prefixes: ['a'] }), keys.filter((key) => key.startsWith('a')).sort());
    assert.deepEqual(await list({ prefixes: ['a', 'a-'] }), ['a-1']);
    assert.deepEqual(await list({ prefixes: ['a', 'b'] }), []);
    assert.deepEqual(await list({ prefixes: [''], key: 'b' }), ['b']);
    assert.deepEqual(await list({ prefixes: ['a'], after: 'a-1', limit: 2 }), ['aB', 'a_1']);
    assert.deepEqual(await list({ after: 'z' }), []);
    const records = await listRecords(engine.db, id, { prefixes: ['B'], limit: 10 });
    assert.deepEqual(
      records.map(({ key, size }) => [key, size]),
      [['B', 1]],
    );
  });

  test('reads and lists are added up', async () => {
    const [one, other] = [await make(), await make()];
    const usage = new Map([
      [one, { reads: 2, lists: 1 }],
      [other, { reads: 0, lists: 3 }],
      ['absent', { reads: 1, lists: 1 }],
    ]);
    await Promise.all([addStoreUsage(engine, usage), addStoreUsage(engine, new Map([...usage].reverse()))]);
    assert.deepEqual([(await stats(one)).readCount, (await stats(one)).listCount], [4, 2]);
    assert.deepEqual([(await stats(other)).readCount, (await stats(other)).listCount], [0, 6]);
  });

  test('a store goes when it is empty, and not before', async () => {
    const id = await make();
    await replaceRecord(engine, id, 'a', inBlob('some-a', 1), 1);
    await replaceRecord(engine, id, 'b', inRow('b'), 1);
    await assert.rejects(deleteStore(engine.db, id), { kind: 'conflict' });
    assert.deepEqual(await listRecordBatch(engine.db, id, 1), [{ key: 'a', blob: 'some-a' }]);
    assert.deepEqual(await listReferencedBlobs(engine.db, ['some-a', 'some-b']), new Set(['some-a']));
    assert.deepEqual(await deleteRecordBatch(engine.db, id, ['a', 'b', 'c']), ['some-a']);
    await deleteStore(engine.db, id);
    await deleteStore(engine.db, id);
    await assert.rejects(replaceRecord(engine, id, 'a', inRow('x'), 1), { kind: 'not-found' });
  });
});
