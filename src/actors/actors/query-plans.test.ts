// The query plans for Actors, versions and tags, and for their transfer: each uses an index, for any number of rows.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql, type CompiledQuery } from 'kysely';
import { systemActor } from '../../kernel/identity/actor.ts';
import { Changes } from '../../kernel/change/changes.ts';
import type { Account } from '../../kernel/identity/store-accounts.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, recordStatements, wholeTableExcept } from '../../../test/query-plans.ts';
import { DEFAULT_RUN_OPTIONS } from './model.ts';
import {
  countActors,
  countRunStart,
  deleteActor,
  findActor,
  findFreeActorName,
  insertActor,
  listActors,
  lockActor,
  takeBuildNumber,
  touchActor,
  updateActor,
  type ActorFields,
} from './store.ts';
import { countRecentUsers, updateActorUserOwner } from './store-users.ts';
import { listJobsOfActor } from '../jobs/store-finished.ts';
import {
  countTags,
  deleteTag,
  deleteTagsOfBuild,
  findBuildStatus,
  findTaggedBuild,
  listTags,
  listTagsOfBuild,
  setTag,
} from './store-tags.ts';
import { transferActors } from './store-transfers.ts';
import {
  deleteVersion,
  findVersion,
  findVersionTotals,
  insertVersion,
  listGitVersions,
  listVersions,
  listVersionsBuiltOnPush,
  updateVersion,
} from './store-versions.ts';
import type { ActorVersion } from './version.ts';

const NOW = 1_800_000_000_000;
const fieldsOf = (name: string): ActorFields => ({
  name,
  title: null,
  description: null,
  isPublic: false,
  permissionLevel: 'FULL_PERMISSIONS',
  runOptions: DEFAULT_RUN_OPTIONS,
  details: {},
});
const versionOf = (actorId: string, number: string): ActorVersion => ({
  actorId,
  number,
  sourceType: 'SOURCE_FILES',
  source: '{"sourceFiles":[]}',
  buildTag: null,
  envVars: [],
  appliesEnvVarsToBuild: false,
  buildsOnPush: false,
  createdAt: NOW,
});

onEachEngine((testEngine) => {
  let engine: Engine;
  let statements: CompiledQuery[];

  before(async () => {
    engine = await testEngine.openMigrated();
    const { db } = engine;
    await db.transaction().execute(async (tx) => {
      for (let at = 0; at < 500; at += 1) {
        const actor = await insertActor(tx, `user-${at % 20}`, fieldsOf(`actor-${at % 200}-${at}`), NOW + at);
        await insertVersion(tx, versionOf(actor.id, '0.1'), 1);
        await setTag(tx, actor.id, 'latest', `build-${at}`);
        await takeBuildNumber(tx, actor.id, '0.1');
        await insertRows(tx, actor.id, at);
      }
      await insertActor(tx, 'user-2', fieldsOf('actor-1-1'), NOW);
    });
    await sql.raw('analyze').execute(db);
    const seen = recordStatements(engine);
    const actor = await findActor(db, { name: 'actor-0-0' }, 'user-0');
    const { id } = actor!;
    await findActor(db, { idOrName: 'actor-0-0' }, 'user-0');
    await findFreeActorName(db, ['user-0', 'user-1'], 'actor');
    for (const sortBy of ['createdAt', 'stats.lastRunStartedAt'] as const) {
      await listActors(db, { userId: 'user-0', sortBy }, { offset: 0, limit: 10 }, true);
    }
    await countActors(db, 'user-0');
    await db.transaction().execute((tx) => lockActor(tx, id));
    await updateActor(db, id, fieldsOf('actor-0'), NOW);
    await touchActor(db, id, NOW);
    await countRunStart(db, id, 'user', NOW);
    await countRunStart(db, id, 'user', NOW + 1);
    await countRunStart(db, id, 'other', NOW + 1);
    await countRecentUsers(db, [id, 'none'], NOW);
    await updateActorUserOwner(db, 'other', 'user');
    await takeBuildNumber(db, id, '0.1');
    await findVersion(db, id, '0.1');
    await listVersions(db, id);
    await listVersions(db, id, 'without sources');
    await listGitVersions(db, 'user-0', 100);
    await listVersionsBuiltOnPush(db, ['ann/shop', 'ann/store']);
    await findVersionTotals(db, id);
    await updateVersion(db, versionOf(id, '0.1'));
    await deleteVersion(db, id, '0.1');
    await findTaggedBuild(db, id, 'latest');
    await listTags(db, id);
    await listTagsOfBuild(db, 'build-1');
    await countTags(db, id);
    await findBuildStatus(db, id, 'build-1');
    await deleteTag(db, id, 'latest');
    await deleteTagsOfBuild(db, 'build-1');
    for (const table of ['runs', 'builds'] as const) {
      await listJobsOfActor(db, table, id, undefined, 10);
      await listJobsOfActor(db, table, id, { id: 'x', startedAt: NOW }, 10);
    }
    await deleteActor(db, id);
    const account = (name: string) => ({ id: name, username: name }) as Account;
    await new Changes(engine, []).run(systemActor({ now: NOW }), (tx) =>
      transferActors(tx, account('user-1'), account('user-2')),
    );
    statements = [...seen.values()].filter(({ sql: text }) =>
      /"(actors|actor_\w+|builds|runs|jobs|run_counts|input_keys)"/.test(text),
    );
  });

  async function insertRows(tx: Engine['db'], actorId: string, at: number): Promise<void> {
    await tx
      .insertInto('actor_users')
      .values({ actor_id: actorId, user_id: `user-${at % 20}`, last_run_at: NOW })
      .execute();
    await tx
      .insertInto('builds')
      .values({
        id: `build-${at}`,
        actor_id: actorId,
        user_id: `user-${at % 20}`,
        version_number: '0.1',
        build_number: '0.1.1',
        source_type: 'SOURCE_FILES',
        status: 'SUCCEEDED',
        meta: '{}',
        options: '{}',
        stats: '{}',
        started_at: NOW,
        finished_at: at % 7 === 0 ? null : NOW,
      })
      .execute();
  }

  test('every statement about Actors goes by an index', async () => {
    await assertPlans(engine, statements, {
      atLeast: 25,
      scan: wholeTableExcept('runs', 'jobs', 'run_counts', 'input_keys'),
    });
  });

  test('what is transferred belongs to the other account, under names that are free there', async () => {
    const { db } = engine;
    const rest = await db.selectFrom('actors').select('id').where('user_id', '=', 'user-1').execute();
    assert.deepEqual(rest, []);
    const names = await db.selectFrom('actors').select('name').where('user_id', '=', 'user-2').execute();
    assert.equal(names.length, 51);
    assert.ok(names.some(({ name }) => name === 'actor-1-1-2'));
    const builds = await db.selectFrom('builds').select('id').where('user_id', '=', 'user-1').execute();
    assert.deepEqual(builds, []);
  });
});
