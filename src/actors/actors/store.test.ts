// Actors, versions and tags in the database.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Engine } from '../../kernel/storage/engine.ts';
import { onEachEngine } from '../../../test/engines.ts';
import { DEFAULT_RUN_OPTIONS, type Actor } from './model.ts';
import {
  countMetamorph,
  countRunStart,
  deleteActor,
  findActor,
  findActorById,
  findActorByName,
  findFreeActorName,
  insertActor,
  listActors,
  takeBuildNumber,
  updateActor,
  type ActorFields,
} from './store.ts';
import { deleteTag, findTaggedBuild, listTagsOfBuild, setTag } from './store-tags.ts';
import {
  deleteVersion,
  findVersion,
  findVersionTotals,
  insertVersion,
  listVersions,
} from './store-versions.ts';
import type { ActorVersion } from './version.ts';

const NOW = 1_800_000_000_000;
const FIELDS: ActorFields = {
  name: 'first',
  title: null,
  description: null,
  isPublic: false,
  permissionLevel: 'FULL_PERMISSIONS',
  runOptions: DEFAULT_RUN_OPTIONS,
  details: {},
};

onEachEngine((testEngine) => {
  let engine: Engine;
  let users = 0;
  before(async () => {
    engine = await testEngine.openMigrated();
  });
  const newUser = () => `user-${(users += 1)}`;
  const insert = (userId: string, name: string, now = NOW): Promise<Actor> =>
    engine.db.transaction().execute((tx) => insertActor(tx, userId, { ...FIELDS, name }, now));
  const versionOf = (actorId: string, number: string): ActorVersion => ({
    actorId,
    number,
    sourceType: 'SOURCE_FILES',
    source: '{"sourceFiles":[]}',
    buildTag: 'latest',
    envVars: [{ name: 'A', value: '1', isSecret: false }],
    appliesEnvVarsToBuild: true,
    buildsOnPush: false,
    createdAt: NOW,
  });

  describe('an Actor', () => {
    test('is found by id and by name in any case, and only in its account', async () => {
      const [user, other] = [newUser(), newUser()];
      const actor = await insert(user, 'My-Actor');
      assert.deepEqual(await findActorById(engine.db, actor.id), actor);
      assert.deepEqual(await findActorByName(engine.db, user, 'MY-ACTOR'), actor);
      assert.equal(await findActorByName(engine.db, other, 'my-actor'), undefined);
      assert.deepEqual(await findActor(engine.db, { idOrName: actor.id }, other), actor);
      assert.equal(await findActor(engine.db, { idOrName: 'my-actor' }, other), undefined);
      assert.deepEqual(await findActor(engine.db, { idOrName: 'my-actor' }, user), actor);
    });

    test('whose name is an id of another is found by its owner only where the id is free', async () => {
      const [user, other] = [newUser(), newUser()];
      const actor = await insert(user, 'target');
      await insert(other, actor.id);
      assert.equal((await findActor(engine.db, { idOrName: actor.id }, other))?.id, actor.id);
    });

    test('keeps all its fields', async () => {
      const actor = await insert(newUser(), 'fields');
      const fields: ActorFields = {
        name: 'renamed',
        title: 'Title',
        description: 'Text',
        isPublic: true,
        permissionLevel: 'LIMITED_PERMISSIONS',
        runOptions: { ...DEFAULT_RUN_OPTIONS, memoryMbytes: 128, maxItems: 3 },
        details: { categories: ['A'], isDeprecated: true },
      };
      const after = await updateActor(engine.db, actor.id, fields, NOW + 1);
      assert.deepEqual(after, { ...actor, ...fields, modifiedAt: NOW + 1 });
      assert.deepEqual(await findActorById(engine.db, actor.id), after);
    });

    test('with a free name gets that one, and else the first free number', async () => {
      const user = newUser();
      const free = (name: string) => findFreeActorName(engine.db, [user], name);
      assert.equal(await free('my-actor'), 'my-actor');
      await insert(user, 'My-Actor');
      assert.equal(await free('my-actor'), 'my-actor-2');
      for (let at = 2; at <= 60; at += 1) await insert(user, `my-actor-${at}`);
      assert.equal(await free('my-actor'), 'my-actor-61');
      const long = 'x'.repeat(63);
      await insert(user, long);
      assert.equal(await free(long), `${'x'.repeat(61)}-2`);
    });

    test('counts its runs, builds and metamorphs, unless it was deleted meanwhile', async () => {
      const { id } = await insert(newUser(), 'counted');
      await countRunStart(engine.db, id, 'user', NOW + 5);
      await countRunStart(engine.db, id, 'user', NOW + 6);
      await countMetamorph(engine.db, id);
      assert.equal(await takeBuildNumber(engine.db, id, '0.1'), 1);
      const { totalRuns, totalBuilds, totalMetamorphs, lastRunStartedAt } = (await findActorById(
        engine.db,
        id,
      ))!;
      assert.deepEqual([totalRuns, totalBuilds, totalMetamorphs, lastRunStartedAt], [2, 1, 1, NOW + 6]);
      await deleteActor(engine.db, id);
      for (const count of [
        () => countRunStart(engine.db, id, 'user', NOW),
        () => countMetamorph(engine.db, id),
        () => takeBuildNumber(engine.db, id, '0.1'),
      ]) {
        await assert.rejects(count, /deleted meanwhile/);
      }
    });

    test('that never ran is sorted before all that did', async () => {
      const user = newUser();
      const ids: string[] = [];
      for (const name of ['one', 'two', 'three']) ids.push((await insert(user, name, NOW + ids.length)).id);
      await countRunStart(engine.db, ids[0]!, 'user', NOW);
      const list = await listActors(
        engine.db,
        { userId: user, sortBy: 'stats.lastRunStartedAt' },
        { offset: 0, limit: 10 },
        true,
      );
      assert.equal(list.total, 3);
      assert.deepEqual(
        list.items.map(({ id }) => ids.indexOf(id)),
        [0, ...[1, 2].toSorted((a, b) => (ids[a]! < ids[b]! ? 1 : -1))],
      );
    });
  });

  describe('versions', () => {
    test('are listed as they were added, with or without their sources', async () => {
      const { id } = await insert(newUser(), 'versions');
      for (const number of ['1.0', '0.1', '0.10']) {
        const { next } = await findVersionTotals(engine.db, id);
        await insertVersion(engine.db, versionOf(id, number), next);
      }
      const numbers = async () => (await listVersions(engine.db, id)).map(({ number }) => number);
      assert.deepEqual(await numbers(), ['1.0', '0.1', '0.10']);
      assert.deepEqual(await findVersion(engine.db, id, '0.1'), versionOf(id, '0.1'));
      await deleteVersion(engine.db, id, '1.0');
      const totals = await findVersionTotals(engine.db, id);
      assert.deepEqual(totals, { count: 2, sourceBytes: 36, next: 4 });
      await insertVersion(engine.db, versionOf(id, '1.0'), totals.next);
      assert.deepEqual(await numbers(), ['0.1', '0.10', '1.0']);
      const [bare] = await listVersions(engine.db, id, 'without sources');
      assert.deepEqual(bare, { ...versionOf(id, '0.1'), source: '{}' });
      await deleteActor(engine.db, id);
      assert.deepEqual(await numbers(), []);
      assert.deepEqual(await findVersionTotals(engine.db, id), { count: 0, sourceBytes: 0, next: 1 });
    });

    test('give numbers to builds one by one, also when they are deleted and added again', async () => {
      const { id } = await insert(newUser(), 'numbers');
      const take = (number: string) =>
        engine.db.transaction().execute((tx) => takeBuildNumber(tx, id, number));
      const together = await Promise.all(Array.from({ length: 8 }, () => take('0.1')));
      assert.deepEqual(new Set(together), new Set([1, 2, 3, 4, 5, 6, 7, 8]));
      assert.equal(await take('0.2'), 1);
      await insertVersion(engine.db, versionOf(id, '0.1'), 1);
      await deleteVersion(engine.db, id, '0.1');
      assert.equal(await take('0.1'), 9);
      await engine.db
        .updateTable('actor_build_numbers')
        .set({ last_build: 99_999 })
        .where('actor_id', '=', id)
        .execute();
      await assert.rejects(take('0.1'), /more have no number/);
    });
  });

  test('a tag belongs to one build, and a build may have several', async () => {
    const { id } = await insert(newUser(), 'tags');
    await setTag(engine.db, id, 'latest', 'build-1');
    await setTag(engine.db, id, 'beta', 'build-1');
    assert.deepEqual(await listTagsOfBuild(engine.db, 'build-1'), ['beta', 'latest']);
    await setTag(engine.db, id, 'latest', 'build-2');
    assert.equal(await findTaggedBuild(engine.db, id, 'latest'), 'build-2');
    await deleteTag(engine.db, id, 'latest');
    assert.equal(await findTaggedBuild(engine.db, id, 'latest'), undefined);
    assert.equal(await findTaggedBuild(engine.db, id, 'beta'), 'build-1');
  });
});
