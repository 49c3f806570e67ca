// The tables of runs, on databases that had runs before later migrations.
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
const STANDBY = ['actors-runs-server-ready', 'actors-nodes', 'actors-nodes-network'];

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

  test('the users of Actors are counted from the runs that are there', async () => {
    const name = 'actors-users-of-actors';
    const engine = await testEngine.open(migrations.filter((one) => one.name !== name));
    const { db } = engine;
    for (const id of ['actor', 'idle'])
      await db
        .insertInto('actors')
        .values({
          id,
          user_id: 'owner',
          name: id,
          title: null,
          description: null,
          is_public: 1,
          permission_level: 'LIMITED_PERMISSIONS',
          run_options: '{}',
          details: '{}',
          total_builds: 0,
          total_runs: 0,
          total_metamorphs: 0,
          last_run_started_at: 0,
          created_at: NOW,
          modified_at: NOW,
        })
        .execute();
    for (const [at, userId] of ['ada', 'ada', 'grace'].entries())
      await insertRunRow({ db, clock: { now: () => NOW + at } } as unknown as Kernel, { userId });
    assert.deepEqual(await migrate(engine, migrations, NOW), [name]);
    assert.deepEqual(await db.selectFrom('actors').select(['id', 'total_users']).orderBy('id').execute(), [
      { id: 'actor', total_users: 2 },
      { id: 'idle', total_users: 0 },
    ]);
    assert.deepEqual(await db.selectFrom('actor_users').selectAll().orderBy('user_id').execute(), [
      { actor_id: 'actor', user_id: 'ada', last_run_at: NOW + 1 },
      { actor_id: 'actor', user_id: 'grace', last_run_at: NOW + 2 },
    ]);
  });
});
