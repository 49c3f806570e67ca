// The migrations of all APIs together.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { migrations } from '../src/app/apis.ts';
import type { Db } from '../src/kernel/storage/tables.ts';
import { onEachEngine, onEngine } from './engines.ts';
import { describeSchema } from './upgrade/schema.ts';

onEachEngine((engine) => {
  test('released migrations still create the same tables', async () => {
    const kept = readFileSync(new URL(`upgrade/schema-${engine.kind}.txt`, import.meta.url), 'utf8');
    const lines = kept.trimEnd().split('\n');
    const released = lines.filter((line) => line.startsWith('migration '));
    const same = migrations.filter(({ name }) => released.includes(`migration ${name}`));
    assert.equal(same.length, released.length);
    const made = await describeSchema(await engine.open(same));
    assert.deepEqual(made, lines.slice(released.length));
  });
});

onEngine('postgres', (engine) => {
  let db: Db;
  before(async () => {
    ({ db } = await engine.openMigrated());
  });

  test('every text column is ordered by its bytes, as on SQLite', async () => {
    const { rows } = await sql<{ name: string; collation: string | null }>`
      select table_name || '.' || column_name as name, collation_name as collation
      from information_schema.columns
      where table_schema = current_schema() and data_type = 'text'`.execute(db);
    assert.ok(rows.some(({ name }) => name === 'migrations.name') && rows.length > 100, String(rows.length));
    assert.deepEqual(
      rows.filter(({ collation }) => collation !== 'C'),
      [],
    );
  });

  // docs/guide/scale.md: a distributed PostgreSQL keeps the rows of one storage together, and wants its column in every key.
  test('keys of the tables with the content of storages begin with the storage that they would be distributed by', async () => {
    const distributedBy: Record<string, string> = {
      dataset_chunks: 'dataset_id',
      dataset_statistics: 'dataset_id',
      kv_records: 'store_id',
      queue_requests: 'queue_no',
    };
    const { rows } = await sql<{ owner: string; index: string; column: string; isUnique: boolean }>`
      select t.relname as owner, i.relname as index, a.attname as "column", x.indisunique as "isUnique"
      from pg_index x join pg_class t on t.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
        join pg_attribute a on a.attrelid = t.oid and a.attnum = x.indkey[0]
      where t.relnamespace = current_schema()::regnamespace and t.relname in (${sql.join(Object.keys(distributedBy))})`.execute(
      db,
    );
    const others = rows.filter(({ owner, column }) => column !== distributedBy[owner]);
    assert.deepEqual(
      others.map(({ index, isUnique }) => [index, isUnique]),
      // The sweep of large objects alone asks every part.
      [['kv_records_blob', false]],
    );
    for (const owner of Object.keys(distributedBy))
      assert.ok(
        rows.some((row) => row.owner === owner && row.isUnique),
        owner,
      );
  });
});
