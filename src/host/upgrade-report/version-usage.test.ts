// The counters of old versions: bounded memory, saving in batches, retrying, and the indexes of the queries.
import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { assertPlans, fillTables, recordStatements } from '../../../test/query-plans.ts';
import { hostApi } from '../api.ts';
import type { Caller } from '../../kernel/identity/caller.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { effectsOf, type RouteUsage } from '../../kernel/versions/usage/route-usage.ts';
import {
  deleteUsageBefore,
  deleteUsageOf,
  findUnrecordedCalls,
  listGoneCallers,
  listVersionUsage,
  listUsageCallers,
  listUsageEffects,
} from '../../kernel/versions/usage/store.ts';
import { VersionUsage } from '../../kernel/versions/usage/version-usage.ts';

const NOW = 1_800_000_000_000;
const OLD = '2022-11-28';
const FILTER = { api: 'host', target: '2026-03-10', scope: 'everybody' as const };
const SLICE = { offset: 0, limit: 100 };
const clock = { now: () => NOW };

const callerOf = (id: string) => ({ kind: 'token', member: { id: 'm' }, token: { id } }) as unknown as Caller;
const shape = hostApi.routes.find((route) => route.shape.id === 'repos/get')!.shape;

test('no route has so many effects that two share a counter', () => {
  for (const { shape: one } of hostApi.routes) {
    for (const variant of [undefined, 'beta']) {
      const effects = effectsOf(one, { version: OLD, variant }, hostApi.protocol.versions);
      assert.ok(effects.length <= 30, `${one.id} has ${effects.length}`);
      assert.equal(new Set(effects.map(({ id }) => id)).size, effects.length, one.id);
    }
  }
});

