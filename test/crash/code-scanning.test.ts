// SIGKILL of a server while an analysis is written, and while it opens and closes alerts: it goes on after the next start, and
// nothing is twice.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needsGit } from '../../src/host/git/fixture-repository.ts';
import type { Engine } from '../../src/kernel/storage/engine.ts';
import { packed, resultOf, runOf, sarifOf } from '../conformance/host/code-scanning/scanning-calls.ts';
import { onEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import type { Json } from '../server.ts';
import { callerOf, dieAt, settingsOn, startChild } from './child-server.ts';

const RESULTS = 2000;
/** Results that are written, and applied, at once. */
const WRITTEN = 200;
const APPLIED = 100;
/** Of the second analysis, before the server is killed: more than half of them, so that it has opened some alerts. */
const STEPS = 12;
const AT = '/repos/admin/demo';
/** An analysis causes no more. */
const EVENTS = 1000;

onEachEngine((engine) => {
  test(
    'a server that is killed while an analysis is written, and while one is applied',
    needsGit,
    async (t) => {
      const { location, settings } = await settingsOn(engine);
      let server = await startChild({ ...settings, ...dieAt('wrote results of an analysis', 3) });
      t.after(() => server.kill());
      const { call } = callerOf(() => server.url);
      const ask = async (path: string, body?: unknown): Promise<Json> => {
        const answer = await call(path, body === undefined ? {} : { method: 'POST', body });
        assert.ok(answer.status < 300, `${path}: ${answer.text}`);
        return answer.json;
      };
      await ask('/user/repos', { name: 'demo', auto_init: true });
      const sha = (await ask(`${AT}/git/ref/heads/main`))['object'].sha as string;
      const upload = async (first: number) => {
        const results = Array.from({ length: RESULTS }, (_, at) => resultOf({ hash: `h${first + at}` }));
        const sarif = packed(sarifOf([{ ...runOf([]), results }]));
        const sent = { commit_sha: sha, ref: 'refs/heads/main', sarif };
        return (await ask(`${AT}/code-scanning/sarifs`, sent))['id'] as string;
      };
      const completed = async (id: string) => {
        let status: Json = {};
        await eventually(async () => {
          status = await ask(`${AT}/code-scanning/sarifs/${id}`);
          return status['processing_status'] !== 'pending';
        }, 'the end of the upload');
        assert.equal(status['processing_status'], 'complete', JSON.stringify(status));
      };
      const storage = await engine.open([], location);
      const { db } = storage;
      /** The lease of the killed server would end later. */
      const restart = async (more: Record<string, string> = {}) => {
        await db.updateTable('due').set({ due_at: 0 }).where('kind', '=', 'host.process-sarif').execute();
        server = await startChild({ ...settings, ...more });
      };
      /** It may die before it answers. */
      const uploadUntilDeath = async (from: number) => {
        const uploading = upload(from).catch(() => undefined);
        await server.died();
        await uploading;
        const uploads = db.selectFrom('code_scanning_uploads').select('id').where('ended_at', 'is', null);
        return (await uploads.executeTakeFirstOrThrow()).id;
      };
      const first = await uploadUntilDeath(0);
      assert.deepEqual(await countsOf(storage), {
        alerts: 0,
        last: -Infinity,
        open: 0,
        fixed: 0,
        linked: 0,
        ready: 0,
        results: 3 * WRITTEN,
      });
      // All steps of the first, with one that finds nothing more to do, and those of the second until it is killed.
      await restart(dieAt('applied some of an analysis', RESULTS / APPLIED + 1 + STEPS));
      await completed(first);
      // The other half of its results is new.
      const second = await uploadUntilDeath(RESULTS / 2);
      const { alerts, results, ready } = await countsOf(storage);
      const fresh = STEPS * APPLIED - RESULTS / 2;
      assert.deepEqual([alerts, results, ready], [RESULTS + fresh, 2 * RESULTS, 1]);
      await restart();
      await completed(second);
      await server.kill();
      assert.deepEqual(await countsOf(storage), {
        alerts: RESULTS * 1.5,
        last: RESULTS * 1.5,
        open: RESULTS,
        fixed: RESULTS / 2,
        linked: RESULTS * 2,
        results: RESULTS * 2,
        ready: 2,
      });
      const events = await db
        .selectFrom('host_events')
        .select(['action', 'details'])
        .where('name', '=', 'code_scanning_alert')
        .execute();
      assert.equal(events.length, EVENTS * 2);
      assert.ok(events.every(({ action }) => action === 'created'));
      const told = events.map(({ details }) => (JSON.parse(details) as Json)['alert'].number as number);
      assert.equal(new Set(told).size, told.length);
      await storage.close();
    },
  );
});

async function countsOf({ db }: Engine) {
  const alerts = await db.selectFrom('code_scanning_alerts').select('number').execute();
  const shown = await db.selectFrom('code_scanning_alert_refs').select('state').execute();
  const results = await db.selectFrom('code_scanning_results').select('alert_number').execute();
  const ready = await db
    .selectFrom('code_scanning_analyses')
    .select('number')
    .where('is_ready', '=', 1)
    .execute();
  return {
    alerts: alerts.length,
    last: Math.max(...alerts.map(({ number }) => number)),
    open: shown.filter(({ state }) => state === 'open').length,
    fixed: shown.filter(({ state }) => state === 'fixed').length,
    linked: results.filter(({ alert_number: alert }) => alert !== null).length,
    results: results.length,
    ready: ready.length,
  };
}
