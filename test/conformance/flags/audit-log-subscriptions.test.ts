// Audit-log subscriptions of integrations on the flags API, delivered to a real receiver, on each engine.
import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { onEachEngine } from '../../engines.ts';
import { eventually } from '../../eventually.ts';
import { startServer, type CallInit, type Json, type TestServer } from '../../server.ts';
import { onServer } from '../../suites.ts';
import { assertError, expect, giveMember, openFlagProject, type FlagProject } from './control-calls.ts';

interface Heard {
  path: string;
  headers: IncomingHttpHeaders;
  json: Json;
}

const heard: Heard[] = [];
/** Whether what comes to `/busy` is to be sent again in two minutes. */
let isBusy = true;
const receiver = createServer((request, response) => {
  void text(request).then((body) => {
    heard.push({ path: request.url!, headers: request.headers, json: JSON.parse(body) as Json });
    if (request.url!.startsWith('/busy') && isBusy) response.writeHead(503, { 'retry-after': '120' }).end();
    else response.writeHead(request.url!.startsWith('/broken') ? 410 : 200).end();
  });
});
let receiverUrl = '';
before(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
});
after(() => {
  receiver.closeAllConnections();
  receiver.close();
});

const TOKEN = 'a-token-that-nobody-shows';
const MASK = '********hows';

