// Limits of events: one environment may use up its own, and neither another environment nor the rest of the server notices.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import type { TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';
import { openEventProject, riseOf, SDK, summaryOf, type EventCalls } from './calls.ts';
import type { KeyProject } from '../delivery/keys-calls.ts';

/** Five seconds' worth may come at once. */
const PER_SECOND = 20;
const AT_ONCE = 5 * PER_SECOND;

const outcomes = ['accepted', 'limited'].map(
  (outcome) => ['flag_event_payloads_total', `outcome="${outcome}"`] as const,
);

onEachEngine((engine) => {
  let server: TestServer;
  let home: KeyProject;
  let events: EventCalls;
  let isStopped = false;
  onServer(engine, { eventsPerSecond: PER_SECOND }, async (started) => {
    server = started;
    // No time passes that would let more events in.
    if (!isStopped) server.clock.stop();
    isStopped = true;
    // Rate limits of the REST API have windows that end.
    server.clock.ahead += 60_000;
    ({ home, events } = await openEventProject(server));
  });

  test('a burst of ten times the limit is refused beyond it, and everything else goes on', async () => {
    const { events: calm } = await openEventProject(server);
    const body = [summaryOf({ shown: { variation: 0 } })];
    const path = `/events/bulk/${home.keys.client}`;
    const answers: Awaited<ReturnType<typeof events.send>>[] = [];
    // No more connections than the system holds for a slow server.
    const sendTen = async () => {
      for (let sent = 0; sent < 10; sent += 1) answers.push(await events.send(body, { path }));
    };
    const rise = await riseOf(server, outcomes, async () => {
      const burst = Promise.all(Array.from({ length: AT_ONCE }, sendTen));
      for (let index = 0; index < 10; index += 1) {
        assert.equal((await calm.send(body)).status, 202, 'another environment');
        assert.equal((await server.call('/healthz')).status, 200);
        assert.equal((await home.ask('/sdk/latest-all', home.keys.sdk)).status, 200);
      }
      await burst;
    });
    const accepted = answers.filter(({ status }) => status === 202).length;
    const refused = answers.filter(({ status }) => status === 429);
    assert.equal(accepted + refused.length, 10 * AT_ONCE);
    assert.equal(accepted, AT_ONCE);
    assert.deepEqual(rise, [accepted + 10, refused.length]);
    assert.deepEqual(await events.counted(), { [`shown 0 1 ${SDK}`]: accepted });
    assert.deepEqual(await calm.counted(), { [`shown 0 1 ${SDK}`]: 10 });
    for (const { headers, json } of refused) {
      assert.ok(Number(headers.get('retry-after')) >= 1);
      assert.equal(json['code'], 'rate_limited');
    }
  });

  test('each second lets as many in as the limit says', async () => {
    const statusOf = async (count: number) =>
      (await events.send(Array.from({ length: count }, () => summaryOf({ shown: { variation: 0 } })))).status;
    assert.equal(await statusOf(AT_ONCE - 1), 202);
    assert.equal(await statusOf(PER_SECOND), 202, 'a payload may take some in advance');
    assert.equal(await statusOf(1), 429);
    server.clock.ahead += 1000;
    assert.equal(await statusOf(PER_SECOND), 202);
    assert.equal(await statusOf(1), 429);
    server.clock.ahead += 60_000;
    assert.equal(await statusOf(AT_ONCE), 202);
    assert.equal(await statusOf(1), 429);
  });

  test('a summary counts as many as it has flags, and large payloads by their size', async () => {
    const flags = Object.fromEntries(
      Array.from({ length: AT_ONCE }, (_, index) => [`f${index}`, { variation: 0 }]),
    );
    assert.equal((await events.send([summaryOf(flags)])).status, 202);
    assert.equal((await events.send([])).status, 429);
    server.clock.ahead += 60_000;
    assert.equal((await events.send(`[${' '.repeat(1024 * AT_ONCE)}`)).status, 400);
    assert.equal((await events.send([])).status, 429);
  });

  test('diagnostics and images count, too', async () => {
    const ask = (path: string, method = 'GET') =>
      home.ask(
        path,
        home.keys.sdk,
        {},
        { method, ...(method === 'POST' && { body: { kind: 'diagnostic' } }) },
      );
    for (let index = 0; index < AT_ONCE; index += 2) {
      assert.equal((await ask('/diagnostic', 'POST')).status, 202);
      assert.equal((await ask(`/a/${home.keys.client}.gif?d=W10`)).status, 200);
    }
    assert.equal((await ask('/diagnostic', 'POST')).status, 429);
    assert.equal((await ask(`/a/${home.keys.client}.gif?d=W10`)).status, 429);
  });
});
