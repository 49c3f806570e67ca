// Actors that are paid by event: what the server charges by itself, and how the budget of a run holds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../engines.ts';
import type { CallInit, Json, TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';
import { giveBuiltActor } from '../schedules/schedule-calls.ts';

const START = 'apify-actor-start';
const ITEM = 'apify-default-dataset-item';

/** The pricing of an Actor whose events have these prices. */
function pricingOf(prices: Record<string, number>, more: Json = {}): Json {
  const events = Object.entries(prices).map(([name, eventPriceUsd]) => [
    name,
    { eventTitle: name, eventDescription: `One ${name}`, eventPriceUsd },
  ]);
  return {
    pricingModel: 'PAY_PER_EVENT',
    pricingPerEvent: { actorChargeEvents: Object.fromEntries(events) as Json },
    ...more,
  };
}

onEachEngine((engine) => {
  let server: TestServer;
  // Runs wait for ever, because the node has no room for them.
  onServer(
    engine,
    { limits: 'off', nodeRuns: 0, nodeMemory: 65_536, accountMemory: 1_048_576 },
    async (s) => {
      server = s;
    },
  );
  const call = (path: string, init?: CallInit) => server.call(`/v2${path}`, init);
  const post = (path: string, body?: unknown, init: CallInit = {}) =>
    call(path, { method: 'POST', ...(body !== undefined && { body }), ...init });

  async function giveActor(...pricingInfos: Json[]): Promise<string> {
    const id = await giveBuiltActor(server);
    const answer = await call(`/actors/${id}`, { method: 'PUT', body: { pricingInfos } });
    assert.equal(answer.status, 200, answer.text);
    return id;
  }
  async function start(actorId: string, query = ''): Promise<Json> {
    const answer = await post(`/actors/${actorId}/runs?${query}`);
    assert.equal(answer.status, 201, answer.text);
    return answer.json['data'] as Json;
  }
  const runOf = async ({ id }: Json): Promise<Json> => (await call(`/actor-runs/${id}`)).json['data'] as Json;
  const push = (run: Json, items: unknown) => post(`/datasets/${run['defaultDatasetId']}/items`, items);
  const countOf = async (run: Json): Promise<number> =>
    (await call(`/datasets/${run['defaultDatasetId']}`)).json['data'].itemCount as number;
  const charge = (run: Json, eventName: string, count = 1) =>
    post(`/actor-runs/${run['id']}/charge`, { eventName, count });

  test('a run that is not paid by event has neither counts nor prices', async () => {
    for (const pricing of [[], [{ pricingModel: 'FREE' }]] as Json[][]) {
      const run = await start(await giveActor(...pricing));
      await push(run, [{ n: 1 }]);
      for (const shown of [run, await runOf(run)]) assert.ok(!('chargedEventCounts' in shown));
      const refused = await charge(run, 'page');
      assert.deepEqual(
        [refused.status, refused.json['error'].type],
        [403, 'cannot-charge-non-pay-per-event-actor'],
      );
    }
    assert.ok(!('pricingInfo' in (await start(await giveActor()))));
  });

  test('a start is charged for each gigabyte, and a resurrection is one', async () => {
    const pricing = pricingOf({ [START]: 0.5, page: 0.25 });
    const actor = await giveActor(pricing);
    for (const [memory, count] of [
      [128, 1],
      [1024, 1],
      [4096, 4],
    ] as const) {
      const run = await start(actor, `memory=${memory}`);
      assert.deepEqual(run['chargedEventCounts'], { [START]: count, page: 0 });
      assert.deepEqual(run['pricingInfo'], pricing);
      assert.deepEqual((await runOf(run))['chargedEventCounts'], { [START]: count, page: 0 });
    }
    const run = await start(actor, 'memory=2048&maxTotalChargeUsd=3');
    await post(`/actor-runs/${run['id']}/abort`);
    const revived = await post(`/actor-runs/${run['id']}/resurrect`);
    assert.deepEqual(revived.json['data'].chargedEventCounts, { [START]: 4, page: 0 });
    await post(`/actor-runs/${run['id']}/abort`);
    assert.equal((await post(`/actor-runs/${run['id']}/resurrect`)).status, 200);
    await post(`/actor-runs/${run['id']}/abort`);
    const tooDear = await post(`/actor-runs/${run['id']}/resurrect`);
    assert.deepEqual(
      [tooDear.status, tooDear.json['error'].type],
      [400, 'max-total-charge-usd-below-minimum'],
    );
    assert.equal((await post(`/actor-runs/${run['id']}/resurrect?maxTotalChargeUsd=4`)).status, 200);
    assert.deepEqual((await runOf(run))['chargedEventCounts'], { [START]: 8, page: 0 });
  });

  test('a budget that a run cannot begin with is refused, and starts nothing', async () => {
    const actor = await giveActor(pricingOf({ [START]: 0.1 }, { minimalMaxTotalChargeUsd: 0.5 }));
    for (const query of ['maxTotalChargeUsd=0.4', 'maxTotalChargeUsd=0.6&memory=8192']) {
      const { status, json } = await post(`/actors/${actor}/runs?${query}`);
      assert.deepEqual([status, json['error'].type], [400, 'max-total-charge-usd-below-minimum'], query);
    }
    assert.equal((await call(`/actors/${actor}/runs`)).json['data'].total, 0);
    await start(actor, 'maxTotalChargeUsd=0.5');
    await start(actor);
  });

  test('items of the default dataset are charged when they are stored, and others are not', async () => {
    const run = await start(await giveActor(pricingOf({ [ITEM]: 0.001, page: 0.01 })));
    assert.deepEqual(run['chargedEventCounts'], { [ITEM]: 0, page: 0 });
    assert.equal((await push(run, [{ n: 1 }, { n: 2 }])).status, 201);
    assert.equal((await post(`/actor-runs/${run['id']}/dataset/items`, { n: 3 })).status, 201);
    assert.equal((await push(run, [])).status, 201);
    assert.equal((await push(run, [{ n: 4 }, 'no item'])).status, 400);
    const other = (await post('/datasets')).json['data'].id as string;
    assert.equal((await post(`/datasets/${other}/items`, [{ n: 5 }])).status, 201);
    assert.deepEqual((await runOf(run))['chargedEventCounts'], { [ITEM]: 3, page: 0 });
    assert.equal(await countOf(run), 3);
    await post(`/actor-runs/${run['id']}/abort`);
    assert.equal((await push(run, [{ n: 6 }])).status, 201);
    assert.deepEqual((await runOf(run))['chargedEventCounts'], { [ITEM]: 3, page: 0 });
  });

  test('without a price for items, they are not charged', async () => {
    const run = await start(await giveActor(pricingOf({ page: 0.01 })));
    assert.equal((await push(run, [{ n: 1 }])).status, 201);
    assert.deepEqual((await runOf(run))['chargedEventCounts'], { page: 0 });
  });

  test('items that cannot be stored are not charged', async () => {
    const run = await start(await giveActor(pricingOf({ [ITEM]: 0.001 })));
    await push(run, [{ n: 1 }]);
    const { db } = server.app.kernel;
    // As if it were deleted just now: the push fails in the transaction that charges.
    await db
      .deleteFrom('datasets')
      .where('storage_id', '=', run['defaultDatasetId'] as string)
      .execute();
    assert.equal((await push(run, [{ n: 2 }, { n: 3 }])).status, 404);
    assert.deepEqual((await runOf(run))['chargedEventCounts'], { [ITEM]: 1 });
  });

  test('the prices of a run are those of its start', async () => {
    const actor = await giveActor(pricingOf({ page: 0.01 }));
    const run = await start(actor, 'maxTotalChargeUsd=0.02');
    await call(`/actors/${actor}`, { method: 'PUT', body: { pricingInfos: [pricingOf({ site: 5 })] } });
    assert.equal((await charge(run, 'page', 2)).status, 201);
    const { pricingInfo, chargedEventCounts, status } = await runOf(run);
    assert.deepEqual(
      [pricingInfo, chargedEventCounts, status],
      [pricingOf({ page: 0.01 }), { page: 2 }, 'READY'],
    );
    assert.deepEqual((await start(actor))['chargedEventCounts'], { site: 0 });
  });

  test('an event without a price is refused', async () => {
    const run = await start(await giveActor(pricingOf({ page: 0.01 })));
    for (const name of ['site', 'toString', '__proto__']) {
      const { status, json } = await charge(run, name);
      assert.deepEqual([status, json['error'].type], [404, 'record-not-found'], name);
    }
    assert.deepEqual((await runOf(run))['chargedEventCounts'], { page: 0 });
  });

  test('what the budget does not cover is stored and not charged, and the run is aborted', async () => {
    const run = await start(
      await giveActor(pricingOf({ [START]: 0.1, [ITEM]: 0.1 })),
      'maxTotalChargeUsd=0.6',
    );
    assert.equal((await push(run, [{ n: 1 }, { n: 2 }, { n: 3 }])).status, 201);
    assert.equal((await push(run, [{ n: 4 }, { n: 5 }])).status, 201);
    assert.equal((await runOf(run))['status'], 'READY', 'the budget is used, and not exceeded');
    assert.equal((await push(run, [{ n: 6 }, { n: 7 }])).status, 201);
    const ended = await runOf(run);
    assert.equal(ended['status'], 'ABORTED');
    assert.match(ended['statusMessage'] as string, /maximum cost of \$0\.6/);
    assert.deepEqual(ended['chargedEventCounts'], { [START]: 1, [ITEM]: 5 });
    assert.equal(await countOf(run), 7);
  });

  test('a charge that the budget does not cover counts as far as it is covered, and the run is aborted', async () => {
    const actor = await giveActor(pricingOf({ page: 0.7, free: 0 }));
    const run = await start(actor, 'maxTotalChargeUsd=2.1');
    assert.equal((await charge(run, 'free', 1000)).status, 201);
    assert.equal((await charge(run, 'page', 3)).status, 201);
    assert.equal((await runOf(run))['status'], 'READY');
    assert.equal((await charge(run, 'page', 2)).status, 201);
    const ended = await runOf(run);
    assert.equal(ended['status'], 'ABORTED');
    assert.deepEqual(ended['chargedEventCounts'], { page: 3, free: 1000 });
  });

  test('eight clients that push at once are charged for each item, and never beyond the budget', async () => {
    const actor = await giveActor(pricingOf({ [ITEM]: 0.01, page: 0.01 }));
    const clients = Array.from({ length: 8 }, (_, client) => client);
    const open = await start(actor);
    const bounded = await start(actor, 'maxTotalChargeUsd=0.5');
    const pushes = async (run: Json, client: number) => {
      for (let n = 0; n < 5; n += 1) {
        const answer = await push(run, [
          { client, n },
          { client, n: n + 0.5 },
        ]);
        assert.equal(answer.status, 201, answer.text);
      }
    };
    await Promise.all(clients.flatMap((client) => [pushes(open, client), pushes(bounded, client)]));
    assert.deepEqual((await runOf(open))['chargedEventCounts'], { [ITEM]: 80, page: 0 });
    assert.equal(await countOf(open), 80);
    const ended = await runOf(bounded);
    assert.deepEqual([ended['status'], ended['chargedEventCounts']], ['ABORTED', { [ITEM]: 50, page: 0 }]);
    assert.equal(await countOf(bounded), 80);
  });
});
