// SIGKILL while items, records and requests are written: no acknowledged write is lost, and orphaned blobs can be removed.
import assert from 'node:assert/strict';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ApifyClient } from 'apify-client';
import { run } from '../../src/cli/fixture.ts';
import { openFileBlobs } from '../../src/kernel/storage/blobs/blob.ts';
import { onEachEngine, openEngine, type Location } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { rounds } from '../long.ts';
import { settingsOn, startChild, TOKEN, type Settings } from './child-server.ts';
import { StorageAccount, writeStorages } from './storage-writers.ts';

const KILLS = rounds(2, 20);
/** The kill comes after a random number of writes of each kind up to this. */
const MAX_WRITES = 60;

onEachEngine((engine) => {
  test(`after ${KILLS} kills every acknowledged item, record and request is there`, async (t) => {
    const { location, settings } = await settingsOn(engine);
    const account = new StorageAccount();
    let server = await startChild(settings);
    t.after(() => server.kill());
    const client = () => new ApifyClient({ baseUrl: server.url, token: TOKEN, maxRetries: 0 });
    const names = {
      dataset: (await client().datasets().getOrCreate('crash')).id,
      store: (await client().keyValueStores().getOrCreate('crash')).id,
      queue: (await client().requestQueues().getOrCreate('crash')).id,
    };
    for (let kills = 0; kills < KILLS; kills += 1) {
      const enough = account.least + 1 + Math.floor(Math.random() * MAX_WRITES);
      const writing = writeStorages(server.url, names, account, kills);
      await Promise.race([writing, eventually(() => account.least >= enough)]);
      await server.kill();
      await writing;
      server = await startChild(settings);
    }

    const { items, total } = await client().dataset(names.dataset).listItems();
    const kept = new Set(items.map((item) => item['name'] as string));
    assert.deepEqual(
      [...account.items].filter((name) => !kept.has(name)),
      [],
      'items are there',
    );
    assert.equal(kept.size, total, 'and each is there once');
    for (const [key, text] of account.records) {
      const record = await client().keyValueStore(names.store).getRecord(key);
      const right = [text, ...(account.doubtful.get(key) ?? [])];
      assert.ok(
        right.includes(record?.value as string),
        `record ${key} is the last one acknowledged, or one sent after it`,
      );
    }
    const queue = await client().requestQueue(names.queue).get();
    const listed = new Set<string>();
    for await (const page of client().requestQueue(names.queue).paginateRequests({ limit: 5000 })) {
      for (const { id } of page.items) listed.add(id);
    }
    assert.deepEqual(
      [...account.requests].filter((id) => !listed.has(id)),
      [],
      'requests are there',
    );
    assert.deepEqual(
      [queue?.totalRequestCount, queue?.pendingRequestCount],
      [listed.size, listed.size],
      'and counted',
    );

    await server.kill();
    await checkBlobs(location, settings);
  });
});

/** Doctor removes orphaned blobs once they are old enough, and nothing else. */
async function checkBlobs(location: Location, settings: Settings): Promise<void> {
  const folder = join(settings.SIGNALBOX_DATA, 'blobs');
  const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) await utimes(join(entry.parentPath, entry.name), longAgo, longAgo);
  }
  const doctor = await run(['doctor', '--fix', '--json'], { env: settings });
  assert.equal(doctor.code, 0, doctor.out + doctor.err);
  const engine = await openEngine(location);
  const rows = await engine.db
    .selectFrom('kv_records')
    .select('blob')
    .where('blob', 'is not', null)
    .execute();
  await engine.close();
  const present: string[] = [];
  for await (const { key } of (await openFileBlobs(folder)).list()) present.push(key);
  assert.deepEqual(
    present.toSorted(),
    rows.map(({ blob }) => blob!).toSorted(),
    'each blob has its record, and each record its blob',
  );
}