onEachEngine((engine) => {
  let server: TestServer;
  let setup: FlagProject;
  onServer(engine, { limits: 'off', allowPrivateWebhooks: true }, async (started) => {
    server = started;
    setup = await openFlagProject(server);
    heard.length = 0;
  });

  const call = (path: string, init: CallInit = {}) => server.call(`/api/v2/integrations/${path}`, init);
  const post = (key: string, body: object, init: CallInit = {}) =>
    call(key, { method: 'POST', body: { name: 'Ours', ...body }, ...init });
  /** Changes of the flag of this test. */
  const statements = () => [
    { effect: 'allow', actions: ['*'], resources: [`proj/${setup.project}:env/*:flag/*`] },
  ];
  const splunk = (path = '') => ({ 'base-url': `${receiverUrl}${path}`, token: TOKEN });
  const create = async (key: string, body: object): Promise<Json> =>
    (await expect(201, post(key, { on: true, statements: statements(), ...body }))).json;
  const patch = (at: string, body: unknown, init: CallInit = {}) =>
    call(at, { method: 'PATCH', body, ...init });
  const replace = (path: string, value: unknown) => [{ op: 'replace', path, value }];
  const turnOn = () => expect(200, setup.patchFlag([{ kind: 'turnFlagOn' }]));
  const lastEntry = async () =>
    (await expect(200, server.call('/api/v2/auditlog?spec=integration/splunk&limit=1'))).json['items'][0];

  test('F5 F8 F10 is created, shown, listed and deleted, with its secret masked', async () => {
    const made = await expect(201, post('splunk', { config: splunk(), tags: ['b', 'a', 'a'] }));
    const { _id: id, config, kind, on, tags, statements: none } = made.json;
    const self = `/api/v2/integrations/splunk/${id}`;
    assert.equal(made.headers.get('location'), self);
    assert.deepEqual([kind, on, tags, none], ['splunk', false, ['a', 'b'], []]);
    assert.deepEqual(config, { 'base-url': receiverUrl, token: MASK });
    const { _status: status, ...shown } = (await expect(200, server.call(self))).json;
    assert.deepEqual(shown, made.json);
    assert.deepEqual(status, { successCount: 0, errorCount: 0, errors: [] });
    const list = (await expect(200, call('splunk'))).json;
    assert.deepEqual(
      list['items'].find((item: Json) => item['_id'] === id),
      made.json,
    );
    assert.deepEqual(
      [list['key'], list['totalCount'], list['_links'].self.href],
      ['splunk', list['items'].length, '/api/v2/integrations/splunk'],
    );
    await expect(404, server.call(`/api/v2/webhooks/${id}`));
    await expect(404, call(`datadog/${id}`));
    await expect(204, server.call(self, { method: 'DELETE' }));
    await expect(404, server.call(self));
    await expect(404, server.call(self, { method: 'DELETE' }));
  });

  test('F32 its secret is sealed in the database, and not in the audit log', async () => {
    const { _id: id } = await create('splunk', { config: splunk(), on: false });
    const row = await server.app.kernel.db
      .selectFrom('webhooks')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    assert.ok(!JSON.stringify(row).includes(TOKEN));
    const other = 'another-token-of-splunk';
    await expect(200, patch(`splunk/${id}`, { comment: 'rotated', patch: replace('/config/token', other) }));
    const entry = await lastEntry();
    assert.deepEqual([entry.comment, entry.accesses[0].action], ['rotated', 'updateConfiguration']);
    const detail = await expect(200, server.call(`/api/v2/auditlog/${entry._id}`));
    assert.ok(!detail.text.includes(other) && !detail.text.includes(TOKEN));
  });

  test('a webhook is no subscription', async () => {
    const body = { url: receiverUrl, sign: false, on: false };
    const { json } = await expect(200, server.call('/api/v2/webhooks', { method: 'POST', body }));
    await expect(404, call(`slack/${json['_id']}`));
    const { _id: id } = await create('slack', { config: { url: receiverUrl }, on: false });
    const { items } = (await expect(200, server.call('/api/v2/webhooks'))).json;
    assert.ok(items.every((item: Json) => item['_id'] !== id));
  });

  describe('a delivery', () => {
    test('F22 F36 has the entry with its comment, and the token in a header', async () => {
      const { _id: id } = await create('splunk', { config: splunk('/hec/') });
      await turnOn();
      await eventually(() => heard.length > 0);
      const [{ path, headers, json }] = heard as [Heard];
      assert.equal(path, '/hec/services/collector/event');
      assert.equal(headers.authorization, `Splunk ${TOKEN}`);
      assert.equal(json['event'].comment, 'because');
      assert.equal(json['event'].kind, 'flag');
      await eventually(async () => (await call(`splunk/${id}`)).json['_status'].successCount === 1);
      const { _status: status } = (await call(`splunk/${id}`)).json;
      assert.ok(status.lastSuccess > 0);
      await expect(204, call(`splunk/${id}`, { method: 'DELETE' }));
    });

    test('F22 to a chat is a text with the comment', async () => {
      const { _id: id, config } = await create('slack', { url: `${receiverUrl}/services/T0/B0/xyz` });
      assert.deepEqual(config, { url: '********/xyz' });
      await turnOn();
      await eventually(() => heard.length > 0);
      assert.match(heard[0]!.json['text'], /turned on the flag Banner[^]*because/);
      await expect(204, call(`slack/${id}`, { method: 'DELETE' }));
    });

    test('is made only of changes that the statements speak of, and while it is on', async () => {
      const others = [{ effect: 'allow', actions: ['*'], resources: ['proj/elsewhere'] }];
      const ids = [
        (await create('splunk', { config: splunk('/other'), statements: others }))['_id'],
        (await create('splunk', { config: splunk('/off'), on: false }))['_id'],
        (await create('splunk', { config: splunk('/on') }))['_id'],
      ];
      await turnOn();
      await eventually(() => heard.length > 0);
      for (const id of ids) await expect(204, call(`splunk/${id}`, { method: 'DELETE' }));
      assert.deepEqual(
        heard.map(({ path }) => path.split('/')[1]),
        ['on'],
      );
    });

    test('that fails is told in the status', async () => {
      const { _id: id } = await create('splunk', { config: splunk('/broken') });
      await turnOn();
      await eventually(async () => (await call(`splunk/${id}`)).json['_status'].errorCount === 1);
      const { errors, lastError, successCount } = (await call(`splunk/${id}`)).json['_status'];
      assert.equal(successCount, 0);
      assert.equal(errors[0].statusCode, 410);
      assert.equal(errors[0].timestamp, lastError);
      await expect(204, call(`splunk/${id}`, { method: 'DELETE' }));
    });

    test('has the form of each service', async () => {
      const url = (key: string) => `${receiverUrl}/${key}`;
      /** The settings, the path below the address, the header with the secret, and what the body has. */
      const forms: Record<string, [config: Json, path: string, header: string, secret: string, form: Json]> =
        {
          datadog: [
            { hostURL: url('datadog'), apiKey: TOKEN },
            '/api/v1/events',
            'dd-api-key',
            TOKEN,
            { title: 'string', text: 'string', date_happened: 'number', tags: 'object' },
          ],
          dynatrace: [
            { url: url('dynatrace'), apiToken: TOKEN },
            '/api/v1/events',
            'authorization',
            `Api-Token ${TOKEN}`,
            {
              eventType: 'string',
              source: 'string',
              configuration: 'string',
              description: 'string',
              attachRules: 'object',
            },
          ],
          'dynatrace-v2': [
            { url: url('dynatrace-v2'), apiToken: TOKEN },
            '/api/v2/events/ingest',
            'authorization',
            `Api-Token ${TOKEN}`,
            { eventType: 'string', title: 'string', startTime: 'number', properties: 'object' },
          ],
          elastic: [
            { url: url('elastic'), token: TOKEN, index: 'audit' },
            '/audit/_doc',
            'authorization',
            `ApiKey ${TOKEN}`,
            { '@timestamp': 'string', kind: 'string', target: 'object' },
          ],
          grafana: [
            { endpointUrl: url('grafana'), apiKey: TOKEN },
            '/api/annotations',
            'authorization',
            `Bearer ${TOKEN}`,
            { time: 'number', tags: 'object', text: 'string' },
          ],
          msteams: [{ url: url('msteams') }, '', 'content-type', 'application/json', { text: 'string' }],
          slack: [{ url: url('slack') }, '', 'content-type', 'application/json', { text: 'string' }],
          splunk: [
            { 'base-url': url('splunk'), token: TOKEN },
            '/services/collector/event',
            'authorization',
            `Splunk ${TOKEN}`,
            { time: 'number', source: 'string', event: 'object' },
          ],
        };
      const ids: string[] = [];
      for (const [key, [config]] of Object.entries(forms))
        ids.push(`${key}/${(await create(key, { config }))['_id']}`);
      await turnOn();
      await eventually(() => heard.length === ids.length, 'a delivery to each');
      for (const [key, [, path, header, secret, form]] of Object.entries(forms)) {
        const { headers, json } = heard.find((one) => one.path === `/${key}${path}`) ?? assert.fail(key);
        assert.match(headers['content-type']!, /^application\/json/, key);
        assert.ok(String(headers[header]).startsWith(secret), `${key}: ${String(headers[header])}`);
        const types = Object.keys(form).map((name) => [name, typeof json[name]]);
        assert.deepEqual(Object.fromEntries(types), form, key);
      }
      for (const id of ids) await expect(204, call(id, { method: 'DELETE' }));
    });

    test('to a receiver that is busy waits as long as it asks, is shown as an error, and then arrives', async () => {
      isBusy = true;
      const { _id: id } = await create('splunk', { config: splunk('/busy') });
      const statusOf = async () => (await call(`splunk/${id}`)).json['_status'] as Json;
      await turnOn();
      await eventually(async () => (await statusOf())['errorCount'] === 1, 'the error');
      assert.equal((await statusOf())['errors'][0].statusCode, 503);
      const { db, engine: shared } = server.app.kernel;
      const { due_at: dueAt, created_at: createdAt } = await db
        .selectFrom('deliveries')
        .select(['due_at', 'created_at'])
        .where('hook_id', '=', id)
        .executeTakeFirstOrThrow();
      assert.ok(dueAt! - createdAt >= 120_000, `${dueAt! - createdAt} ms`);
      assert.equal(heard.length, 1);
      isBusy = false;
      server.clock.goTo(dueAt! + 1);
      await shared.notify('due');
      await eventually(async () => (await statusOf())['successCount'] === 1, 'the delivery');
      assert.deepEqual([(await statusOf())['errorCount'], (await statusOf())['errors']], [0, []]);
      assert.equal(heard.length, 2);
      await expect(204, call(`splunk/${id}`, { method: 'DELETE' }));
    });

    test('goes to the new address with the new secret', async () => {
      const { _id: id } = await create('splunk', { config: splunk('/old') });
      const both = [
        ...replace('/config/base-url', `${receiverUrl}/new`),
        ...replace('/config/token', 'the-new-token'),
      ];
      await expect(200, patch(`splunk/${id}`, both));
      await turnOn();
      await eventually(() => heard.length > 0);
      assert.deepEqual(
        heard.map(({ path, headers }) => [path.split('/')[1], headers.authorization]),
        [['new', 'Splunk the-new-token']],
      );
      await expect(204, call(`splunk/${id}`, { method: 'DELETE' }));
    });
  });

  describe('a patch', () => {
    test('F14 F21 changes name, tags, statements and switch, and keeps the secret', async () => {
      const { _id: id } = await create('splunk', { config: splunk(), on: false });
      const body = {
        comment: 'calmer',
        patch: [
          ...replace('/name', 'Calm'),
          { op: 'add', path: '/tags/-', value: 'x' },
          ...replace('/statements', []),
        ],
      };
      const { json } = await expect(200, patch(`splunk/${id}`, body));
      assert.deepEqual([json['name'], json['tags'], json['statements']], ['Calm', ['x'], []]);
      assert.equal(json['config'].token, MASK);
      const { accesses, comment } = await lastEntry();
      assert.equal(comment, 'calmer');
      assert.deepEqual(
        accesses.map(({ action }: Json) => action),
        ['updateName', 'updateStatements', 'updateTags'],
      );
    });

    test('F7 F17 F23 F33 that is wrong changes nothing', async () => {
      const { _id: id } = await create('splunk', { config: splunk(), on: false });
      const at = `splunk/${id}`;
      const shown = (await call(at)).json;
      for (const name of ['_id', 'kind', '_status', 'x'])
        await expect(400, patch(at, [{ op: 'add', path: `/${name}`, value: 'x' }]));
      const refused = await expect(400, patch(at, replace('/config/base-url', 'https://evil.example')));
      assert.match(refused.json['message'], /config\.token must be sent again/);
      await expect(400, patch(at, [{ op: 'remove', path: '/config/token' }]));
      await expect(400, patch(at, [{ op: 'add', path: '/config/more', value: 1 }]));
      await expect(400, patch(at, replace('/on', 'yes')));
      await expect(400, patch(at, replace('/statements', [{ effect: 'allow' }])));
      await expect(409, patch(at, [{ op: 'test', path: '/config/token', value: TOKEN }]));
      await expect(422, patch(at, 5));
      await expect(400, patch(at, { instructions: [] }));
      assert.deepEqual((await call(at)).json, shown);
      await expect(404, patch(`splunk/${'0'.repeat(24)}`, []));
    });
  });

  for (const [what, body] of Object.entries({
    'no name': { name: undefined, config: { apiKey: 'a' } },
    'no settings': {},
    'a setting of the wrong type': { config: { apiKey: 5 } },
    'an unknown setting': { config: { apiKey: 'a', more: 'b' } },
    'a URL that is none': { config: { apiKey: 'a', hostURL: 'nowhere' } },
    'a wrong statement': { config: { apiKey: 'a' }, statements: [{ effect: 'allow' }] },
    'settings that are no object': { config: ['a'] },
  })) {
    test(`F33 with ${what} is refused`, async () => {
      assertError(await expect(400, post('datadog', body)), 'invalid_request');
      assert.equal((await expect(200, call('datadog'))).json['totalCount'], 0);
    });
  }

  test('F33 of an unknown integration is not found, and the error lists those that there are', async () => {
    const { json } = await expect(404, post('carrier-pigeon', { config: {} }));
    assert.match(json['message'], /no integration "carrier-pigeon"\. There are: datadog, .*splunk/);
    await expect(404, call('carrier-pigeon'));
    await expect(404, call(`carrier-pigeon/${'0'.repeat(24)}`));
    await expect(405, call('splunk', { method: 'PUT', body: {} }));
  });

  test('F31 F35 a reader sees it masked, and a policy names the integration', async () => {
    const { _id: id } = await create('splunk', { config: splunk(), on: false, tags: ['ops'] });
    const reader = await giveMember(server, { role: 'reader' });
    const { token } = reader;
    assert.equal((await expect(200, call(`splunk/${id}`, { token }))).json['config'].token, MASK);
    const denied = await expect(401, patch(`splunk/${id}`, replace('/on', true), { token }));
    assert.deepEqual(denied.json['access'], { action: 'updateOn', resource: 'integration/splunk;ops' });
    await expect(401, post('splunk', { config: splunk() }, { token }));
    await expect(401, call(`splunk/${id}`, { method: 'DELETE', token }));
    await expect(401, call('splunk', { token: null }));
    const inlinePolicy = [
      {
        effect: 'allow' as const,
        actions: ['*'],
        resources: ['integration/slack', 'integration/splunk;ops'],
      },
    ];
    const narrow = (await giveMember(server, { inlinePolicy })).token;
    await expect(200, patch(`splunk/${id}`, replace('/name', 'Mine'), { token: narrow }));
    const { _id: other } = await create('splunk', { config: splunk(), on: false });
    await expect(401, call(`splunk/${other}`, { token: narrow }));
    await expect(401, post('datadog', { config: { apiKey: 'a' } }, { token: narrow }));
    await expect(401, call('datadog', { token: narrow }));
    const { items } = (await expect(200, call('splunk', { token: narrow }))).json;
    assert.deepEqual(
      items.map(({ _id }: Json) => _id),
      [id],
    );
  });

  test('F33 there are at most 100 of all integrations', async () => {
    const { total } = await server.app.kernel.db
      .selectFrom('webhooks')
      .select(({ fn }) => fn.countAll<number | string>().as('total'))
      .where('integration_key', 'is not', null)
      .executeTakeFirstOrThrow();
    const ids: string[] = [];
    for (let count = Number(total); count < 100; count += 1)
      ids.push((await expect(201, post('slack', { config: { url: receiverUrl } }))).json['_id']);
    assertError(await expect(400, post('datadog', { config: { apiKey: 'a' } })), 'invalid_request');
    for (const id of ids) await expect(204, call(`slack/${id}`, { method: 'DELETE' }));
  });
});

test('an address in the own network is refused where webhooks to it are', async () => {
  const server = await startServer({ limits: 'off' });
  const post = (key: string, config: object) =>
    server.call(`/api/v2/integrations/${key}`, { method: 'POST', body: { name: 'Inside', config } });
  assertError(await expect(400, post('slack', { url: 'http://127.0.0.1:1/' })), 'invalid_request');
  await expect(400, post('splunk', { 'base-url': 'http://169.254.169.254', token: TOKEN }));
  const { _id: id } = (await expect(201, post('splunk', { 'base-url': 'https://a.example', token: TOKEN })))
    .json;
  const body = [
    { op: 'replace', path: '/config/base-url', value: 'http://10.0.0.1' },
    { op: 'replace', path: '/config/token', value: 'b' },
  ];
  await expect(400, server.call(`/api/v2/integrations/splunk/${id}`, { method: 'PATCH', body }));
  await server.stop();
});
