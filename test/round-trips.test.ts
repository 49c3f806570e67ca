// How often calls wait for PostgreSQL: each time costs as much as the network between them takes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createActor } from './actors.ts';
import { script } from './actor-sources.ts';
import { onEngine } from './engines.ts';
import { gitTest } from './git-tests.ts';
import { startCountingProxy, type CountingProxy } from './round-trips.ts';
import { startServer, type CallInit, type Json, type TestServer } from './server.ts';

onEngine('postgres', (engine) => {
  let proxy: CountingProxy;
  let server: TestServer;
  before(async () => {
    proxy = await startCountingProxy(await engine.migratedDatabase());
    server = await startServer({ database: proxy.url });
  });
  after(async () => {
    await server.stop();
    await proxy.stop();
  });

  async function ask(method: string, path: string, init: CallInit = {}): Promise<Json> {
    const answer = await server.call(path, { method, ...init });
    assert.ok(answer.status < 300, answer.text);
    return answer.text === '' ? {} : answer.json;
  }

  /** The fewest of several calls: what waits for its time is counted with some of them. */
  async function count(call: (nth: number) => Promise<unknown>): Promise<number> {
    const counts: number[] = [];
    for (let nth = 0; nth < 6; nth += 1) {
      await proxy.quiet();
      const { roundTrips } = proxy;
      await call(nth);
      counts.push(proxy.roundTrips - roundTrips);
    }
    return Math.min(...counts);
  }

  async function assertFew(most: number, call: (nth: number) => Promise<unknown>): Promise<void> {
    const fewest = await count(call);
    assert.ok(fewest <= most, `${fewest} round trips, at most ${most} expected`);
  }

  test('a read is one round trip, and a small write at most two', async () => {
    const store: string = (await ask('POST', '/v2/key-value-stores')).data.id;
    const queue: string = (await ask('POST', '/v2/request-queues')).data.id;
    const dataset: string = (await ask('POST', '/v2/datasets')).data.id;
    const record = `/v2/key-value-stores/${store}/records/one`;
    await assertFew(2, (n) => ask('PUT', record, { body: { n } }));
    await assertFew(1, () => ask('GET', record));
    const url = (n: number) => `https://example.com/${n}`;
    await assertFew(2, (n) =>
      ask('POST', `/v2/request-queues/${queue}/requests`, { body: { url: url(n), uniqueKey: url(n) } }),
    );
    await assertFew(2, (n) => ask('POST', `/v2/datasets/${dataset}/items`, { body: { n } }));
  });

  test('a change of a flag is at most four', async () => {
    await ask('POST', '/api/v2/projects', { body: { key: 'p', name: 'P' } });
    await ask('POST', '/api/v2/flags/p', { body: { key: 'f', name: 'F' } });
    const headers = { 'content-type': 'application/json; domain-model=launchdarkly.semanticpatch' };
    const kindOf = (n: number) => (n % 2 === 0 ? 'turnFlagOn' : 'turnFlagOff');
    await assertFew(4, (n) =>
      ask('PATCH', '/api/v2/flags/p/f', {
        headers,
        body: { environmentKey: 'test', instructions: [{ kind: kindOf(n) }] },
      }),
    );
    await assertFew(4, (n) =>
      ask('PATCH', '/api/v2/flags/p/f', {
        body: [{ op: 'replace', path: '/environments/test/on', value: n % 2 === 0 }],
      }),
    );
  });

  gitTest('a write of a file is at most sixteen', async () => {
    await ask('POST', '/user/repos', { body: { name: 'written', auto_init: true } });
    await assertFew(16, (n) =>
      ask('PUT', `/repos/admin/written/contents/${n}.txt`, {
        body: { message: `Add ${n}`, content: Buffer.from(`${n}`).toString('base64') },
      }),
    );
  });

  test('a start of a run is at most twelve', async () => {
    const actor = await createActor(server, script(''));
    await assertFew(12, () => ask('POST', `/v2/actors/${actor['id']}/runs`));
  });
});
