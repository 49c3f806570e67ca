// Feeds on each engine: the revision rises with every change, and a feed follows it.
import assert from 'node:assert/strict';
import { afterEach, before, beforeEach, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { systemActor } from '../../../kernel/identity/actor.ts';
import { Changes } from '../../../kernel/change/changes.ts';
import type { Engine } from '../../../kernel/storage/engine.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import { onEachEngine } from '../../../../test/engines.ts';
import { eventually, inTime } from '../../../../test/eventually.ts';
import { assertPlans, recordStatements } from '../../../../test/query-plans.ts';
import { updateEnvironment } from '../../environments/store.ts';
import { readContext } from '../../evaluation/context.ts';
import { addEnvironment, insertTestFlag, makeHome, NOW, type Home } from '../../feature-flags/fixture.ts';
import type { Flag } from '../../feature-flags/flag.ts';
import { findFlag } from '../../feature-flags/store.ts';
import { deleteFlagRows, updateFlag } from '../../feature-flags/store-writes.ts';
import type { Environment } from '../../projects/project.ts';
import { updateMembership } from '../../segments/store-members.ts';
import { deleteSegment, findSegment, insertSegment, updateSegment } from '../../segments/store.ts';
import { loadBigSegments } from '../evaluate-all.ts';
import { listItemsSince, listRevisions } from '../store-revisions.ts';
import { listFlagData, listGoneFlags, listGoneSegments } from '../store.ts';
import { deliverySubscriber } from '../module.ts';
import type { FeedChange } from './feed.ts';
import { Feeds } from './feeds.ts';

onEachEngine((testEngine) => {
  let engine: Engine;
  let db: Db;
  let home: Home;
  let environment: Environment;
  let number = 0;

  before(async () => {
    engine = await testEngine.openMigrated();
    db = engine.db;
  });
  beforeEach(async () => {
    home = await makeHome(db, `home-${(number += 1)}`);
    environment = home.environments[0]!;
  });

  let feeds: Feeds;
  const warnings: unknown[] = [];
  const log = { warn: (line: unknown) => void warnings.push(line), error() {} };
  beforeEach(async () => {
    feeds = await new Feeds(engine, log).listen();
    warnings.length = 0;
  });
  afterEach(() => feeds.close());

  const revision = async (at = environment) => (await listRevisions(db, [at.id])).get(at.id);

  /** A change as the audit log records it, at this resource of the project. */
  async function change(resource: string, work: (tx: Db) => Promise<unknown>): Promise<void> {
    const changes = new Changes(engine, [deliverySubscriber()]);
    await changes.run(systemActor({ now: NOW }), async (tx) => {
      await work(tx.db);
      const access = { action: 'update', resource: `proj/${home.project.key}${resource}` };
      tx.record({ accesses: [access], kind: 'thing', name: 'thing', verb: 'changed' });
    });
  }

  const ofFlag = (key: string) => `:env/production:flag/${key}`;
  const addFlag = (key: string) => change(ofFlag(key), (tx) => insertTestFlag(tx, home, key));
  const edit = (key: string, with_: (flag: Flag) => Partial<Flag>) =>
    change(ofFlag(key), async (tx) => {
      const found = (await findFlag(tx, home.project.id, key))!;
      const { flag } = found;
      const after = { ...flag, ...with_(flag), version: flag.version + 1 };
      const needed = Object.values(after.environments).flatMap(({ prerequisites }) => prerequisites);
      const ids = new Map<string, string>();
      for (const { key: other } of needed)
        ids.set(other, (await findFlag(tx, home.project.id, other))!.flag.id);
      await updateFlag(tx, found, after, ids);
    });
  const drop = (key: string) =>
    change(ofFlag(key), async (tx) => deleteFlagRows(tx, (await findFlag(tx, home.project.id, key))!.flag));
  const swap = ({ variations }: Flag) => ({ variations: variations.toReversed() });

  const insertTestSegment = async (tx: Db, key: string, unbounded = false) =>
    (await insertSegment(
      tx,
      { environmentId: environment.id, key, name: key, tags: [], unbounded },
      'salt',
      NOW,
    ))!;
  const ofSegment = (key: string) => `:env/test:segment/${key}`;
  const addSegment = (key: string, unbounded = false) =>
    change(ofSegment(key), (tx) => insertTestSegment(tx, key, unbounded));

  /** The changes that a follower gets. */
  async function follow(): Promise<FeedChange[]> {
    const told: FeedChange[] = [];
    (await feeds.open(environment)).follow(async (one) => void told.push(one));
    return told;
  }

  describe('the revision', () => {
    test('rises by one with every change of a flag, in all environments of the project', async () => {
      await addFlag('a');
      assert.deepEqual([await revision(), await revision(home.environments[1])], [1, 1]);
      await edit('a', swap);
      await drop('a');
      assert.deepEqual([await revision(), await revision(home.environments[1])], [3, 3]);
    });

    test('rises with a change of a segment in its environment only, and in no other project', async () => {
      const other = await makeHome(db, `other-${number}`);
      await addSegment('s');
      assert.deepEqual([await revision(), await revision(home.environments[1])], [1, 0]);
      assert.equal(await revision(other.environments[0]), 0);
    });

    test('is not that of a change which is rolled back', async () => {
      const failing = change(ofFlag('a'), async () => {
        throw new Error('no');
      });
      await assert.rejects(failing, /no/);
      assert.equal(await revision(), 0);
    });

    test('names what has changed since, each once and in the order of the last change', async () => {
      await addFlag('a');
      await addFlag('b');
      await edit('a', swap);
      await addSegment('s');
      const keys = async (since: number) =>
        (await listItemsSince(db, environment.id, since)).map(({ key }) => key);
      assert.deepEqual(await keys(0), ['b', 'a', 's']);
      assert.deepEqual(await keys(2), ['a', 's']);
      assert.deepEqual(await keys(4), []);
    });

    // SQLite has one writer at a time.
    test('rises in the order of commits', { skip: testEngine.kind === 'sqlite' }, async () => {
      await Promise.all(Array.from({ length: 8 }, (_, index) => addFlag(`f${index}`)));
      const rows = await db
        .selectFrom('delivery_items')
        .select('revision')
        .where('environment_id', '=', environment.id)
        .orderBy('revision')
        .execute();
      assert.deepEqual(
        rows.map(({ revision: one }) => one),
        [1, 2, 3, 4, 5, 6, 7, 8],
      );
    });
  });

  describe('a feed', () => {
    test('is brought to a revision that another node knows, but to none that the database does not know', async () => {
      // Without notices, as on a node that has not got them yet.
      const lagging = new Feeds(engine, log);
      const feed = await lagging.open(environment);
      await addFlag('a');
      assert.equal(feed.flags.size, 0);
      assert.equal(await lagging.reach(feed, 0), true);
      assert.equal(feed.flags.size, 0);
      assert.equal(await lagging.reach(feed, 1), true);
      assert.deepEqual([feed.revision, [...feed.flags.keys()]], [1, ['a']]);
      lagging.close();
    });

    test('reaches the newest revision for a client that names one beyond it', async () => {
      const lagging = new Feeds(engine, log);
      const feed = await lagging.open(environment);
      await addFlag('a');
      assert.equal(await lagging.reach(feed, 2), false);
      assert.deepEqual([feed.revision, [...feed.flags.keys()]], [1, ['a']]);
      lagging.close();
    });

    test('that cannot reach a revision fails rather than to be older', async () => {
      const lagging = new Feeds(engine, log);
      const feed = await lagging.open(environment);
      await addFlag('a');
      await db
        .updateTable('flag_configs')
        .set({ doc: 'no JSON' })
        .where('environment_id', '=', environment.id)
        .execute();
      await assert.rejects(lagging.reach(feed, 1), {
        kind: 'unavailable',
        details: { headers: { 'retry-after': '1' } },
      });
      lagging.close();
    });

    test('has what is committed, and after a change that too', async () => {
      await addFlag('a');
      const feed = await feeds.open(environment);
      assert.equal(await feeds.open(environment), feed);
      assert.deepEqual([...feed.flags.keys()], ['a']);
      await addFlag('b');
      assert.deepEqual([...(await feeds.open(environment)).flags.keys()], ['a', 'b']);
      assert.equal(feed.revision, 2);
    });

    test('is loaded once, also for those who ask at the same time', async () => {
      await addFlag('a');
      const all = await Promise.all([feeds.open(environment), feeds.open(environment)]);
      assert.equal(all[0], all[1]);
    });

    test('has a payload for each revision, which is made once', async () => {
      await addFlag('a');
      const feed = await feeds.open(environment);
      const { all, flags, segments } = await feed.payload();
      assert.equal((await feed.payload()).all, all);
      const text = (bytes: Uint8Array) =>
        JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>;
      assert.deepEqual(text(all), { flags: text(flags), segments: text(segments) });
      assert.deepEqual([Object.keys(text(flags)), Object.keys(text(segments))], [['a'], []]);
      await edit('a', swap);
      await feeds.open(environment);
      assert.notEqual((await feed.payload()).all, all);
    });

    test('that cannot be loaded is tried again', async () => {
      await addFlag('a');
      const set = (doc: string) =>
        db.updateTable('flag_configs').set({ doc }).where('environment_id', '=', environment.id).execute();
      const { doc } = await db
        .selectFrom('flag_configs')
        .select('doc')
        .where('environment_id', '=', environment.id)
        .executeTakeFirstOrThrow();
      await set('no JSON');
      await assert.rejects(feeds.open(environment), SyntaxError);
      await set(doc);
      assert.deepEqual([...(await feeds.open(environment)).flags.keys()], ['a']);
    });

    test('that cannot read a change stays as it is, and reads it later', async () => {
      await addFlag('a');
      const feed = await feeds.open(environment);
      await addFlag('b');
      const set = (doc: string) =>
        db.updateTable('flag_configs').set({ doc }).where('environment_id', '=', environment.id).execute();
      const [{ doc }] = (await db
        .selectFrom('flag_configs')
        .select('doc')
        .where('environment_id', '=', environment.id)
        .execute()) as [{ doc: string }];
      await set('no JSON');
      assert.deepEqual([...(await feeds.open(environment)).flags.keys()], ['a']);
      assert.equal(warnings.length, 1);
      await set(doc);
      await feeds.open(environment);
      assert.deepEqual([...feed.flags.keys()], ['a', 'b']);
    });

    test('that cannot be asked for a second change while the first is read reads both later', async () => {
      const isAsked = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<void>();
      let asked = 0;
      let isCut = false;
      const cut = db.withPlugin({
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          if (!isCut) return result;
          asked += 1;
          if (asked > 1) throw new Error('The database is away.');
          isAsked.resolve();
          await goOn.promise;
          return result;
        },
      });
      const others = await new Feeds(
        { ...engine, listen: (...args) => engine.listen(...args), db: cut },
        log,
      ).listen();
      try {
        const feed = await others.open(environment);
        feed.follow(async () => {});
        isCut = true;
        await addFlag('a');
        await inTime(isAsked.promise);
        await addFlag('b');
        // The question about the second has failed, and nobody waits for its answer yet.
        await eventually(() => asked >= 2, 'the second question');
        await nextTurn();
        isCut = false;
        goOn.resolve();
        await others.open(environment);
        await others.open(environment);
        assert.deepEqual([...feed.flags.keys()], ['a', 'b']);
      } finally {
        others.close();
      }
    });

    test('has no archived flags, and names them in the order of keys', async () => {
      for (const key of ['b', 'c']) await addFlag(key);
      const feed = await feeds.open(environment);
      await edit('c', () => ({ archived: true, archivedAt: NOW }));
      await addFlag('a');
      await feeds.open(environment);
      assert.deepEqual(
        feed.flagNames.map(({ key }) => key),
        ['a', 'b'],
      );
    });

    test('has the same versions of results on each node: those of the last change that may have affected them', async () => {
      const needs = (needed: string) => (flag: Flag) => ({
        environments: Object.fromEntries(
          Object.entries(flag.environments).map(([key, config]) => [
            key,
            { ...config, version: config.version + 1, prerequisites: [{ key: needed, variation: 0 }] },
          ]),
        ),
      });
      const versions = async (at: Feeds) => {
        const { flags } = (await at.open(environment)).compiled;
        return Object.fromEntries(Array.from(flags, ([key, flag]) => [key, flag.resultVersion]));
      };
      const expect = async (expected: Record<string, number>) => {
        assert.deepEqual(await versions(feeds), expected);
        const other = new Feeds(engine, log);
        assert.deepEqual(await versions(other), expected);
        other.close();
      };
      for (const key of ['a', 'b', 'c']) await addFlag(key);
      await expect({ a: 1, b: 2, c: 3 });
      await edit('a', needs('b'));
      await expect({ a: 4, b: 2, c: 3 });
      await edit('b', swap);
      await expect({ a: 5, b: 5, c: 3 });
      await edit('b', () => ({ archived: true, archivedAt: NOW }));
      await expect({ a: 6, c: 3 });
      await addSegment('s');
      await expect({ a: 6, c: 3 });
      await edit('b', () => ({ archived: false }));
      await expect({ a: 8, b: 8, c: 3 });
      await change(':env/test', (tx) => updateEnvironment(tx, { ...environment, secureMode: true }));
      await expect({ a: 9, b: 9, c: 9 });
    });

    test('knows where a context stands in big segments', async () => {
      await addSegment('big', true);
      await addSegment('other', true);
      const feed = await feeds.open(environment);
      const upsert = [
        { key: 'in', type: 'included' as const },
        { key: 'out', type: 'excluded' as const },
      ];
      const { id } = feed.bigSegments.get('big')!;
      await updateMembership(db, id, { upsert, remove: [], included: 1, excluded: 1 });
      const inclusion = async (key: string, segment: string) => {
        const prepared = await loadBigSegments(db, feed, readContext({ kind: 'user', key }));
        return prepared.bigSegmentInclusion(segment);
      };
      assert.equal(await inclusion('in', 'big'), true);
      assert.equal(await inclusion('out', 'big'), false);
      assert.equal(await inclusion('nobody', 'big'), undefined);
      assert.equal(await inclusion('in', 'other'), undefined);
    });
  });

  describe('a follower', () => {
    test('gets each change of a flag, with a version that is higher than all before', async () => {
      const told = await follow();
      const seen = async (count: number) => {
        await eventually(() => told.length >= count);
        const [one] = told.at(-1)!.flags;
        return [one?.key, one?.before?.data.version, one?.after?.data.version, one?.version];
      };
      await addFlag('a');
      assert.deepEqual(await seen(1), ['a', undefined, 1, 1]);
      await edit('a', swap);
      assert.deepEqual(await seen(2), ['a', 1, 2, 2]);
      await edit('a', () => ({ archived: true, archivedAt: NOW }));
      assert.deepEqual(await seen(3), ['a', 2, undefined, 3]);
      await edit('a', () => ({ archived: false }));
      assert.deepEqual(await seen(4), ['a', undefined, 4, 4]);
      await drop('a');
      assert.deepEqual(await seen(5), ['a', 4, undefined, 5]);
      await addFlag('a');
      assert.deepEqual(await seen(6), ['a', undefined, 6, 6]);
      assert.deepEqual(
        told.map(({ revision: one }) => one),
        [1, 2, 3, 4, 5, 6],
      );
    });

    test('gets a change that was committed after it opened the feed and before it followed', async () => {
      const feed = await feeds.open(environment);
      await addFlag('a');
      const told: number[] = [];
      feed.follow(async (one) => void told.push(one.revision));
      await eventually(() => told.length === 1);
      assert.deepEqual(told, [1]);
    });

    test('of a feed that was closed meanwhile gets changes nevertheless', async () => {
      const feed = await feeds.open(environment);
      const others = await Promise.all(
        Array.from({ length: 101 }, (_, index) => addEnvironment(db, home.project, `other-${index}`)),
      );
      for (const other of others) await feeds.open(other);
      const told: number[] = [];
      feed.follow(async (one) => void told.push(one.revision));
      await addFlag('a');
      await eventually(() => told.length === 1);
      assert.equal(await feeds.open(environment), feed);
    });

    test('gets no flag of which only the version has risen, which the feed has nevertheless', async () => {
      await addFlag('a');
      const told = await follow();
      await edit('a', () => ({ name: 'Another' }));
      await eventually(() => told.length === 1);
      assert.deepEqual(told[0]!.flags, []);
      assert.equal((await feeds.open(environment)).flags.get('a')!.data.version, 2);
    });

    test('gets changes of segments', async () => {
      const told = await follow();
      // One after the other: a segment that comes and goes at once is no change.
      const isTold = (wanted: number) => eventually(() => told.at(-1)?.revision === wanted);
      await addSegment('s');
      await isTold(1);
      const segment = (await findSegment(db, environment.id, 's'))!;
      await change(ofSegment('s'), (tx) =>
        updateSegment(tx, segment, { ...segment, included: ['u'], version: 2 }),
      );
      await isTold(2);
      await change(ofSegment('s'), (tx) => deleteSegment(tx, { ...segment, version: 2 }));
      await isTold(3);
      assert.deepEqual(
        told.flatMap(({ segments }) => segments).map(({ key, version }) => [key, version]),
        [
          ['s', 1],
          ['s', 2],
          ['s', 3],
        ],
      );
    });

    test('hears that the environment has changed, and that it is deleted', async () => {
      const told = await follow();
      const feed = await feeds.open(environment);
      await change(':env/test', (tx) => updateEnvironment(tx, { ...environment, secureMode: true }));
      await eventually(() => told.length === 1);
      assert.equal(feed.environment.secureMode, true);
      await change(':env/test', (tx) =>
        tx.deleteFrom('environments').where('id', '=', environment.id).execute(),
      );
      await eventually(() => told.length === 2);
      assert.equal(feed.isGone, true);
      await assert.rejects(feeds.open(environment), { kind: 'not-found' });
    });

    test('gets a change after the one before, however long that takes', async () => {
      const order: string[] = [];
      const gate = Promise.withResolvers<void>();
      (await feeds.open(environment)).follow(async ({ revision: one }) => {
        order.push(`begin ${one}`);
        if (one === 1) await gate.promise;
        order.push(`end ${one}`);
      });
      await addFlag('a');
      await eventually(() => order.length === 1);
      await addFlag('b');
      gate.resolve();
      await eventually(() => order.length === 4);
      assert.deepEqual(order, ['begin 1', 'end 1', 'begin 2', 'end 2']);
    });
  });

  test('every statement goes by an index', async () => {
    await db.transaction().execute(async (tx) => fill(tx));
    await sql.raw('analyze').execute(db);
    const seen = recordStatements(engine);
    await addSegment('big', true);
    await listFlagData(db, environment);
    await listFlagData(db, environment, ['a', 'b']);
    await listGoneFlags(db, environment, ['a', 'b']);
    await listGoneSegments(db, environment, ['a', 'b']);
    await listItemsSince(db, environment.id, 0);
    await loadBigSegments(db, await feeds.open(environment), readContext({ key: 'u' }));
    const reads = [...seen.values()].filter(({ sql: text }) =>
      /^\s*(?:select|insert into .delivery_)/.test(text),
    );
    await assertPlans(engine, reads, { atLeast: 8, scan: /Seq Scan|SCAN (?!CONSTANT)/, hasFewRows: true });
  });

  const raise = (tx: Db, { id }: Environment) =>
    tx.insertInto('delivery_revisions').values({ environment_id: id, revision: 1 }).execute();

  async function fill(tx: Db): Promise<void> {
    for (let index = 0; index < 5; index += 1) {
      const small = await makeHome(tx, `small-${index}`);
      const [{ id, projectId }] = small.environments as [Environment];
      for (let other = 0; other < 20; other += 1)
        await raise(tx, await addEnvironment(tx, small.project, `env-${other}`));
      const upsert = Array.from({ length: 50 }, (_, member) => ({
        key: `u${member}`,
        type: 'included' as const,
      }));
      await updateMembership(tx, `big-${index}`, { upsert, remove: [], included: 0, excluded: 0 });
      for (let flag = 0; flag < 20; flag += 1) {
        const key = `key-${flag}`;
        await insertTestFlag(tx, small, key);
        const segment = { environmentId: id, key, name: key, tags: [], unbounded: false };
        await insertSegment(tx, segment, 'salt', NOW);
        await tx
          .insertInto('flag_graves')
          .values({ project_id: projectId, key: `${key}-old`, version: 1 })
          .execute();
        const grave = { environment_id: id, key: `${key}-old`, version: 1, generation: 1 };
        await tx.insertInto('segment_graves').values(grave).execute();
        const item = { environment_id: id, kind: 'flag' as const, key, revision: flag };
        await tx.insertInto('delivery_items').values(item).execute();
      }
    }
  }
});
