// The query plans for builds: each uses an index, for any number of rows.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql, type CompiledQuery } from 'kysely';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, recordStatements } from '../../../test/query-plans.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { ActorVersion } from '../actors/version.ts';
import { findLastKept, findNextActor, listFinishedJobs } from '../jobs/store-finished.ts';
import { buildMigrations } from '../migrations/builds.ts';
import { NEW_BUILD } from './fixture.ts';
import { listReferencedDependencies, listReferencedSources } from './store-references.ts';
import {
  clearEarlierSources,
  clearSnapshotSource,
  findBuiltSource,
  findSnapshot,
  insertSnapshot,
} from './store-snapshots.ts';
import {
  findLastGoodBuild,
  deleteBuild,
  findBuild,
  findBuildByNumber,
  insertBuild,
  listBuildIds,
  listBuilds,
  lockBuild,
  shareLockBuild,
  tryLockBuild,
  updateBuild,
} from './store.ts';

const VERSION: ActorVersion = {
  actorId: 'actor',
  number: '0.1',
  sourceType: 'SOURCE_FILES',
  source: '{}',
  buildTag: null,
  envVars: [],
  appliesEnvVarsToBuild: false,
  buildsOnPush: false,
  createdAt: 1,
};

onEachEngine((testEngine) => {
  let engine: Engine;
  let statements: CompiledQuery[];

  before(async () => {
    engine = await testEngine.open(buildMigrations);
    const { db } = engine;
    for (let at = 0; at < 800; at += 1) {
      await insertBuild(db, {
        ...NEW_BUILD,
        id: `build-${at}`,
        actorId: `actor-${at % 50}`,
        userId: `user-${at % 20}`,
        buildNumber: `0.1.${at}`,
        startedAt: at,
        sources: `hash-${at}`,
        dependencies: `key-${at % 100}`,
      });
      await insertSnapshot(db, `build-${at}`, VERSION);
    }
    const seen = recordStatements(engine);
    assert.equal((await findBuild(db, 'build-7'))?.buildNumber, '0.1.7');
    assert.equal((await findBuildByNumber(db, 'actor-7', '0.1.7'))?.id, 'build-7');
    for (const scope of [{ userId: 'user-1' }, { actorId: 'actor-1' }]) {
      for (const desc of [true, false]) {
        const { items } = await listBuilds(db, scope, { offset: 0, limit: 10 }, desc);
        assert.equal(items.length, 10);
      }
    }
    assert.equal((await listBuildIds(db, 'actor-1', 5)).length, 5);
    assert.deepEqual([...(await listReferencedSources(db, ['hash-1', 'none']))], ['hash-1']);
    assert.deepEqual([...(await listReferencedDependencies(db, ['key-1', 'none']))], ['key-1']);
    assert.deepEqual(await findSnapshot(db, 'build-7'), { source: '{}', envVars: [] });
    assert.equal((await findBuiltSource(db, 'actor-7', '0.1'))?.build.id, 'build-757');
    const last7 = { actorId: 'actor-7', versionNumber: '0.1', startedAt: 757, id: 'build-757' };
    assert.equal((await findLastGoodBuild(db, last7))?.id, 'build-707');
    const of = await findNextActor(db, 'builds', { userId: 'user-1', actorId: 'actor-1' });
    await findNextActor(db, 'builds', undefined);
    const last = await findLastKept(db, 'builds', of!, 3);
    for (const from of [undefined, { id: '', startedAt: 0 }])
      await listFinishedJobs(db, 'builds', of!, { after: from, before: last!, finishedBefore: 1000 }, 5);
    await db.transaction().execute(async (tx) => {
      await shareLockBuild(tx, { id: 'build-9' });
      await lockBuild(tx, 'build-9');
      await tryLockBuild(tx, 'build-9');
      await updateBuild(tx, 'build-9', { status: 'RUNNING' });
      await clearSnapshotSource(tx, 'build-9');
      await clearEarlierSources(tx, last7);
      await deleteBuild(tx, 'build-9');
    });
    statements = [...seen.values()].filter(({ sql: text }) => text.includes('"build'));
    assert.equal((await findBuiltSource(db, 'actor-7', '0.1'))?.build.id, 'build-757');
    assert.equal((await findSnapshot(db, 'build-707'))?.source, null);
    await sql.raw('analyze').execute(db);
  });

  test('every statement about builds goes by an index', async () => {
    const scan = /scan build\w*(?! using)\b|seq scan|temp b-tree for order by/i;
    await assertPlans(engine, statements, { atLeast: 8, scan });
  });
});
