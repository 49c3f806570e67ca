// Events on several nodes, and over a restart: every payload is counted once.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { onEngine, onEachEngine } from '../../../engines.ts';
import { startServer } from '../../../server.ts';
import { eventCalls, metricOf, openEventProject, SDK, summaryOf } from './calls.ts';

const BODY = [summaryOf({ shown: { variation: 0, default: 'first' } })];

onEngine('postgres', (engine) => {
  test('a payload that two nodes receive at the same time is counted once', async () => {
    const database = await engine.migratedDatabase();
    const one = await startServer({ database, limits: 'off' });
    const two = await startServer({ database, limits: 'off' });
    try {
      const { home, events } = await openEventProject(one);
      const nodes = [events, eventCalls(two, home)];
      // The calls go where their server is.
      const send = (index: number, id: string) =>
        [one, two][index]!.call('/bulk', {
          method: 'POST',
          token: null,
          headers: {
            authorization: home.keys.sdk,
            'x-launchdarkly-payload-id': id,
            'x-launchdarkly-user-agent': SDK,
          },
          body: BODY,
        });
      for (let round = 0; round < 5; round += 1) {
        const ids = Array.from({ length: 20 }, (_, index) => `${round}-${index}`);
        const answers = await Promise.all(
          ids.flatMap((id) => [send(0, id), send(1, id), send(round % 2, id)]),
        );
        assert.ok(answers.every(({ status }) => status === 202));
        await Promise.all(nodes.map((node) => node.save()));
      }
      for (const node of nodes) assert.deepEqual(await node.counted(), { [`shown 0 1 ${SDK}`]: 100 });
      const duplicates = await Promise.all(
        [one, two].map((node) => metricOf(node, 'flag_event_payloads_total', 'outcome="duplicate"')),
      );
      assert.equal(duplicates[0]! + duplicates[1]!, 200);
      assert.equal((await nodes[0]!.statusOf('shown'))['default'], 'first');
    } finally {
      await two.stop();
      await one.stop();
    }
  });
});

onEachEngine((engine) => {
  test('a server that stops saves its events, and recognises their payloads when it is started again', async () => {
    const data = mkdtempSync(join(tmpdir(), 'signalbox-events-'));
    const settings = {
      data,
      limits: 'off',
      ...(engine.kind === 'postgres' && { database: await engine.migratedDatabase() }),
    } as const;
    try {
      const first = await startServer(settings);
      const { home, events } = await openEventProject(first);
      assert.equal((await events.send(BODY, { id: 'one' })).status, 202);
      await first.stop();
      const second = await startServer(settings);
      try {
        const [before] = await second.app.kernel.db.selectFrom('flag_evaluations').select('count').execute();
        assert.equal(before?.count, 1);
        const headers = { authorization: home.keys.sdk, 'x-launchdarkly-payload-id': 'one' };
        for (let round = 0; round < 2; round += 1)
          await second.call('/bulk', { method: 'POST', token: null, headers, body: BODY });
        assert.deepEqual(await eventCalls(second, home).counted(), { [`shown 0 1 ${SDK}`]: 1 });
      } finally {
        await second.stop();
      }
    } finally {
      for (const folder of [data, `${data}-work`]) rmSync(folder, { recursive: true, force: true });
    }
  });
});
