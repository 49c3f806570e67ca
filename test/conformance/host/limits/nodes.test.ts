// The budgets of the host on two nodes: what eight clients at once were told adds up. Rules H4 and H5.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { onEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { startServer, type TestServer } from '../../../server.ts';

const CLIENTS = 8;
const ROUNDS = 5;

// A SQLite folder has one server.
onEngine('postgres', (engine) => {
  const nodes: TestServer[] = [];
  after(() => Promise.all(nodes.map((node) => node.stop())));

  test('H4 H5 what eight clients used on two nodes is counted once each, and unchanged replies are free', async () => {
    const database = await engine.migratedDatabase();
    nodes.push(...(await Promise.all([startServer({ database }), startServer({ database })])));
    const first = await nodes[0]!.call('/meta');
    const etag = first.headers.get('etag')!;
    const client = async (index: number) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const node = nodes[(index + round) % 2]!;
        const statuses = [
          await node.call('/user'),
          await node.call('/nothing'),
          await node.call('/meta', { headers: { 'if-none-match': etag } }),
          await node.call('/rate_limit'),
        ].map(({ status, headers }) => {
          const [limit, used, left] = ['limit', 'used', 'remaining'].map((name) =>
            Number(headers.get(`x-ratelimit-${name}`)),
          ) as [number, number, number];
          assert.equal(used + left, limit);
          return status;
        });
        assert.deepEqual(statuses, [200, 404, 304, 200]);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index)));
    const expected = 1 + CLIENTS * ROUNDS * 2;
    const usedOn = async (node: TestServer) =>
      ((await node.call('/rate_limit')).json['resources'] as { core: { used: number } }).core.used;
    for (const node of nodes) await eventually(async () => (await usedOn(node)) === expected);
    // Both agree on when the window ends.
    const resets = await Promise.all(
      nodes.map(async (node) => (await node.call('/rate_limit')).headers.get('x-ratelimit-reset')),
    );
    assert.equal(resets[0], resets[1]);
  });
});
