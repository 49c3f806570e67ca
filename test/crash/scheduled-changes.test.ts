// SIGKILL while scheduled changes are being made: after the next start each has been made, and none twice.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine, openEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { settingsOn, startChild, TOKEN } from './child-server.ts';

const FLAGS = 60;
const LEAD_MS = 2_000;
const KILL_AFTER_MS = [20, 60, 120];

onEachEngine((testEngine) => {
  test('each scheduled change is made exactly once', { timeout: 120_000 }, async (t) => {
    const { location, settings } = await settingsOn(testEngine, t);
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
    const executionDate = Date.now() + LEAD_MS;
    const change = { executionDate, instructions: [{ kind: 'turnFlagOn' }] };
    for (const key of keys)
      await post(`projects/shop/flags/${key}/environments/test/scheduled-changes`, change);
    for (const ms of KILL_AFTER_MS) {
      const untilThen = Math.max(0, executionDate - Date.now());
      await new Promise((resolve) => setTimeout(resolve, untilThen + ms));
      await server.kill();
      server = await startChild(settings);
    }
    const engine = await openEngine(location);
    try {
      // What was claimed by a server that is dead comes back when its lease is over.
      const now = Date.now();
      await engine.db
        .updateTable('due')
        .set({ due_at: now })
        .where('kind', '=', 'flags.scheduled-change')
        .execute();
      await eventually(async () => {
        const waiting = await engine.db.selectFrom('scheduled_changes').select('id').execute();
        return waiting.length === 0;
      });
      const made = await engine.db
        .selectFrom('events')
        .select('resource')
        .where('action', '=', 'updateOn')
        .execute();
      assert.deepEqual(
        made.map(({ resource }) => resource).sort((one, other) => one.localeCompare(other)),
        keys.map((key) => `proj/shop:env/test:flag/${key}`).sort((one, other) => one.localeCompare(other)),
      );
      const flags = await engine.db.selectFrom('flags').select('version').execute();
      assert.deepEqual(new Set(flags.map(({ version }) => version)), new Set([2]));
    } finally {
      await engine.close();
    }
  });
});
