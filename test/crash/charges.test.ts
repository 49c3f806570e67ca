// SIGKILL while items are pushed that a run is charged for: each stored item is charged once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createActor, startRun } from '../actors.ts';
import { OBEDIENT } from '../actor-sources.ts';
import { onEachEngine } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { rounds } from '../long.ts';
import { callerOf, SECRET_KEY, settingsOn, startChild } from './child-server.ts';

const KILLS = rounds(2, 15);
const CLIENTS = 4;
const MAX_PUSHES = 10;
const ITEM = 'apify-default-dataset-item';

onEachEngine((engine) => {
  test(`after ${KILLS} kills a run is charged for the items of its dataset`, async (t) => {
    const settings = { ...(await settingsOn(engine)).settings, SIGNALBOX_SECRET_KEY: SECRET_KEY };
    let server = await startChild(settings);
    t.after(() => server.kill());
    const { call } = callerOf(() => server.url);
    const prices = { [ITEM]: { eventTitle: 'Item', eventPriceUsd: 0.001 } };
    const pricing = { pricingModel: 'PAY_PER_EVENT', pricingPerEvent: { actorChargeEvents: prices } };
    const actor = await createActor({ call }, OBEDIENT, { fields: { pricingInfos: [pricing] } });
    // The run waits for ever, because no node executes it.
    const waiting = { ...settings, SIGNALBOX_ROLE: 'api' };
    await server.kill();
    server = await startChild(waiting);
    const run = await startRun({ call }, actor['id'] as string);
    let acknowledged = 0;
    /** Until the connection breaks, which is the kill. */
    const push = async (): Promise<void> => {
      for (;;) {
        const answer = await call(`/v2/datasets/${run['defaultDatasetId']}/items`, {
          method: 'POST',
          body: [{ n: 1 }, { n: 2 }, { n: 3 }],
        }).catch(() => undefined);
        if (answer === undefined) return;
        assert.equal(answer.status, 201, answer.text);
        acknowledged += 3;
      }
    };
    for (let kills = 0; kills < KILLS; kills += 1) {
      const enough = acknowledged + 3 * (1 + Math.floor(Math.random() * MAX_PUSHES));
      const pushing = Promise.all(Array.from({ length: CLIENTS }, push));
      await eventually(() => acknowledged >= enough, 'the pushes');
      await server.kill();
      await pushing;
      server = await startChild(waiting);
    }
    const { itemCount } = (await call(`/v2/datasets/${run['defaultDatasetId']}`)).json['data'];
    assert.ok(itemCount >= acknowledged, `${itemCount} items of ${acknowledged} acknowledged ones`);
    const { chargedEventCounts } = (await call(`/v2/actor-runs/${run['id']}`)).json['data'];
    assert.deepEqual(chargedEventCounts, { [ITEM]: itemCount });
  });
});
