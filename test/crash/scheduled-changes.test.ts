// SIGKILL while scheduled changes are applied: after the next start each has been applied exactly once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine, openEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { settingsOn, startChild, TOKEN } from './child-server.ts';

const FLAGS = 60;
const HOUR = 3_600_000;
/** The minimum number of applied changes before the server is killed. */
const KILL_AFTER = [1, 30];

onEachEngine((testEngine) => {
  test('each scheduled change is made exactly once', async (t) => {
    const { location, settings } = await settingsOn(testEngine);
    let server = await startChild(settings);
    t.after(() => server.kill());
    const post = async (path: string, body: object) => {
      const response = await fetch(`${server.url}/api/v2/${path}`, {
        method: 'POST',
        headers: { authorization: TOKEN, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      assert.equal(response.status, 201, await response.text());
    };
    await post('projects', { key: 'shop', name: 'Shop' });
    const keys = Array.from({ length: FLAGS }, (_, index) => `flag-${index}`);
    for (const key of keys) await post('flags/shop', { key, name: key });
    const change = { executionDate: Date.now() + HOUR, instructions: [{ kind: 'turnFlagOn' }] };
    for (const key of keys)
      await post(`projects/shop/flags/${key}/environments/test/scheduled-changes`, change);
    await server.kill();

    const engine = await openEngine(location);
    try {
      const { db } = engine;
      /** Includes rows that the killed server had claimed, which otherwise wait for the end of their leases. */
      const makeDue = () =>
        db.updateTable('due').set({ due_at: 0 }).where('kind', '=', 'flags.scheduled-change').execute();
      const countWaiting = async () =>
        (await db.selectFrom('scheduled_changes').select('id').execute()).length;
      for (const least of KILL_AFTER) {
        await makeDue();
        server = await startChild(settings);
        await eventually(async () => FLAGS - (await countWaiting()) >= least);
        await server.kill();
      }
      await makeDue();
      server = await startChild(settings);
      await eventually(async () => (await countWaiting()) === 0);
      const made = await db
        .selectFrom('events')
        .select('resource')
        .where('action', '=', 'updateOn')
        .execute();
      assert.deepEqual(
        made.map(({ resource }) => resource).sort((one, other) => one.localeCompare(other)),
        keys.map((key) => `proj/shop:env/test:flag/${key}`).sort((one, other) => one.localeCompare(other)),
      );
      const flags = await db.selectFrom('flags').select('version').execute();
      assert.deepEqual(new Set(flags.map(({ version }) => version)), new Set([2]));
    } finally {
      await engine.close();
    }
  });
});
