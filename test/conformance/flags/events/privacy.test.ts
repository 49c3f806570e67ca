// Nothing about the people in events reaches the database or the log.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { onEngine } from '../../../engines.ts';
import { startServer, type Json, type TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { openEventProject, SDK, summaryOf } from './calls.ts';

const SECRET = 'xyzzy-plugh-4711';

/** A secret at every place of an event that may hold one. */
const context: Json = {
  kind: 'multi',
  user: {
    key: `key-${SECRET}`,
    email: `${SECRET}@example.com`,
    nested: { deep: [SECRET] },
    _meta: { privateAttributes: [`/nested/${SECRET}`], redactedAttributes: [SECRET] },
  },
  org: { key: SECRET, [SECRET]: true },
};
const at = { creationDate: 1, context };
const EVENTS: Json[] = [
  { kind: 'index', ...at },
  { kind: 'identify', ...at },
  { kind: 'feature', key: 'shown', value: SECRET, default: false, reason: { kind: SECRET }, ...at },
  { kind: 'debug', key: 'shown', value: SECRET, default: false, ...at },
  { kind: 'custom', key: SECRET, data: { SECRET }, ...at },
  { kind: 'click', key: SECRET, url: `https://shop.example/${SECRET}`, selector: SECRET, ...at },
  { kind: 'pageview', key: SECRET, url: `https://shop.example/${SECRET}`, ...at },
  {
    kind: 'migration_op',
    operation: 'read',
    contextKeys: { user: SECRET },
    evaluation: { value: SECRET },
    ...at,
  },
  { kind: SECRET, ...at },
  { ...summaryOf({ shown: { variation: 0 }, [SECRET]: { variation: 0 } }), context },
];

async function sendAll(server: TestServer): Promise<void> {
  const { home, events } = await openEventProject(server);
  await events.send(EVENTS);
  await events.send(EVENTS, { path: '/mobile', key: home.keys.mobile, isPacked: true });
  await events.send(EVENTS, { path: `/events/bulk/${home.keys.client}` });
  const data = Buffer.from(JSON.stringify(EVENTS.slice(-3))).toString('base64url');
  assert.equal((await home.ask(`/a/${home.keys.client}.gif?d=${data}`)).status, 200);
  await events.send(`[${JSON.stringify(EVENTS[0])}`);
  await home.ask(
    '/diagnostic',
    home.keys.sdk,
    {},
    {
      method: 'POST',
      body: { kind: 'diagnostic-init', id: { diagnosticId: SECRET }, configuration: { SECRET } },
    },
  );
  const counts = await events.counted();
  assert.deepEqual([counts[`shown 0 1 ${SDK}`], counts[`? 0 1 ${SDK}`]], [3, 3]);
  const log = JSON.stringify(server.log);
  assert.ok(!log.includes(SECRET), 'the log');
  assert.ok(!log.includes(Buffer.from(SECRET).toString('base64url').slice(2, 18)), 'the log');
  assert.ok(!(await server.call('/metrics')).text.includes(SECRET), 'the metrics');
}

onEngine('sqlite', () => {
  test('no attribute of a context is found in the data folder', async () => {
    const data = mkdtempSync(join(tmpdir(), 'signalbox-private-'));
    try {
      const server = await startServer({ data, limits: 'off' });
      await sendAll(server);
      const files = () => readdirSync(data).filter((file) => file.startsWith('signalbox.db'));
      assert.ok(files().length > 1, 'with the log of the database');
      for (const file of files()) assert.ok(!readFileSync(join(data, file)).includes(SECRET), file);
      await server.stop();
      for (const file of files()) assert.ok(!readFileSync(join(data, file)).includes(SECRET), file);
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
  });
});

onEngine('postgres', (engine) => {
  test('no attribute of a context is found in any table', async () => {
    const server = await startServerOn(engine, { limits: 'off' });
    try {
      await sendAll(server);
      const { db } = server.app.kernel;
      const { rows } = await sql<{ name: string }>`
        select table_name as name from information_schema.tables where table_schema = current_schema()`.execute(
        db,
      );
      assert.ok(rows.length > 40);
      for (const { name } of rows) {
        const found = await sql`
          select 1 from ${sql.table(name)} as it where it::text like ${`%${SECRET}%`} limit 1`.execute(db);
        assert.equal(found.rows.length, 0, name);
      }
    } finally {
      await server.stop();
    }
  });
});
