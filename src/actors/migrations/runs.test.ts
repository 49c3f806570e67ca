// The tables of runs, on databases that had runs before the columns of standby.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { insertRunRow } from '../../../test/run-rows.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { identityMigrations } from '../../kernel/identity/tables.ts';
import { migrate } from '../../kernel/storage/migrate.ts';
import { actorsApi } from '../api.ts';

const NOW = 1_800_000_000_000;
const migrations = [...identityMigrations, ...(actorsApi.migrations ?? [])];
const STANDBY = ['actors-runs-server-ready', 'actors-nodes'];

onEachEngine((testEngine) => {
  test('the columns of standby come by migrations of their own, and runs from before stay', async () => {
    const engine = await testEngine.open(migrations.filter(({ name }) => !STANDBY.includes(name)));
    const { db } = engine;
    const id = await insertRunRow({ db, clock: { now: () => NOW } } as unknown as Kernel, { userId: 'user' });
    const applied = await migrate(engine, migrations, NOW);
    assert.deepEqual(applied.toSorted(), STANDBY.toSorted());
    const rows = await db.selectFrom('runs').select(['id', 'is_server_ready']).execute();
    assert.deepEqual(rows, [{ id, is_server_ready: 0 }]);
  });
});
