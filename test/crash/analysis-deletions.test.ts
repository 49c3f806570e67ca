// SIGKILL of a server while an analysis is deleted: the deletion goes on after the next start, and no alert stays in between.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Db } from '../../src/kernel/storage/tables.ts';
import { onEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { callerOf, dieAt, settingsOn, startChild } from './child-server.ts';
import { insertAppliedAnalysis, insertFirstRepository, insertPerson } from './host-rows.ts';

const RESULTS = 2000;
const HALF = RESULTS / 2;
/** Results that are removed at once, and how often before the server is killed. */
const STEP = 100;
const STEPS = 12;

const names = (from: number) => Array.from({ length: RESULTS }, (_, at) => `h${from + at}`);

onEachEngine((engine) => {
  test('a server that is killed while an analysis is deleted', async (t) => {
    const { location, settings } = await settingsOn(engine);
    const storage = await engine.open([], location);
    const { db } = storage;
    const { member, token } = await insertPerson(db, 'eve');
    await insertFirstRepository(db, member, 'demo');
    const [first, second] = await db.transaction().execute(async (tx) => [
      await insertAppliedAnalysis(tx, 'one', names(0)),
      // The other half of its results is new.
      await insertAppliedAnalysis(tx, 'two', names(HALF)),
    ]);
    const old = await statesOf(db);
    assert.deepEqual(countsIn(old), { fixed: HALF, open: RESULTS });

    let server = await startChild({ ...settings, ...dieAt('removed some of an analysis', STEPS) });
    t.after(() => server.kill());
    const { call } = callerOf(() => server.url, token);
    const analyses = '/repos/eve/demo/code-scanning/analyses';
    const deleting = call(`${analyses}/${second}`, { method: 'DELETE' }).catch(() => undefined);
    await server.died();
    await deleting;
    assert.equal(await countResults(db, second), RESULTS - STEPS * STEP, 'it was killed in the middle');
    const wanted = new Map(names(0).map((name) => [name, 'open']));
    for (const [name, state] of await statesOf(db))
      assert.ok(state === old.get(name) || state === wanted.get(name), `${name} is ${state}`);
    // The work is due some seconds after the deletion began.
    await db.updateTable('due').set({ due_at: 0 }).where('kind', '=', 'host.process-sarif').execute();

    server = await startChild(settings);
    const isWorkLeft = async () =>
      (await db.selectFrom('due').select('id').where('kind', '=', 'host.process-sarif').execute()).length > 0;
    await eventually(async () => !(await isWorkLeft()), 'the end of the deletion');
    assert.deepEqual(await statesOf(db), wanted);
    assert.deepEqual(await rowsOf(db), {
      analyses: [{ number: first, is_ready: 1, is_newest: 1, applied: null, restored: null }],
      sets: 1,
      alerts: RESULTS,
      instances: { 1: RESULTS },
      results: RESULTS,
    });
    const again = await call(`${analyses}/${second}`, { method: 'DELETE' });
    assert.equal(again.status, 404, again.text);
    const entries = await db.selectFrom('events').select('seq').where('name', '=', 'demo').execute();
    assert.equal(entries.length, 1);

    const last = await call(`${analyses}/${first}?confirm_delete=true`, { method: 'DELETE' });
    assert.equal(last.status, 200, last.text);
    const nothing = { analyses: [], sets: 0, alerts: 0, instances: {}, results: 0 };
    assert.deepEqual(await rowsOf(db), nothing);
    await server.kill();
    await storage.close();
  });
});

/** By fingerprint, as lists show them. */
async function statesOf(db: Db): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('code_scanning_alert_refs as shown')
    .innerJoin('code_scanning_alerts as alert', (join) =>
      join
        .onRef('alert.repository_number', '=', 'shown.repository_number')
        .onRef('alert.number', '=', 'shown.alert_number'),
    )
    .select(['alert.fingerprint', 'shown.state'])
    .orderBy('alert.number')
    .execute();
  return new Map(rows.map(({ fingerprint, state }) => [fingerprint, state]));
}

function countsIn(states: ReadonlyMap<string, string>): Record<string, number> {
  const groups = Object.entries(Object.groupBy(states.values(), (state) => state));
  return Object.fromEntries(groups.map(([state, of]) => [state, of!.length]));
}

async function countResults(db: Db, analysis: number): Promise<number> {
  const { count } = await db
    .selectFrom('code_scanning_results')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('analysis_number', '=', analysis)
    .executeTakeFirstOrThrow();
  return count;
}

async function rowsOf(db: Db) {
  const analyses = await db
    .selectFrom('code_scanning_analyses')
    .select(['number', 'is_ready', 'is_newest', 'applied', 'restored'])
    .execute();
  const instances = await db.selectFrom('code_scanning_instances').select('is_open').execute();
  const countOf = async (table: 'code_scanning_alerts' | 'code_scanning_results') =>
    (await db.selectFrom(table).select('fingerprint').execute()).length;
  return {
    analyses,
    sets: (await db.selectFrom('code_scanning_sets').select('number').execute()).length,
    alerts: await countOf('code_scanning_alerts'),
    instances: countsIn(new Map(instances.map(({ is_open: open }, at) => [`${at}`, `${open}`]))),
    results: await countOf('code_scanning_results'),
  };
}
