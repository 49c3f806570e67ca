// Limits on the numbers of webhooks, audit-log subscriptions, code repositories and Relay Proxy configurations, on each engine.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { onEachEngine } from '../../engines.ts';
import { waitForLockWaiters } from '../../lock-waiters.ts';
import type { TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';

interface Limited {
  path: string;
  body: { name: string; [field: string]: unknown };
  table: 'webhooks' | 'code_repositories' | 'relay_proxy_configs';
  most: number;
}

const ADDRESS = 'https://hooks.example/';
const POLICY = [{ effect: 'allow', actions: ['*'], resources: ['proj/*:env/*'] }];

const LIMITED: Record<string, Limited> = {
  webhooks: {
    path: 'webhooks',
    // Off, because every one of the copies would be delivered the calls of the tests.
    body: { name: 'webhook', url: ADDRESS, on: false, sign: false },
    table: 'webhooks',
    most: 100,
  },
  subscriptions: {
    path: 'integrations/splunk',
    body: { name: 'subscription', config: { 'base-url': ADDRESS, token: 'secret' } },
    table: 'webhooks',
    most: 100,
  },
  repositories: {
    path: 'code-refs/repositories',
    body: { name: 'repository' },
    table: 'code_repositories',
    most: 200,
  },
  'Relay Proxy configurations': {
    path: 'account/relay-auto-configs',
    body: { name: 'relay', policy: POLICY },
    table: 'relay_proxy_configs',
    most: 100,
  },
};

onEachEngine((engine) => {
  let server: TestServer;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
  });
  after(() => server.stop());

  /** Creates one and copies its row. */
  async function fill({ path, body, table }: Limited, count: number): Promise<void> {
    const { db } = server.app.kernel;
    const { status } = await server.call(`/api/v2/${path}`, { method: 'POST', body });
    assert.ok(status < 300);
    const row = await db
      .selectFrom(table)
      .selectAll()
      .where('name', '=', body.name)
      .executeTakeFirstOrThrow();
    const rows = Array.from({ length: count - 1 }, (_, at) => {
      const id = `${path}-${at}`;
      return { ...row, id, name: id, ...('hash' in row && { hash: id }) };
    });
    await db.insertInto(table).values(rows).execute();
  }

  for (const [what, limited] of Object.entries(LIMITED)) {
    test(`of two calls at once that create the last of ${limited.most} ${what}, one is refused`, async () => {
      const { path, body, table, most } = limited;
      await fill(limited, most - 1);
      const create = (name: string) =>
        server.call(`/api/v2/${path}`, { method: 'POST', body: { ...body, name } });
      const { db } = server.app.kernel;
      const calls = await db.transaction().execute(async (tx) => {
        // Both calls can count, and none can write.
        if (engine.kind === 'postgres') await sql`lock table ${sql.table(table)} in share mode`.execute(tx);
        const both = ['one', 'other'].map(create);
        if (engine.kind === 'postgres') await waitForLockWaiters(tx, db, both.length);
        return both;
      });
      const [made, refused] = (await Promise.all(calls)).toSorted((a, b) => a.status - b.status);
      assert.ok(made!.status < 300);
      assert.equal(refused!.status, 400);
      assert.match(refused!.json['message'], new RegExp(`one more than ${most} `));
    });
  }
});
