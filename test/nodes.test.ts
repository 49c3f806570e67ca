// Several nodes on one database: they start concurrently, and see the changes of each other.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { makeApp } from './app-people.ts';
import { onEngine } from './engines.ts';
import { eventually } from './eventually.ts';
import { FORM } from './people.ts';
import type { Config } from '../src/app/config.ts';
import { startServer, type TestServer } from './server.ts';

// A SQLite folder has one server, see src/kernel/storage/disk/folder-lock.test.ts.
onEngine('postgres', (engine) => {
  const running: TestServer[] = [];
  after(() => Promise.all(running.map((node) => node.stop())));

  async function startNodes(
    count: number,
    settings: Parameters<typeof startServer>[0] = {},
  ): Promise<TestServer[]> {
    const database = settings.database ?? (await engine.migratedDatabase());
    const nodes = await Promise.all(
      Array.from({ length: count }, () => startServer({ ...settings, database })),
    );
    running.push(...nodes);
    return nodes;
  }

  test('nodes that start together on an empty database create one administrator', async () => {
    const nodes = await startNodes(3, { database: await engine.database() });
    for (const node of nodes) assert.equal((await node.call('/v2/users/me')).status, 200);
    const members = await nodes[0]!.app.kernel.db.selectFrom('members').selectAll().execute();
    assert.equal(members.length, 1);
  });

  test('a token that is reset on one node stops working on the others', async () => {
    const [one, two] = (await startNodes(2)) as [TestServer, TestServer];
    const { json: made } = await one.call('/api/v2/tokens', { method: 'POST', body: { name: 'shared' } });
    const token = made['token'] as string;
    assert.equal((await two.call('/v2/users/me', { token })).status, 200);
    assert.equal((await one.call(`/api/v2/tokens/${made['_id']}/reset`, { method: 'POST' })).status, 200);
    await eventually(async () => (await two.call('/v2/users/me', { token })).status === 401);
    assert.equal((await one.call('/v2/users/me', { token })).status, 401);
  });

  test('an installation that is suspended on one node, or ends there, has no token on the others within seconds', async () => {
    const [one, two] = (await startNodes(2)) as [TestServer, TestServer];
    const app = await makeApp(one, 'admin', { name: 'Helper', permissions: { contents: 'read' } });
    const { number } = await app.install('admin');
    const token = await app.token({ number });
    const status = async (node: TestServer) =>
      (await node.call('/installation/repositories', { token })).status;
    /** The token of an installation is cached for 5 s; the minute of other tokens would be far too long. */
    const soon = async (expected: number) => {
      const begun = performance.now();
      await eventually(async () => (await status(two)) === expected, `${expected} on the other node`);
      const passed = performance.now() - begun;
      assert.ok(passed < 45_000, `${expected} took ${passed} ms`);
    };
    const path = `/app/installations/${number}`;
    // The other node knows the token from then on.
    assert.equal(await status(two), 200);
    assert.equal((await app.call(`${path}/suspended`, { method: 'PUT' })).status, 204);
    assert.equal(await status(one), 401);
    await soon(401);
    assert.equal((await app.call(`${path}/suspended`, { method: 'DELETE' })).status, 204);
    await soon(200);
    assert.equal((await app.call(path, { method: 'DELETE' })).status, 204);
    assert.equal(await status(one), 401);
    await soon(401);
  });

  test('a secret stored by one node is readable on the others, and a node with another key does not start', async () => {
    const database = await engine.migratedDatabase();
    const [one, two] = (await startNodes(2, { database })) as [TestServer, TestServer];
    const sealed = await one.app.kernel.secrets.seal('hunter2');
    assert.equal(two.app.kernel.secrets.open(sealed), 'hunter2');
    await assert.rejects(
      startServer({ database, secretKey: 'the key of a node that was set up alone' }),
      /another key than the one in SIGNALBOX_SECRET_KEY\. Nodes that share a database need the same key/,
    );
    const withoutKey = { database, role: 'worker', secretKey: undefined } as unknown as Partial<Config>;
    await assert.rejects(startServer(withoutKey), /set SIGNALBOX_SECRET_KEY/);
  });

  test('a budget spent on one node is spent on the others', async () => {
    const limit = { 'host.core': { known: 4, anonymous: 4, seconds: 600 } };
    const [one, two] = (await startNodes(2, { limit })) as [TestServer, TestServer];
    for (const node of [one, two, one, two]) assert.equal((await node.call('/user')).status, 200);
    for (const node of [one, two]) {
      await eventually(async () => (await node.call('/rate_limit')).json['resources'].core.used === 4);
      assert.equal((await node.call('/user')).status, 403);
    }
  });

  test("two nodes together grant no more calls than the quota and a second's worth for each", async () => {
    const limit = { 'host.core': { known: 20, anonymous: 20, seconds: 600 } };
    const nodes = await startNodes(2, { limit });
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => nodes[index % 2]!.call('/user')),
    );
    const good = answers.filter(({ status }) => status === 200).length;
    // One second's share of 20 calls in ten minutes is one call.
    assert.ok(good >= 20 && good <= 22, `${good}`);
    for (const { status } of answers) assert.ok(status === 200 || status === 403, `${status}`);
    for (const node of nodes) assert.equal((await node.call('/user')).status, 403);
  });

  test('two nodes together accept at most one more password attempt per node than one', async () => {
    const nodes = await startNodes(2);
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        const form = { method: 'POST', token: null, headers: FORM, body: 'name=admin&password=wrong' };
        return (await nodes[index % 2]!.call('/session', form)).status;
      }),
    );
    const tried = statuses.filter((status) => status === 401).length;
    assert.ok(tried >= 10 && tried <= 12, `${tried}`);
    assert.equal(statuses.filter((status) => status === 429).length, 30 - tried);
  });
});
