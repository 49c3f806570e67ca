// Dispatches of Actor webhooks over the Signalbox API: by outcome, with what was sent, the phases of attempts, and the next one.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../engines.ts';
import { eventually } from '../../eventually.ts';
import { giveToken, join } from '../../people.ts';
import type { Answer, CallInit, Json, TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';
import { openReceiver, type WebhookReceiver } from '../../webhook-receiver.ts';
import { giveActor } from '../actors/runs/run-rows.ts';

const BASE = '/signalbox/v1/webhook-dispatches';

onEachEngine((engine) => {
  let server: TestServer;
  let receiver: WebhookReceiver;
  let isMended = false;
  let webhook: string;

  before(async () => {
    receiver = await openReceiver((response) =>
      response.writeHead(isMended ? 200 : 500).end(isMended ? 'thanks' : 'out of order'),
    );
    server = await startServerOn(engine, { limits: 'off', allowPrivateWebhooks: true });
    const { id: actorId } = await giveActor(server);
    const { status, json, text } = await server.call('/v2/webhooks', {
      method: 'POST',
      body: {
        eventTypes: ['ACTOR.RUN.SUCCEEDED'],
        condition: { actorId },
        requestUrl: `${receiver.url}/hook`,
        headersTemplate: '{"X-Secret":"hidden-value"}',
      },
    });
    assert.equal(status, 201, text);
    webhook = json['data'].id as string;
  });
  after(async () => {
    await server.stop();
    await receiver.close();
  });

  const get = (path: string, init?: CallInit): Promise<Answer> => server.call(`${BASE}${path}`, init);
  const listed = async (query: string): Promise<Json> => {
    const { status, json, text } = await get(`?webhook=${webhook}&${query}`);
    assert.equal(status, 200, text);
    return json;
  };
  const sendTest = async (): Promise<string> => {
    const { status, json, text } = await server.call(`/v2/webhooks/${webhook}/test`, { method: 'POST' });
    assert.equal(status, 201, text);
    return json['data'].id as string;
  };

  test('a failing dispatch shows what was sent, the phases of its attempt and the next one, and redelivery succeeds once the target is repaired', async () => {
    const id = await sendTest();
    await eventually(async () => (await get(`/${id}`)).json['attempts'] === 1);
    const { json, text } = await get(`/${id}`);
    assert.deepEqual(
      [json['state'], json['status'], json['eventType'], json['url'], json['headerNames']],
      ['pending', 500, 'TEST', `${receiver.url}/hook`, ['X-Secret']],
    );
    assert.equal(text.includes('hidden-value'), false);
    assert.equal(json['body'], receiver.at('/hook')[0]!.body);
    assert.ok(json['nextAttemptAt'] > json['createdAt']);
    const [attempt] = json['history'] as Json[];
    assert.equal(attempt!['response'], 'out of order');
    assert.deepEqual(Object.keys(attempt!['phases'] as object), ['connectMs', 'firstByteMs']);
    assert.deepEqual(
      (await listed('state=pending'))['items'].map((one: Json) => one['id']),
      [id],
    );
    assert.deepEqual((await listed('state=delivered'))['items'], []);
    isMended = true;
    assert.equal((await get(`/${id}/redeliver`, { method: 'POST' })).status, 200);
    await eventually(async () => (await get(`/${id}`)).json['state'] === 'delivered');
    const { json: done } = await get(`/${id}`);
    assert.deepEqual(
      (done['history'] as Json[]).map((one) => one['status']),
      [500, 200],
    );
    assert.equal(done['nextAttemptAt'], undefined);
  });

  test('dispatches are listed page after page', async () => {
    isMended = true;
    const sent = [await sendTest(), await sendTest(), await sendTest()];
    for (const id of sent) await eventually(async () => (await get(`/${id}`)).json['state'] === 'delivered');
    const first = await listed('state=delivered&limit=2');
    const second = await listed(`state=delivered&limit=1&cursor=${first['next']}`);
    assert.deepEqual(
      [...first['items'], ...second['items']].map((one: Json) => one['id']),
      sent.toReversed(),
    );
  });

  test('others know of neither the webhook nor its dispatches, and queries are checked', async () => {
    const id = (await listed('limit=1'))['items'][0].id as string;
    const member = await join(server, 'olga', { role: 'writer' });
    const { value: token } = await giveToken(server, member, { role: 'writer' });
    assert.equal((await get(`?webhook=${webhook}`, { token })).status, 404);
    assert.equal((await get(`/${id}`, { token })).status, 404);
    assert.equal((await get(`/${id}/redeliver`, { method: 'POST', token })).status, 404);
    assert.equal((await get('/none')).status, 404);
    for (const query of ['', `?webhook=${webhook}&state=lost`, `?webhook=${webhook}&cursor=x`]) {
      const { status, text } = await get(query);
      assert.ok(status === 400 || status === 422, text);
    }
    assert.equal((await get(`?webhook=${webhook}`, { token: null })).status, 401);
  });
});
