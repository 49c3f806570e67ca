// What holds for the tables of all APIs together.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { migrations } from '../src/app.ts';
import { onEngine } from './engines.ts';

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
