// SIGKILL while events arrive: what was saved stays, at most the last second is lost, and what is sent again counts once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summaryOf } from '../conformance/flags/events/calls.ts';
import { onEachEngine, openEngine, type Location } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { rounds } from '../long.ts';
import { callerOf, settingsOn, startChild } from './child-server.ts';

const KILLS = rounds(1, 20);
const PAYLOADS = 40;

onEachEngine((engine) => {
  test(`after ${KILLS} kills saved events are there, and payloads that are sent again are counted once`, async (t) => {
    const { location, settings } = await settingsOn(engine);
    let server = await startChild(settings);
    t.after(() => server.kill());
    const { call } = callerOf(() => server.url);
    const rest = async (method: string, path: string, body?: unknown) => {
      const answer = await call(`/api/v2/${path}`, { method, ...(body !== undefined && { body }) });
      assert.ok(answer.status < 300, answer.text);
      return answer.json;
    };
    await rest('POST', 'projects', { key: 'p', name: 'P' });
    await rest('POST', 'flags/p', { key: 'shown', name: 'Shown' });
    const { apiKey } = await rest('GET', 'projects/p/environments/test');

    let last = 0;
    const send = async (id: string) => {
      const { status } = await fetch(`${server.url}/bulk`, {
        method: 'POST',
        headers: {
          authorization: apiKey as string,
          'content-type': 'application/json',
          'x-launchdarkly-payload-id': id,
        },
        body: JSON.stringify([summaryOf({ shown: { variation: 0 } })]),
      });
      assert.equal(status, 202);
    };
    const sendNew = async () => {
      const ids = Array.from({ length: PAYLOADS }, () => `payload-${(last += 1)}`);
      await Promise.all(ids.map(send));
      return ids;
    };

    let total = 0;
    for (let kills = 0; kills < KILLS; kills += 1) {
      await sendNew();
      total += PAYLOADS;
      await eventually(async () => (await countIn(location)) === total, 'a save');
      const doubtful = await sendNew();
      await server.kill();
      const after = await countIn(location);
      assert.ok(after >= total && after <= total + PAYLOADS, `${total} ≤ ${after}`);
      server = await startChild(settings);
      await Promise.all(doubtful.map(send));
      total += PAYLOADS;
      await eventually(async () => (await countIn(location)) >= total, 'another save');
      assert.equal(await countIn(location), total);
    }
  });
});

async function countIn(location: Location): Promise<number> {
  const engine = await openEngine(location);
  try {
    const rows = await engine.db.selectFrom('flag_evaluations').select('count').execute();
    return rows.reduce((sum, { count }) => sum + count, 0);
  } finally {
    await engine.close();
  }
}
