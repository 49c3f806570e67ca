// The migrations of all APIs together.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sql } from 'kysely';
import { migrations } from '../src/app/apis.ts';
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
  test('every text column is ordered by its bytes, as on SQLite', async () => {
    const { db } = await engine.open(migrations);
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
});
