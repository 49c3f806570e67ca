// Segments, their members and their uses, on each engine.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { readExpression } from '../lists/filter-expression.ts';
import { readSort } from '../lists/list-query.ts';
import { SEGMENT_FILTERS } from './store-filter.ts';
import { copySegments } from './store-copies.ts';
import { findTargetTypes, updateMembership, deleteOrphanedMembers } from './store-members.ts';
import { planMembership } from './membership.ts';
import {
  insertSegment,
  deleteSegment,
  findSegment,
  lockSegment,
  listSegments,
  pageSegments,
  updateSegment,
  SEGMENT_SORTS,
} from './store.ts';
import { listFlagsUsing, replaceSegmentUses, segmentKeysOf } from './store-uses.ts';

const ENVIRONMENT = 'e'.repeat(24);
const OTHER = 'f'.repeat(24);
const COPY = 'a'.repeat(24);

onEachEngine((tested) => {
  let engine: Engine;
  before(async () => {
    engine = await tested.openMigrated();
    const project = {
      id: 'p'.repeat(24),
      key: 'shop',
      name: 'Shop',
      tags: '[]',
      doc: '{}',
      version: 1,
      created_at: 1,
    };
    await engine.db.insertInto('projects').values(project).execute();
    for (const id of [ENVIRONMENT, OTHER, COPY]) {
      await engine.db
        .insertInto('environments')
        .values({
          id,
          project_id: project.id,
          key: id,
          name: id,
          tags: '[]',
          is_critical: 0,
          doc: '{}',
          sdk_key: `sdk-${id}`,
          old_sdk_key: null,
          old_sdk_until: null,
          mobile_key: `mob-${id}`,
          client_id: id,
          version: 1,
          created_at: 1,
        })
        .execute();
    }
  });

  const make = async (key: string, members: object = {}, now = 1000) =>
    (await insertSegment(
      engine.db,
      { environmentId: ENVIRONMENT, key, name: key.toUpperCase(), tags: [], unbounded: false, ...members },
      'salt',
      now,
    ))!;

  test('what is kept comes back', async () => {
    const made = await make('kept', { description: 'all of it', tags: ['x'] });
    assert.deepEqual(await findSegment(engine.db, ENVIRONMENT, 'kept'), made);
    const after = { ...made, name: 'Other', included: ['ada'], version: 2, modifiedAt: 2000 };
    await updateSegment(engine.db, made, after);
    assert.deepEqual(await findSegment(engine.db, ENVIRONMENT, 'kept'), after);
    await engine.db
      .transaction()
      .execute(async (tx) => assert.deepEqual(await lockSegment(tx, ENVIRONMENT, 'kept'), after));
    assert.ok((await listSegments(engine.db, ENVIRONMENT)).some(({ key }) => key === 'kept'));
  });

  test('a key is taken once in each environment, and what cannot be a key is nobody', async () => {
    await make('once');
    assert.equal(await make('once'), undefined);
    assert.equal((await make('once', { environmentId: OTHER })).version, 1);
    for (const key of ['nobody', 'a\0b', '', '_x', 'x'.repeat(300)])
      assert.equal(await findSegment(engine.db, ENVIRONMENT, key), undefined);
  });

  test('a stale write fails', async () => {
    const made = await make('stale');
    await updateSegment(engine.db, made, { ...made, version: 2 });
    await assert.rejects(updateSegment(engine.db, made, { ...made, name: 'lost', version: 2 }), /try again/);
    await assert.rejects(deleteSegment(engine.db, made), /try again/);
  });

  test('versions and generations rise across deletions', async () => {
    for (const [version, generation] of [
      [1, 1],
      [3, 2],
      [5, 3],
    ]) {
      const made = await make('phoenix');
      assert.deepEqual([made.version, made.generation], [version, generation]);
      await deleteSegment(engine.db, made);
    }
  });

  describe('lists', () => {
    const page = async (filter?: string, sort?: string, slice = { offset: 0, limit: 100 }) => {
      const { items, total } = await pageSegments(engine.db, {
        environmentId: OTHER,
        filter: readExpression(filter, SEGMENT_FILTERS),
        sort: readSort(sort, SEGMENT_SORTS),
        slice,
      });
      return [items.map(({ key }) => key).join(' '), total];
    };

    before(async () => {
      await engine.db.deleteFrom('segments').where('environment_id', '=', OTHER).execute();
      const at = (key: string, members: object, now: number) =>
        make(key, { environmentId: OTHER, ...members }, now);
      await at('c', { name: 'Same', tags: ['beta', 'b_1'], description: 'Über alles' }, 1000);
      await at('a', { name: 'Same', tags: ['Beta'] }, 3000);
      const b = await at('b', { name: 'Big_one', unbounded: true, tags: ['b-1'] }, 2000);
      await updateSegment(engine.db, b, { ...b, modifiedAt: 9000, version: 2 });
    });

    test('they come in the order asked for, a page at a time', async () => {
      assert.deepEqual(await page(), ['c b a', 3]);
      assert.deepEqual(await page(undefined, '-creationDate'), ['a b c', 3]);
      assert.deepEqual(await page(undefined, 'name'), ['b c a', 3]);
      assert.deepEqual(await page(undefined, '-name,-creationDate'), ['a c b', 3]);
      assert.deepEqual(await page(undefined, '-lastModified'), ['b a c', 3]);
      assert.deepEqual(await page(undefined, undefined, { offset: 1, limit: 1 }), ['b', 3]);
      assert.deepEqual(await page(undefined, undefined, { offset: 7, limit: 1 }), ['', 3]);
    });

    test('a page of large ones is shorter than asked for, and says so', async () => {
      const environmentId = ENVIRONMENT;
      await engine.db.deleteFrom('segments').where('environment_id', '=', environmentId).execute();
      for (const key of ['one', 'two', 'three', 'four', 'five']) {
        const made = await make(key, { environmentId });
        const included = Array.from({ length: 1000 }, (_, index) => key + 'x'.repeat(800) + index);
        await updateSegment(engine.db, made, { ...made, included });
      }
      const all = { environmentId, filter: undefined, sort: [] };
      const { items, total, slice } = await pageSegments(engine.db, {
        ...all,
        slice: { offset: 0, limit: 20 },
      });
      assert.deepEqual([items.length, total, slice], [2, 5, { offset: 0, limit: 2 }]);
      assert.equal(items[0]!.included.length, 1000);
      const rest = await pageSegments(engine.db, { ...all, slice: { offset: 4, limit: 2 } });
      assert.deepEqual([rest.items.length, rest.slice], [1, { offset: 4, limit: 2 }]);
    });

    test('filters find what they say, and no more', async () => {
      const cases: [filter: string, keys: string][] = [
        ['query equals SAME', 'c a'],
        ['query equals über', 'c'],
        ['query equals big_', 'b'],
        ['query equals bigxone', ''],
        ['query equals %', ''],
        ['query equals ["über","big"]', 'c b'],
        ['tags anyOf ["beta"]', 'c'],
        ['tags anyOf ["Beta"]', 'a'],
        ['tags anyOf ["b_1"]', 'c'],
        ['tags anyOf ["b_1","b-1"]', 'c b'],
        ['tags anyOf ["bet"]', ''],
        ['tags anyOf []', ''],
        ['unbounded equals true', 'b'],
        ['unbounded equals false', 'c a'],
        ['external exists true', ''],
        ['external exists false', 'c b a'],
        ['includedKeys anyOf ["a","b","zz"]', 'b a'],
        ['includedKeys anyOf []', ''],
        ['excludedKeys anyOf ["a"]', 'c b'],
        ['excludedKeys anyOf []', 'c b a'],
        ['(query equals same,tags anyOf ["Beta"])|unbounded equals true', 'b a'],
        ['query equals "a\\u0000b"', ''],
        ['tags anyOf ["a\\u0000b"]', ''],
        ['includedKeys anyOf ["a\\u0000b"]', ''],
      ];
      for (const [filter, keys] of cases) assert.equal((await page(filter))[0], keys, filter);
      for (const filter of ['unbounded equals yes', 'tags anyOf [{}]', 'query equals null'])
        await assert.rejects(page(filter), /filter:/, filter);
    });
  });

  describe('big segments', () => {
    const keys = Array.from({ length: 12_000 }, (_, index) => `user-${index}`);

    test('many members are kept, moved and removed', async () => {
      const { id } = await make('big', { unbounded: true });
      const change = async (type: 'included' | 'excluded', does: 'add' | 'remove', values: string[]) => {
        const plan = planMembership(
          await findTargetTypes(engine.db, id, values),
          [{ does, type, values }],
          'user',
        );
        await updateMembership(engine.db, id, plan);
        return plan;
      };
      assert.equal((await change('included', 'add', keys)).included, 12_000);
      assert.equal((await change('included', 'add', keys.slice(0, 6000))).upsert.length, 0);
      assert.equal((await change('included', 'remove', keys.slice(0, 11_000))).included, -11_000);
      assert.equal((await change('excluded', 'add', ['user-0'])).excluded, 1);
      const targetTypes = await findTargetTypes(engine.db, id, keys);
      assert.deepEqual(
        [targetTypes.size, targetTypes.get('user-0'), targetTypes.get('user-11500')],
        [1001, 'excluded', 'included'],
      );
      await updateMembership(engine.db, id, {
        upsert: [{ key: 'user-0', type: 'included' }],
        remove: [],
        included: 1,
        excluded: -1,
      });
      assert.equal((await findTargetTypes(engine.db, id, ['user-0'])).get('user-0'), 'included');
    });

    test('the members of a segment that is gone are swept, and no others', async () => {
      const count = async (id: string) =>
        (
          await engine.db
            .selectFrom('segment_members')
            .select('context_key')
            .where('segment_id', '=', id)
            .execute()
        ).length;
      const gone = await make('gone', { unbounded: true });
      const stays = await make('stays', { unbounded: true });
      const upsert = keys.map((key) => ({ key, type: 'included' as const }));
      for (const { id } of [gone, stays])
        await updateMembership(engine.db, id, { upsert, remove: [], included: 0, excluded: 0 });
      await deleteSegment(engine.db, gone);
      const again = await make('gone', { unbounded: true });
      assert.equal(
        (await findTargetTypes(engine.db, again.id, keys)).size,
        0,
        'a new one of the same key is empty',
      );
      await deleteOrphanedMembers(engine.db);
      assert.deepEqual([await count(gone.id), await count(stays.id)], [0, 12_000]);
    });
  });

  describe('uses', () => {
    const flag = (id: string, key: string) => ({
      id,
      project_id: 'p'.repeat(24),
      key,
      name: key.toUpperCase(),
      words: key,
      tags: '[]',
      is_temporary: 0,
      state: 'live',
      availability: 0,
      maintainer_id: null,
      maintainer_team: null,
      version: 1,
      created_at: 1,
      doc: '{}',
    });

    test('a flag uses what its rules name', () => {
      const clause = (op: string, values: (string | number)[]) => ({
        _id: 'c',
        attribute: '',
        op,
        values,
        negate: false,
      });
      const rule = (...clauses: ReturnType<typeof clause>[]) => ({
        _id: 'r',
        clauses,
        trackEvents: false,
        variation: 0,
      });
      assert.deepEqual(
        segmentKeysOf({
          rules: [
            rule(clause('segmentMatch', ['beta', 'alpha', 'a\0b', 5]), clause('in', ['gamma'])),
            rule(clause('segmentMatch', ['beta'])),
          ],
        }),
        ['alpha', 'beta'],
      );
    });

    test('they are known by an index, in each environment apart, and go with the flag', async () => {
      await engine.db
        .insertInto('flags')
        .values([flag('x', 'x-flag'), flag('a', 'a-flag')])
        .execute();
      await replaceSegmentUses(engine.db, ENVIRONMENT, 'x', ['beta', 'alpha']);
      await replaceSegmentUses(engine.db, ENVIRONMENT, 'a', ['beta']);
      await replaceSegmentUses(engine.db, OTHER, 'x', ['beta']);
      const using = async (environment: string, key: string) =>
        (await listFlagsUsing(engine.db, environment, key)).map((each) => each.key);
      assert.deepEqual(await using(ENVIRONMENT, 'beta'), ['a-flag', 'x-flag']);
      assert.deepEqual(await using(OTHER, 'beta'), ['x-flag']);
      await replaceSegmentUses(engine.db, ENVIRONMENT, 'x', ['gamma']);
      assert.deepEqual(await using(ENVIRONMENT, 'beta'), ['a-flag']);
      assert.deepEqual(await using(ENVIRONMENT, 'gamma'), ['x-flag']);
      assert.deepEqual(await using(OTHER, 'beta'), ['x-flag']);
      await replaceSegmentUses(engine.db, ENVIRONMENT, 'a', []);
      assert.deepEqual(await using(ENVIRONMENT, 'beta'), []);
      await engine.db.deleteFrom('flags').where('id', '=', 'x').execute();
      assert.deepEqual(await using(OTHER, 'beta'), []);
    });

    test('an environment that begins as a copy of another has its segments and their members', async () => {
      const big = await make('big-to-copy', { unbounded: true, description: 'all' });
      const upsert = [{ key: 'ada', type: 'included' as const }];
      await updateMembership(engine.db, big.id, { upsert, remove: [], included: 1, excluded: 0 });
      await updateSegment(engine.db, big, { ...big, includedCount: 1, importing: 'merge', version: 9 });
      assert.equal((await findSegment(engine.db, ENVIRONMENT, 'big-to-copy'))!.importing, 'merge');
      for (let index = 0; index < 210; index += 1) await make(`many-${index}`);
      await copySegments(engine.db, ENVIRONMENT, COPY, 5000);
      const keys = async (environment: string) =>
        (await listSegments(engine.db, environment)).map(({ key }) => key).toSorted();
      assert.deepEqual(await keys(COPY), await keys(ENVIRONMENT));
      const copied = (await findSegment(engine.db, COPY, 'big-to-copy'))!;
      assert.deepEqual(copied, {
        ...big,
        id: copied.id,
        environmentId: COPY,
        includedCount: 1,
        createdAt: 5000,
        modifiedAt: 5000,
      });
      assert.equal((await findTargetTypes(engine.db, copied.id, ['ada'])).get('ada'), 'included');
    });
  });
});
