// How the webhooks of the scraping platform are delivered: retries, hanging receivers, certificates, and what is refused.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { listRunWebhooks, recordRunEvent } from '../../../../src/actors/webhooks/record-event.ts';
import type { Actor } from '../../../../src/actors/actors/model.ts';
import { hookQueueId } from '../../../../src/kernel/webhooks/store-enqueue.ts';
import { deleteOldDeliveries } from '../../../../src/kernel/webhooks/store-removal.ts';
import { writeCertificate } from '../../../certificate.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import type { CallInit, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { openReceiver, type ReceivedWebhook, type WebhookReceiver } from '../../../webhook-receiver.ts';
import { giveActor, giveRun, giveWebhook } from '../runs/run-rows.ts';

const MINUTE = 60_000;

/** Sent to a receiver that answers by the path. */
function respond(response: ServerResponse, { path, json }: ReceivedWebhook): void {
  if (path === '/hang' || (path === '/first-hangs' && json['n'] === 1)) return;
  if (path === '/moved') return void response.writeHead(302, { location: '/elsewhere' }).end();
  if (path === '/gone') return void response.writeHead(410).end();
  if (path.startsWith('/broken')) return void response.writeHead(500).end('out of luck');
  response.end('x'.repeat(10_000));
}

onEachEngine((engine) => {
  let server: TestServer;
  let receiver: WebhookReceiver;
  let actor: Actor;
  before(async () => {
    receiver = await openReceiver(respond);
    server = await startServerOn(engine, { limits: 'off', allowPrivateWebhooks: true });
  });
  beforeEach(async () => {
    actor = await giveActor(server);
  });
  after(async () => {
    await server.stop();
    await receiver.close();
  });

  const call = (path: string, init?: CallInit) => server.call(`/v2${path}`, init);
  const create = async (path: string, more: Json = {}): Promise<string> => {
    const condition = { actorId: actor.id };
    const body = { requestUrl: receiver.url + path, condition, eventTypes: ['ACTOR.RUN.SUCCEEDED'], ...more };
    const answer = await call('/webhooks', { method: 'POST', body });
    assert.equal(answer.status, 201, answer.text);
    return answer.json['data'].id as string;
  };
  /** A run that has succeeded; no program was needed. */
  const fire = async (count = 1): Promise<void> => {
    for (let n = 0; n < count; n += 1) {
      const run = await giveRun(server, actor);
      const { db, clock } = server.app.kernel;
      await db.transaction().execute(async (tx) => {
        await recordRunEvent(tx, await listRunWebhooks(tx, run), run, 'ended', clock.now());
      });
    }
  };
  const dispatchOf = async (webhook: string): Promise<Json> =>
    (await call(`/webhooks/${webhook}/dispatches?limit=1`)).json['data'].items[0] as Json;
  /** Waits for so many calls of the only dispatch. */
  const withCalls = async (webhook: string, count: number): Promise<Json> => {
    let dispatch: Json = {};
    await eventually(async () => {
      dispatch = await dispatchOf(webhook);
      return dispatch['calls'].length >= count;
    }, `${count} calls`);
    return dispatch;
  };
  const dueOf = async (webhook: string): Promise<number | null> => {
    const { db } = server.app.kernel;
    const row = await db
      .selectFrom('deliveries')
      .select('due_at')
      .where('hook_id', '=', webhook)
      .executeTakeFirst();
    return row?.due_at ?? null;
  };
  /** Moves the clock to the next retry; returns how long that takes. A turn that still holds the queue would lose its lease. */
  const skipWait = async (webhook: string): Promise<number> => {
    const { kernel } = server.app;
    const queue = hookQueueId({ api: 'actors', hookId: webhook });
    const find = kernel.db.selectFrom('due').select('owner').where('id', '=', queue);
    await eventually(async () => (await find.executeTakeFirst())?.owner === null, 'the end of the turn');
    const wait = (await dueOf(webhook))! - kernel.clock.now();
    server.clock.ahead += wait + 1;
    await kernel.engine.notify('due');
    return wait;
  };

  describe('retries', () => {
    test('A27 eleven of them, the first after a minute and each after twice the time, then it has failed', async () => {
      const webhook = await create('/broken');
      await fire();
      for (let tries = 1; tries <= 11; tries += 1) {
        const { status, calls } = await withCalls(webhook, tries);
        assert.deepEqual([status, calls.length], ['ACTIVE', tries]);
        const wait = await skipWait(webhook);
        const expected = MINUTE * 2 ** (tries - 1);
        assert.ok(
          wait <= expected * 1.25 && wait >= expected * 0.75 - 5000,
          `${wait} ms after attempt ${tries}`,
        );
      }
      const { status, calls } = await withCalls(webhook, 12);
      assert.equal(status, 'FAILED');
      assert.equal(await dueOf(webhook), null);
      for (const made of calls) {
        assert.deepEqual(
          [made.responseStatus, made.responseBody, made.errorMessage],
          [500, 'out of luck', 'Endpoint responded with HTTP status code 500'],
        );
      }
      const { lastDispatch, stats } = (await call(`/webhooks/${webhook}`)).json['data'];
      assert.deepEqual([lastDispatch.status, stats.totalDispatches], ['FAILED', 1]);
      const ids = receiver.at('/broken').map(({ headers }) => headers['x-apify-webhook-dispatch-id']);
      assert.deepEqual([ids.length, new Set(ids).size], [12, 1]);
    });

    test('A27 three of a test, and none with doNotRetry', async () => {
      const webhook = await create('/broken');
      assert.equal((await call(`/webhooks/${webhook}/test`, { method: 'POST' })).status, 201);
      for (let tries = 1; tries <= 3; tries += 1) {
        await withCalls(webhook, tries);
        await skipWait(webhook);
      }
      assert.equal((await withCalls(webhook, 4))['status'], 'FAILED');
      const once = await create('/broken', { doNotRetry: true });
      await fire();
      assert.equal((await withCalls(once, 1))['status'], 'FAILED');
    });

    test('A27 redirects are not followed, and 2048 bytes of an answer are recorded', async () => {
      for (const [path, status] of Object.entries({ '/moved': 302, '/gone': 410 })) {
        const webhook = await create(path);
        await fire();
        const dispatch = await withCalls(webhook, 1);
        assert.equal(dispatch['status'], 'ACTIVE', path);
        assert.equal(dispatch['calls'][0].errorMessage, `Endpoint responded with HTTP status code ${status}`);
        await call(`/webhooks/${webhook}`, { method: 'DELETE' });
      }
      assert.deepEqual(receiver.at('/elsewhere'), []);
      const webhook = await create('/long');
      await fire();
      const { calls, status } = await withCalls(webhook, 1);
      assert.deepEqual(
        [status, calls[0].responseStatus, calls[0].responseBody.length],
        ['SUCCEEDED', 200, 2048],
      );
    });

    test('A27 nobody at home is an error that says so, and is tried again', async () => {
      const webhook = await create('', { requestUrl: 'http://127.0.0.1:9/' });
      await fire();
      const { calls, status } = await withCalls(webhook, 1);
      assert.deepEqual([status, calls[0].responseStatus, calls[0].responseBody], ['ACTIVE', null, null]);
      assert.match(calls[0].errorMessage, /ECONNREFUSED/);
    });

    test('a webhook that is turned off stops its retries', async () => {
      const webhook = await create('/broken-off');
      await fire();
      await withCalls(webhook, 1);
      const { length } = receiver.at('/broken-off');
      await call(`/webhooks/${webhook}`, { method: 'PUT', body: { isEnabled: false } });
      await eventually(async () => (await dueOf(webhook)) === null);
      server.clock.ahead += 2 * MINUTE;
      await server.app.kernel.engine.notify('due');
      const healthy = await create('/after-off');
      await fire();
      await withCalls(healthy, 1);
      assert.equal(receiver.at('/broken-off').length, length);
    });
  });

  describe('receivers that are slow', () => {
    test('A27 a dispatch that hangs or waits for its retry holds back no later one', async () => {
      const webhook = await create('/first-hangs', { payloadTemplate: '{"n": 1}' });
      await fire();
      await receiver.wait('/first-hangs');
      await call(`/webhooks/${webhook}`, { method: 'PUT', body: { payloadTemplate: '{"n": 2}' } });
      await fire(3);
      await receiver.wait('/first-hangs', 4);
      await eventually(async () => {
        const { items } = (await call(`/webhooks/${webhook}/dispatches`)).json['data'];
        return items.filter((one: Json) => one['status'] === 'SUCCEEDED').length === 3;
      }, 'the later ones');
      assert.equal((await dispatchOf(webhook))['status'], 'ACTIVE');
      const waiting = await create('/broken');
      await fire();
      await withCalls(waiting, 1);
      await call(`/webhooks/${waiting}`, { method: 'PUT', body: { requestUrl: `${receiver.url}/healed` } });
      await fire();
      await receiver.wait('/healed');
    });

    test('receivers that hang take nothing from those of others', async () => {
      for (let n = 0; n < 10; n += 1) await create('/hang');
      await create('/well');
      await fire(10);
      await receiver.wait('/well', 10);
    });
  });

  describe('where it goes', () => {
    test('A27 ignoreSslErrors accepts any certificate, for this webhook alone', async () => {
      const folder = mkdtempSync(joinPath(tmpdir(), 'signalbox-test-'));
      const { tlsCert, tlsKey } = writeCertificate(folder);
      const secure = await openReceiver(undefined, {
        cert: readFileSync(tlsCert),
        key: readFileSync(tlsKey),
      });
      try {
        const requestUrl = `${secure.url}/secure`;
        const lenient = await create('', { requestUrl, ignoreSslErrors: true });
        const strict = await create('', { requestUrl });
        await fire();
        assert.equal((await withCalls(lenient, 1))['status'], 'SUCCEEDED');
        const refused = await withCalls(strict, 1);
        assert.equal(refused['status'], 'ACTIVE');
        assert.match(refused['calls'][0].errorMessage, /self[- ]signed|certificate/i);
        await fire();
        await eventually(() => secure.received.length === 2);
      } finally {
        await secure.close();
        rmSync(folder, { recursive: true });
      }
    });

    test('the network of the server is out of reach, however the URL came there', async () => {
      const guarded = await startServerOn(engine, { limits: 'off' });
      try {
        const own = await giveActor(guarded);
        const body = {
          condition: { actorId: own.id },
          eventTypes: ['TEST'],
          requestUrl: `${receiver.url}/guarded`,
        };
        const refused = await guarded.call('/v2/webhooks', { method: 'POST', body });
        assert.deepEqual([refused.status, refused.json['error'].type], [400, 'schema-validation']);
        assert.match(refused.text, /--allow-private-webhooks/);
        // As if it had been created while the server allowed it.
        const id = await giveWebhook(guarded, own, { requestUrl: body.requestUrl });
        const { json } = await guarded.call(`/v2/webhooks/${id}/test`, { method: 'POST' });
        let dispatch: Json = {};
        await eventually(async () => {
          dispatch = (await guarded.call(`/v2/webhook-dispatches/${json['data'].id}`)).json['data'] as Json;
          return dispatch['status'] === 'FAILED';
        }, 'the refusal');
        assert.match(dispatch['calls'][0].errorMessage, /loopback/);
        assert.deepEqual(receiver.at('/guarded'), []);
      } finally {
        await guarded.stop();
      }
    });

    test('dispatches are removed a week after they have ended; the webhook knows of the last one still', async () => {
      const webhook = await create('/kept');
      await fire();
      await withCalls(webhook, 1);
      const { kernel } = server.app;
      const later = kernel.clock.now() + 8 * 24 * 60 * MINUTE;
      await deleteOldDeliveries(kernel.engine, later, new AbortController().signal);
      assert.equal((await call(`/webhooks/${webhook}/dispatches`)).json['data'].total, 0);
      const { lastDispatch, stats } = (await call(`/webhooks/${webhook}`)).json['data'];
      assert.deepEqual([lastDispatch.status, stats.totalDispatches], ['SUCCEEDED', 1]);
    });
  });
});
