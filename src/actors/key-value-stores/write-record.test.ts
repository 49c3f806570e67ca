// Deleted stores are purged with all their records, in batches; exactly the unreferenced blobs are found.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { openFileBlobs, type BlobStore } from '../../kernel/storage/blobs/blob.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { keyValueStoreMigrations } from '../migrations/key-value-stores.ts';
import { findOrphans, orphanSweep } from '../../kernel/storage/blobs/orphan-blobs.ts';
import { purgeStore, recordBlobs } from './write-record.ts';
import { findRecord, listKeys, replaceRecord } from './store.ts';
import { insertStore } from './store-stats.ts';

const HOUR = 60 * 60 * 1000;

onEachEngine((testEngine) => {
  let engine: Engine;
  let blobs: BlobStore;
  let kernel: Kernel;
  let folder: string;
  let now = Date.now();
  before(async () => {
    engine = await testEngine.open(keyValueStoreMigrations);
    folder = await mkdtemp(join(tmpdir(), 'signalbox-test-'));
    blobs = await openFileBlobs(folder);
    const log = { info: () => {}, warn: () => {} };
    kernel = { engine, db: engine.db, blobs, log, clock: { now: () => now } } as unknown as Kernel;
  });
  after(() => rm(folder, { recursive: true }));

  async function fill(id: string, count: number): Promise<void> {
    await insertStore(engine.db, id, 1);
    for (let i = 0; i < count; i += 1) {
      const blob = `kv/${id}/${i}`;
      const head = { contentType: 'a/b', encoding: null, size: 1, etag: blob };
      if (i % 3 === 0) {
        await blobs.put(blob, new Uint8Array(1));
        await replaceRecord(engine, id, `key-${i}`, { ...head, blob }, 1);
      } else await replaceRecord(engine, id, `key-${i}`, { ...head, body: new Uint8Array(1) }, 1);
    }
  }
  const named = async (prefix: string) => (await Array.fromAsync(blobs.list(prefix))).length;
  const orphans = async () =>
    (await Array.fromAsync(findOrphans(engine.db, blobs, [recordBlobs], now))).sort();

  test('a store is emptied with its blobs, and others are left alone', async () => {
    await fill('gone', 450);
    await fill('stays', 5);
    await purgeStore(kernel, 'gone', new AbortController().signal);
    assert.deepEqual(await listKeys(engine.db, 'gone', { prefixes: [], limit: 10 }), []);
    assert.equal(await named('kv/gone/'), 0);
    assert.equal(await named('kv/stays/'), 2);
    await purgeStore(kernel, 'gone', new AbortController().signal);
  });

  test('an interrupted purge continues where it stopped', async () => {
    await fill('cut', 10);
    const controller = new AbortController();
    const failing = { ...kernel, blobs: { ...blobs, delete: () => Promise.reject(new Error('away')) } };
    await assert.rejects(purgeStore(failing, 'cut', controller.signal), /away/);
    assert.ok(await findRecord(engine.db, 'cut', 'key-0'));
    controller.abort();
    await assert.rejects(purgeStore(kernel, 'cut', controller.signal), { name: 'AbortError' });
    await purgeStore(kernel, 'cut', new AbortController().signal);
    assert.equal(await named('kv/cut/'), 0);
  });

  test('a blob that no record names is an orphan once it is an hour old', async () => {
    await fill('whole', 4);
    for (const key of ['kv/whole/left', 'kv/lost/left', 'other/left'])
      await blobs.put(key, new Uint8Array(1));
    assert.deepEqual(await orphans(), []);
    now = Date.now() + HOUR;
    assert.deepEqual(await orphans(), ['kv/lost/left', 'kv/whole/left']);
    await orphanSweep(kernel, [recordBlobs]).run(new AbortController().signal);
    assert.deepEqual(await orphans(), []);
    assert.equal(await named('kv/whole/'), 2);
    assert.equal(await named('other/'), 1);
  });
});
