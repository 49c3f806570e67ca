// The upgrade report across nodes and restarts.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { onEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { startServer, type Json, type TestServer } from '../../../server.ts';
import { startNodes, type Nodes } from '../../../suites.ts';

const IMPACT = '/versions/2026-03-10/impact';

function countOf({ json }: { json: Json }, operation: string): number {
  const found = (json['calls'] as Json[]).find((one) => one['operation'] === operation);
  return (found?.['calls'] as number | undefined) ?? 0;
}

// A SQLite folder has one server.
onEngine('postgres', (engine) => {
  let nodes: Nodes;
  let ada: HostPerson;

  before(async () => {
    nodes = await startNodes(engine);
    ada = await joinHost(nodes.server, 'ada');
    await ada.repository('shop');
  });
  after(() => nodes.stop());

  test('H23 a report on one node has the calls of the others too, which it asks to save', async () => {
    const { server, other } = nodes;
    const call = (node: TestServer) => node.call('/repos/ada/shop', { token: ada.token });
    await Promise.all(Array.from({ length: 40 }, (_, index) => call(index % 2 === 0 ? server : other!)));
    const begun = Date.now();
    await eventually(
      async () => countOf(await server.call(IMPACT, { token: ada.token }), 'repos/get') === 40,
      'the sum of both nodes',
    );
    assert.ok(Date.now() - begun < 60_000);
    assert.equal(countOf(await other!.call(IMPACT, { token: ada.token }), 'repos/get'), 40);
  });
});

test('H23 calls are saved when the server stops', async () => {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
  try {
    const first = await startServer({ data, limits: 'off' });
    const ada = await joinHost(first, 'ada');
    await ada.repository('shop');
    await ada.get('/repos/ada/shop');
    await first.stop();
    const second = await startServer({ data, limits: 'off' });
    assert.equal(countOf(await second.call(IMPACT, { token: ada.token }), 'repos/get'), 1);
    await second.stop();
  } finally {
    for (const path of [data, `${data}-work`]) rmSync(path, { recursive: true, force: true });
  }
});