onEachEngine((testEngine) => {
  let engine: Engine;
  let usage: VersionUsage;
  let route: RouteUsage;

  before(async () => {
    engine = await testEngine.openMigrated();
  });
  beforeEach(async () => {
    await engine.db.deleteFrom('version_usage').execute();
    await engine.db.deleteFrom('version_usage_effects').execute();
    usage = new VersionUsage({ engine, clock, maxCounters: 200 });
    route = usage.of(hostApi.protocol, shape, { version: OLD })!;
  });
  const record = (id: string, effects = 1, now = NOW) => usage.record(route, callerOf(id), effects, now);
  const list = () => listVersionUsage(engine.db, FILTER, SLICE);

  test('counts of several saves add up, with the first and the last time of each', async () => {
    record('a', 1, NOW + 5);
    record('a', 3, NOW + 7);
    await usage.save();
    record('a', 1, NOW + 2);
    await usage.save();
    await usage.save();
    const [row, ...others] = await list();
    assert.deepEqual(others, []);
    assert.deepEqual([row!.calls, row!.firstAt, row!.lastAt], [3, NOW + 2, NOW + 7]);
    assert.deepEqual([row!.kind, row!.memberId, row!.changedIn], ['token', 'm', '2026-03-10']);
    const effects = await listUsageEffects(engine.db, [row!]);
    assert.deepEqual(new Set(effects.map(({ calls }) => calls)), new Set([1, 3]));
  });

  test('a full memory is saved early, and what finds no room is counted and reported', async () => {
    for (let index = 0; index < 250; index += 1) record(`caller-${index}`);
    // Known callers are counted however full it is.
    record('caller-0');
    await usage.save();
    const found = await listVersionUsage(engine.db, FILTER, { offset: 0, limit: 1000 });
    const calls = found.reduce((sum, row) => sum + row.calls, 0);
    const unrecorded = await findUnrecordedCalls(engine.db, 'host');
    assert.deepEqual([found.length, calls, unrecorded?.calls], [200, 201, 50]);
    assert.equal(found[0]!.caller, 'caller-0');
    for (let index = 0; index < 150; index += 1) record(`later-${index}`);
    await usage.save();
    assert.equal((await listVersionUsage(engine.db, FILTER, { offset: 0, limit: 1000 })).length, 350);
    assert.equal((await findUnrecordedCalls(engine.db, 'host'))?.calls, 50);
  });

  test('what could not be saved is saved later, and nothing twice', async () => {
    let batches = 0;
    const broken = new VersionUsage({
      engine: {
        ...engine,
        db: engine.db,
        batch: (statements) => {
          batches += 1;
          if (batches === 2) return Promise.reject(new Error('The database is away.'));
          return engine.batch(statements);
        },
      },
      clock,
      maxCounters: 200,
    });
    const same = broken.of(hostApi.protocol, shape, { version: OLD })!;
    for (let index = 0; index < 150; index += 1) broken.record(same, callerOf(`caller-${index}`), 1, NOW);
    await assert.rejects(broken.save(), /away/);
    broken.record(same, callerOf('caller-149'), 1, NOW + 1);
    await broken.save();
    const rows = await listVersionUsage(engine.db, FILTER, { offset: 0, limit: 1000 });
    assert.equal(
      rows.reduce((sum, row) => sum + row.calls, 0),
      151,
    );
    assert.equal(rows.length, 150);
    // There is room again for as many as before.
    for (let index = 0; index < 200; index += 1) broken.record(same, callerOf(`new-${index}`), 1, NOW);
    await broken.save();
    assert.equal(await findUnrecordedCalls(engine.db, 'host'), undefined);
  });

  test('two nodes that save the same callers at once do not lose or block each other', async () => {
    const other = new VersionUsage({ engine, clock });
    const same = other.of(hostApi.protocol, shape, { version: OLD })!;
    for (let index = 0; index < 150; index += 1) {
      record(`caller-${index}`);
      other.record(same, callerOf(`caller-${149 - index}`), 1, NOW);
    }
    await Promise.all([usage.save(), other.save()]);
    const rows = await listVersionUsage(engine.db, FILTER, { offset: 0, limit: 1000 });
    assert.deepEqual([rows.length, new Set(rows.map(({ calls }) => calls))], [150, new Set([2])]);
  });

  test('every statement goes by an index', async () => {
    await fillTables(engine, 3000, async (tx, rows) => {
      const keys = rows.map((at) => ({
        caller: `caller-${at}`,
        api: 'host',
        version: OLD,
        variant: '',
        operation: 'repos/get',
      }));
      await tx
        .insertInto('version_usage')
        .values(
          keys.map((key, at) => ({
            ...key,
            kind: 'token',
            member_id: `member-${at % 100}`,
            changed_in: '2026-03-10',
            calls: at,
            first_at: NOW,
            last_at: NOW + at,
          })),
        )
        .execute();
      await tx
        .insertInto('version_usage_effects')
        .values(keys.map((key) => ({ ...key, effect: 'e', calls: 1, last_at: NOW })))
        .execute();
    });
    const seen = recordStatements(engine);
    const { db } = engine;
    for (const scope of ['everybody', { memberId: 'member-1' }, { caller: 'caller-1' }] as const) {
      const rows = await listVersionUsage(db, { ...FILTER, scope, since: NOW }, { offset: 0, limit: 3 });
      await listUsageEffects(db, rows);
    }
    await findUnrecordedCalls(db, 'host');
    const callers = await listUsageCallers(db, 'caller-1', 3);
    await listGoneCallers(db, [...callers, { caller: 'x', kind: 'session' }]);
    await deleteUsageOf(db, ['caller-7']);
    await deleteUsageBefore(db, NOW + 2, 5);
    record('caller-9');
    await usage.save();
    const statements = [...seen.values()].filter(({ sql }) => /^\s*(select|insert|update|delete)/i.test(sql));
    const scan = /(?:SCAN|Seq Scan on) version_usage\w*\b(?! USING)|USE TEMP B-TREE FOR ORDER BY/;
    await assertPlans(engine, statements, { atLeast: 12, scan, hasFewRows: true });
  });
});
