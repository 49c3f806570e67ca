// SIGKILL while schedules fire: after the next start each action has been started exactly once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giveBuiltActor } from '../conformance/actors/schedules/schedule-calls.ts';
import { onEachEngine, openEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { startServer } from '../server.ts';
import { runUntil, settingsOn, startChild, TOKEN } from './child-server.ts';

const SCHEDULES = 20;
const ACTIONS = 5;
/** Schedules that a server fires at the same time. */
const AT_ONCE = 16;
/** Each server fires so many actions before it is killed, and at most one more for each of the other schedules: never all. */
const KILLS = [1, 30];
const KEY = 'the same secret key for both servers';

onEachEngine((testEngine) => {
  test('each action of each schedule is started exactly once', async (t) => {
    const { location, settings } = await settingsOn(testEngine);
    const server = await startServer({
      data: settings.SIGNALBOX_DATA,
      ...(testEngine.kind === 'postgres' && { database: location }),
      adminToken: TOKEN,
      secretKey: KEY,
    });
    try {
      const actorId = await giveBuiltActor(server, { token: TOKEN });
      const action = { type: 'RUN_ACTOR', actorId, runInput: { body: 'x', contentType: 'text/plain' } };
      for (let index = 0; index < SCHEDULES; index += 1) {
        const body = {
          cronExpression: '@yearly',
          isEnabled: true,
          isExclusive: false,
          actions: Array.from({ length: ACTIONS }, () => action),
        };
        const { status, text } = await server.call('/v2/schedules', { method: 'POST', body, token: TOKEN });
        assert.equal(status, 201, text);
      }
    } finally {
      await server.stop();
    }

    const engine = await openEngine(location);
    try {
      const { db } = engine;
      const moment = Date.now() - 5000;
      await db.updateTable('schedules').set({ next_run_at: moment }).execute();
      /** Includes rows that the killed server had claimed, which otherwise wait for the end of their leases. */
      const makeDue = () =>
        db
          .updateTable('due')
          .set({ due_at: 0 })
          .where('kind', '=', 'actors.fire-schedule')
          .where('payload', 'in', (eb) =>
            eb.selectFrom('schedules').select('id').where('next_run_at', '=', moment),
          )
          .execute();
      const countRuns = async () => (await db.selectFrom('runs').select('id').execute()).length;
      const countFiring = async () =>
        (await db.selectFrom('schedules').select('id').where('next_run_at', '=', moment).execute()).length;
      const roomy = {
        ...settings,
        SIGNALBOX_SECRET_KEY: KEY,
        SIGNALBOX_ACCOUNT_RUNS: '1000',
        SIGNALBOX_ACCOUNT_MEMORY: '1000000',
      };
      await makeDue();
      await runUntil('claimed actors.fire-schedule', 1, roomy);
      assert.equal(await countRuns(), 0, 'what was only claimed is not done');
      for (const count of KILLS) {
        await makeDue();
        const before = await countRuns();
        await runUntil('fired an action', count, roomy);
        const fired = (await countRuns()) - before;
        assert.ok(fired >= count && fired < count + AT_ONCE, `${fired} actions, for ${count}`);
        assert.ok((await countFiring()) > 0, 'it was killed in the middle');
      }
      await makeDue();
      const child = await startChild(roomy);
      t.after(() => child.kill());
      await eventually(async () => (await countFiring()) === 0);

      const runs = await db.selectFrom('runs').select(['id', 'meta']).execute();
      const starts = Map.groupBy(runs, ({ meta }) => (JSON.parse(meta) as { scheduleId: string }).scheduleId);
      assert.deepEqual(
        [...starts.values()].map((some) => some.length),
        Array.from({ length: SCHEDULES }, () => ACTIONS),
      );
      const scheduled = runs.map(({ meta }) => (JSON.parse(meta) as { scheduledAt: string }).scheduledAt);
      assert.deepEqual(new Set(scheduled), new Set([new Date(moment).toISOString()]));
      const actions = await db.selectFrom('schedule_actions').select('last_run_id').execute();
      assert.equal(new Set(actions.map((one) => one.last_run_id)).size, SCHEDULES * ACTIONS);
      const lines = await db.selectFrom('schedule_log').select(['schedule_id', 'level']).execute();
      assert.deepEqual(
        lines.map(({ level }) => level),
        Array.from({ length: SCHEDULES }, () => 'INFO'),
      );
      assert.equal(new Set(lines.map((line) => line.schedule_id)).size, SCHEDULES);
    } finally {
      await engine.close();
    }
  });
});
