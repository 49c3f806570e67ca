// Webhooks and integrations of the flag service over the Signalbox API: their deliveries by outcome, their attempts, tests and redelivery.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEachEngine } from '../../engines.ts';
import { eventually } from '../../eventually.ts';
import { giveToken, join } from '../../people.ts';
import type { Answer, CallInit, Json, TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';
import { openReceiver, type WebhookReceiver } from '../../webhook-receiver.ts';

const BASE = '/signalbox/v1';
/** No change of these tests. */
const NOTHING = [{ effect: 'allow', actions: ['updateOn'], resources: ['proj/none'] }];

onEachEngine((engine) => {
  let server: TestServer;
  let receiver: WebhookReceiver;
  before(async () => {
    receiver = await openReceiver((response, { path }) => {
      response.writeHead(path.startsWith('/gone') ? 410 : 200).end('thanks');
    });
    server = await startServerOn(engine, { limits: 'off', allowPrivateWebhooks: true });
  });
  after(async () => {
    await server.stop();
    await receiver.close();
  });

  const get = (path: string, init?: CallInit): Promise<Answer> => server.call(`${BASE}${path}`, init);
  const post = (path: string, init?: CallInit) => get(path, { method: 'POST', ...init });

  async function makeWebhook(path: string, extra: object = {}): Promise<string> {
    const body = { name: path, url: receiver.url + path, sign: true, on: true, ...extra };
    const { status, json, text } = await server.call('/api/v2/webhooks', { method: 'POST', body });
    assert.equal(status, 200, text);
    return json['_id'] as string;
  }

  async function list(query: string, init?: CallInit): Promise<Json> {
    const { status, json, text } = await get(`/webhook-deliveries?${query}`, init);
    assert.equal(status, 200, text);
    return json;
  }

  const isDone = async (id: string, state: string) =>
    (await get(`/webhook-deliveries/${id}`)).json['state'] === state;

  async function sendTest(id: string): Promise<string> {
    const { status, json, text } = await post(`/flag-webhooks/${id}/test`);
    assert.equal(status, 202, text);
    assert.deepEqual([json['isTest'], json['entryId']], [true, undefined]);
    return json['id'] as string;
  }

  async function narrowToken(name: string, statements: Json[]): Promise<string> {
    const member = await join(server, name, { role: 'owner' });
    const { value } = await giveToken(server, member, { inlinePolicy: statements as never, isService: true });
    return value;
  }

  test('a test reaches a webhook signed as every delivery, and its body is shown', async () => {
    const id = await makeWebhook('/ok');
    const delivery = await sendTest(id);
    await eventually(() => isDone(delivery, 'delivered'));
    const got = receiver.at('/ok').find(({ headers }) => headers['x-signalbox-delivery'] === delivery);
    assert.equal(got!.json['titleVerb'], 'tested the webhook');
    assert.equal(typeof got!.headers['x-ld-signature'], 'string');
    const { json } = await get(`/webhook-deliveries/${delivery}`);
    assert.equal(json['body'], got!.body);
    assert.deepEqual(
      json['history'].map(({ status, response }: Json) => [status, response]),
      [[200, 'thanks']],
    );
    const { items } = (await get('/flag-webhooks')).json;
    const shown = items.find((one: Json) => one['id'] === id);
    assert.deepEqual([shown.kind, shown.isSigned, shown.lastDelivery.state], ['webhook', true, 'delivered']);
    assert.equal(JSON.stringify(items).includes('secret'), false);
  });

  test('deliveries are listed by outcome, page after page, and a failed one is sent once more', async () => {
    const id = await makeWebhook('/gone/1', { statements: NOTHING });
    const sent = [await sendTest(id), await sendTest(id), await sendTest(id)];
    for (const one of sent) await eventually(() => isDone(one, 'failed'));
    const first = await list(`webhook=${id}&state=failed&limit=2`);
    const second = await list(`webhook=${id}&state=failed&limit=2&cursor=${first['next']}`);
    assert.deepEqual(
      [...first['items'], ...second['items']].map((one: Json) => one['id']),
      sent.toReversed(),
    );
    assert.equal(second['next'], undefined);
    assert.deepEqual((await list(`webhook=${id}&state=delivered`))['items'], []);
    const unfiltered = await list(`webhook=${id}&limit=1`);
    assert.equal((await list(`webhook=${id}&limit=2&cursor=${unfiltered['next']}`))['next'], undefined);
    await server.call(`/api/v2/webhooks/${id}`, {
      method: 'PATCH',
      body: [{ op: 'replace', path: '/url', value: `${receiver.url}/mended` }],
    });
    assert.equal((await post(`/webhook-deliveries/${sent[0]}/redeliver`)).status, 202);
    await receiver.wait('/mended');
    await eventually(() => isDone(sent[0]!, 'delivered'));
    const { json } = await get(`/webhook-deliveries/${sent[0]}`);
    assert.deepEqual(
      json['history'].map((one: Json) => one['status']),
      [410, 200],
    );
  });

  test('an integration is listed without its secrets, and its deliveries are shown as those of webhooks', async () => {
    const body = {
      name: 'events',
      on: true,
      config: { apiKey: 'very-secret', hostURL: `${receiver.url}/dog` },
    };
    const made = await server.call('/api/v2/integrations/datadog', { method: 'POST', body });
    assert.equal(made.status, 201, made.text);
    const id = made.json['_id'] as string;
    const listed = await get('/flag-webhooks');
    assert.equal(listed.text.includes('very-secret'), false);
    const shown = listed.json['items'].find((one: Json) => one['id'] === id);
    assert.deepEqual([shown.kind, shown.integration, shown.url], ['integration', 'datadog', undefined]);
    assert.equal(shown.config.hostURL, `${receiver.url}/dog`);
    const delivery = await sendTest(id);
    await receiver.wait('/dog/api/v1/events');
    await eventually(() => isDone(delivery, 'delivered'));
    assert.equal((await list(`webhook=${id}`))['items'][0].id, delivery);
    const { items } = (await get('/flag-integrations')).json;
    const { fields } = items.find(({ key }: Json) => key === 'datadog');
    assert.deepEqual(
      fields.map(({ name, kind, isOptional }: Json) => [name, kind, isOptional]),
      [
        ['apiKey', 'secret', false],
        ['hostURL', 'address', true],
      ],
    );
  });

  test('one that is off gets no test, and what does not exist is not found', async () => {
    const id = await makeWebhook('/off', { on: false });
    const { status, json } = await post(`/flag-webhooks/${id}/test`);
    assert.equal(status, 409);
    assert.match(json['detail'], /Turn it on first/);
    for (const path of [
      '/webhook-deliveries?webhook=nobody',
      '/webhook-deliveries/nobody',
      `/webhook-deliveries/${'0'.repeat(24)}`,
    ])
      assert.equal((await get(path)).status, 404, path);
    assert.equal((await post('/flag-webhooks/nobody/test')).status, 404);
    assert.equal((await get(`/webhook-deliveries?webhook=${id}&cursor=x`)).status, 400);
    assert.equal((await get(`/webhook-deliveries?webhook=${id}&state=lost`)).status, 422);
    assert.equal((await get('/webhook-deliveries')).status, 422);
    assert.equal((await get('/flag-webhooks', { token: null })).status, 401);
  });

  test('only those who may see the webhook see its deliveries, and only with updateOn are they sent again', async () => {
    const id = await makeWebhook('/rights');
    const delivery = await sendTest(id);
    await eventually(() => isDone(delivery, 'delivered'));
    const name = `only-${engine.kind}`;
    const made = await server.call('/api/v2/projects', { method: 'POST', body: { key: name, name } });
    assert.equal(made.status, 201, made.text);
    let entry: Json | undefined;
    await eventually(async () => {
      entry = (await list(`webhook=${id}`))['items'].find((one: Json) => one['isTest'] === false);
      return entry?.['state'] === 'delivered';
    });
    const sees = await narrowToken(`sees-${engine.kind}`, [
      { effect: 'allow', actions: ['viewWebhook'], resources: [`webhook/${id}`] },
    ]);
    const detail = (await get(`/webhook-deliveries/${entry!['id']}`, { token: sees })).json;
    assert.deepEqual([detail['body'], detail['history'][0].response], [undefined, undefined]);
    assert.equal(detail['history'][0].status, 200);
    assert.deepEqual(
      (await get('/flag-webhooks', { token: sees })).json['items'].map((one: Json) => one['id']),
      [id],
    );
    const again = await post(`/webhook-deliveries/${delivery}/redeliver`, { token: sees });
    assert.equal(again.status, 403);
    assert.equal((await post(`/flag-webhooks/${id}/test`, { token: sees })).status, 403);
    const blind = await narrowToken(`blind-${engine.kind}`, [
      { effect: 'allow', actions: ['viewProject'], resources: ['proj/*'] },
    ]);
    for (const path of [
      '/flag-webhooks',
      `/webhook-deliveries?webhook=${id}`,
      `/webhook-deliveries/${delivery}`,
    ])
      assert.equal((await get(path, { token: blind })).status, 403, path);
  });
});
