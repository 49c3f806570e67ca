// Payloads on each engine: the revision rises with every change, and each revision is built once.
import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { onEachEngine } from '../../../test/engines.ts';
import { planOf, recordStatements } from '../../../test/query-plans.ts';
import { readContext } from '../evaluation/context.ts';
import { insertTestFlag, flagStoreMigrations, makeHome, NOW, type Home } from '../feature-flags/fixture.ts';
import type { Flag } from '../feature-flags/flag.ts';
import { findFlag } from '../feature-flags/store.ts';
import { deleteFlagRows, updateFlag } from '../feature-flags/store-writes.ts';
import type { Environment } from '../projects/project.ts';
import { updateMembership } from '../segments/store-members.ts';
import { insertSegment, deleteSegment, updateSegment } from '../segments/store.ts';
import { readPayload, createPayloadCache, loadBigSegments } from './payload-cache.ts';
import { findRevision, listFlagData } from './store.ts';

onEachEngine((testEngine) => {
  let engine: Engine;
  let db: Db;
  let home: Home;
  let environment: Environment;
  let number = 0;

  before(async () => {
    engine = await testEngine.open(flagStoreMigrations);
    db = engine.db;
  });
  beforeEach(async () => {
    home = await makeHome(db, `home-${(number += 1)}`);
    environment = home.environments[0]!;
  });

  const payloadCache = createPayloadCache();
  const read = (at = environment) => readPayload({ db, services: { payloadCache } }, at);
  const revision = (at = environment) => findRevision(db, at);

  async function change(tx: Db, key: string, edit: (flag: Flag) => Partial<Flag>): Promise<void> {
    const found = (await findFlag(tx, home.project.id, key))!;
    const { flag } = found;
    await updateFlag(tx, found, { ...flag, ...edit(flag), version: flag.version + 1 }, new Map());
  }

  const drop = async (key: string) => deleteFlagRows(db, (await findFlag(db, home.project.id, key))!.flag);

  const makeSegment = async (key: string, unbounded = false) =>
    (await insertSegment(
      db,
      { environmentId: environment.id, key, name: key, tags: [], unbounded },
      'salt',
      NOW,
    ))!;

  describe('the revision', () => {
    test('rises with every change of flags and segments, however they come and go', async () => {
      const seen = [await revision()];
      const note = async () => seen.push(await revision());
      await insertTestFlag(db, home, 'a');
      await note();
      await change(db, 'a', () => ({ name: 'A' }));
      await note();
      await drop('a');
      await note();
      // The same number of flags with the same versions as before.
      await insertTestFlag(db, home, 'b');
      await note();
      await insertTestFlag(db, home, 'a');
      await note();
      await drop('a');
      await note();
      const segment = await makeSegment('s');
      await note();
      await updateSegment(db, segment, { ...segment, version: 2 });
      await note();
      await deleteSegment(db, { ...segment, version: 2 });
      await note();
      await deleteSegment(db, await makeSegment('s'));
      await note();
      assert.deepEqual(
        seen,
        [...new Set(seen)].toSorted((a, b) => a - b),
      );
    });

    test('is not that of another project, nor does it know segments of another environment', async () => {
      const other = await makeHome(db, `other-${number}`);
      await insertTestFlag(db, home, 'a');
      await makeSegment('s');
      assert.equal(await revision(other.environments[0]), 0);
      assert.equal(await revision(home.environments[1]), 1);
    });

    // SQLite has one writer at a time.
    test('rises with each of two changes that overlap', { skip: testEngine.kind === 'sqlite' }, async () => {
      await insertTestFlag(db, home, 'a');
      await insertTestFlag(db, home, 'b');
      const gate = Promise.withResolvers<void>();
      const held = Promise.withResolvers<void>();
      const first = db.transaction().execute(async (tx) => {
        await change(tx, 'a', () => ({ name: 'A' }));
        held.resolve();
        await gate.promise;
      });
      await held.promise;
      const start = await revision();
      await change(db, 'b', () => ({ name: 'B' }));
      const between = await revision();
      gate.resolve();
      await first;
      assert.ok(start < between && between < (await revision()));
    });
  });

  describe('a payload', () => {
    test('is made once for a revision, also for those who ask at the same time', async () => {
      await insertTestFlag(db, home, 'a');
      const all = await Promise.all([read(), read(), read()]);
      assert.equal(new Set([...all, await read()]).size, 1);
      await change(db, 'a', () => ({ name: 'A' }));
      const next = await read();
      assert.notEqual(next, all[0]);
      assert.ok(next.revision > all[0].revision);
    });

    test('of the same content has the same ETag', async () => {
      await insertTestFlag(db, home, 'a');
      const [one, other] = await Promise.all(home.environments.map((each) => read(each)));
      assert.notEqual(one!.etag, other!.etag);
      const { etag } = await read();
      assert.equal(etag, one!.etag);
    });

    test('that could not be made is tried again', async () => {
      await insertTestFlag(db, home, 'a');
      const set = (doc: string) =>
        db.updateTable('flag_configs').set({ doc }).where('environment_id', '=', environment.id).execute();
      const { doc } = await db
        .selectFrom('flag_configs')
        .select('doc')
        .where('environment_id', '=', environment.id)
        .executeTakeFirstOrThrow();
      await set('no JSON');
      await assert.rejects(read(), SyntaxError);
      await set(doc);
      assert.deepEqual(Object.keys((await read()).flags), ['a']);
    });

    test('has no archived flags, and is in the order of keys', async () => {
      for (const key of ['b', 'c', 'a']) await insertTestFlag(db, home, key);
      await change(db, 'c', () => ({ archived: true, archivedAt: NOW }));
      assert.deepEqual(Object.keys((await read()).flags), ['a', 'b']);
    });

    test('knows where a context stands in big segments', async () => {
      const [big, other] = [await makeSegment('big', true), await makeSegment('other', true)];
      const upsert = [
        { key: 'in', type: 'included' as const },
        { key: 'out', type: 'excluded' as const },
      ];
      await updateMembership(db, big.id, { upsert, remove: [], included: 1, excluded: 1 });
      const payload = await read();
      const inclusion = async (key: string, segment: string) => {
        const prepared = await loadBigSegments(db, payload, readContext({ kind: 'user', key }));
        return prepared.bigSegmentInclusion(segment);
      };
      assert.equal(await inclusion('in', big.key), true);
      assert.equal(await inclusion('out', big.key), false);
      assert.equal(await inclusion('nobody', big.key), undefined);
      assert.equal(await inclusion('in', other.key), undefined);
    });
  });

  test('every statement goes by an index', async () => {
    // Small tables are scanned despite indexes.
    await db.transaction().execute(async (tx) => fill(tx));
    await sql.raw('analyze').execute(db);
    const seen = recordStatements(engine);
    await findRevision(db, environment);
    await listFlagData(db, environment);
    await makeSegment('big', true);
    await loadBigSegments(db, await read(), readContext({ key: 'u' }));
    const reads = [...seen.values()].filter(({ sql: text }) => /^\s*select/.test(text));
    assert.ok(reads.length >= 4, String(reads.length));
    for (const statement of reads) {
      const plan = await planOf(engine, statement);
      assert.doesNotMatch(plan, /Seq Scan|SCAN (?!CONSTANT)/, `${statement.sql}\n${plan}`);
    }
  });

  async function fill(tx: Db): Promise<void> {
    for (let index = 0; index < 40; index += 1) {
      const small = await makeHome(tx, `small-${index}`);
      const [{ id, projectId }] = small.environments as [Environment];
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
      }
    }
  }
});
