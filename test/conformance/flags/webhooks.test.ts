// Webhooks of the flag service: created, changed and deleted over HTTP, and delivered to a real receiver.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../../eventually.ts';
import { giveToken, join } from '../../people.ts';
import { startServer, type Json, type TestServer } from '../../server.ts';

interface Heard {
  headers: IncomingHttpHeaders;
  body: string;
  json: Json;
}

let server: TestServer;
const heard: Heard[] = [];
const receiver = createServer((request, response) => {
  void text(request).then((body) => {
    heard.push({ headers: request.headers, body, json: JSON.parse(body) as Json });
    response.writeHead(request.url === '/broken' ? 410 : 200).end(request.url === '/echo' ? body : 'thanks');
  });
});
let receiverUrl = '';

const call: TestServer['call'] = (path, init) => server.call(`/api/v2/${path}`, init);
const post = async (body: object) => await call('webhooks', { method: 'POST', body });
const hook = (extra: object = {}) => ({ url: `${receiverUrl}/hook`, sign: true, on: true, ...extra });
/** Makes a change that a webhook receives. */
const makeToken = (name: string) => call('tokens', { method: 'POST', body: { name, role: 'reader' } });
const ofToken = (name: string) => heard.filter(({ json }) => json['name'] === name);

before(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  server = await startServer({ allowPrivateWebhooks: true });
});
after(async () => {
  await server.stop();
  receiver.closeAllConnections();
  receiver.close();
});

describe('a webhook', () => {
  test('is made with a secret, shown, listed, changed by JSON patch and deleted', async () => {
    const made = await post(hook({ name: 'ops', tags: ['b', 'a', 'a'] }));
    assert.equal(made.status, 200);
    const { _id: id, secret, tags, _links: links } = made.json;
    assert.ok(secret.length >= 32);
    assert.deepEqual(tags, ['a', 'b']);
    assert.equal(links.self.href, `/api/v2/webhooks/${id}`);
    assert.equal(links.parent.href, '/api/v2/webhooks');
    const listed = await call('webhooks');
    assert.ok(listed.json['items'].some((item: Json) => item['_id'] === id));
    assert.equal(listed.json['totalCount'], listed.json['items'].length);
    const patch = [
      { op: 'replace', path: '/name', value: 'operations' },
      { op: 'remove', path: '/tags' },
      { op: 'replace', path: '/on', value: false },
    ];
    const changed = await call(`webhooks/${id}`, { method: 'PATCH', body: { comment: 'calmer', patch } });
    assert.equal(changed.status, 200);
    const { name, on, tags: noTags } = changed.json;
    assert.deepEqual([name, on, noTags], ['operations', false, []]);
    assert.deepEqual((await call(`webhooks/${id}`)).json, changed.json);
    assert.equal((await call(`webhooks/${id}`, { method: 'DELETE' })).status, 204);
    assert.equal((await call(`webhooks/${id}`)).status, 404);
  });

  for (const [what, body] of Object.entries({
    'no URL': { sign: true, on: true },
    'a URL that is none': { url: 'nowhere', sign: true, on: true },
    'another protocol': { url: 'ftp://example.com', sign: true, on: true },
    'a wrong statement': {
      url: 'https://example.com',
      sign: true,
      on: true,
      statements: [{ effect: 'allow' }],
    },
    'a word for a switch': { url: 'https://example.com', sign: true, on: 'yes' },
    'no word about signing': { url: 'https://example.com', on: true },
  })) {
    test(`F33: with ${what} is refused with 400`, async () => {
      const { totalCount: count } = (await call('webhooks')).json;
      const { status, json } = await post(body);
      assert.equal(status, 400);
      assert.deepEqual(Object.keys(json).slice(0, 3), ['code', 'message', 'id']);
      assert.equal((await call('webhooks')).json['totalCount'], count);
    });
  }

  test('F7: has an id that no patch changes', async () => {
    const { json } = await post(hook({ on: false }));
    const path = `webhooks/${json['_id']}`;
    const refused = await call(path, {
      method: 'PATCH',
      body: [{ op: 'replace', path: '/_id', value: 'x' }],
    });
    assert.equal(refused.status, 400);
    assert.deepEqual((await call(path)).json, json);
  });

  test('F31: a reader sees it without its secret, and may not change it', async () => {
    const { json } = await post(hook({ on: false }));
    const { value: token } = await giveToken(server, await join(server, 'hook-reader'), { role: 'reader' });
    const seen = await call(`webhooks/${json['_id']}`, { token });
    assert.equal(seen.status, 200);
    assert.equal(seen.json['secret'], undefined);
    const body = [{ op: 'replace', path: '/on', value: true }];
    const denied = await call(`webhooks/${json['_id']}`, { method: 'PATCH', token, body });
    assert.equal(denied.status, 401);
    assert.deepEqual(denied.json['access'], { action: 'updateOn', resource: `webhook/${json['_id']}` });
    assert.equal((await call(`webhooks/${json['_id']}`, { method: 'DELETE', token })).status, 401);
    assert.equal((await call('webhooks', { method: 'POST', token, body: hook() })).status, 401);
  });
});

describe('a delivery', () => {
  test('F22: is the audit entry with its comment, signed with the secret', async () => {
    const { json } = await post(hook());
    const token = (await makeToken('signed')).json;
    const patch = [{ op: 'replace', path: '/description', value: 'for the night' }];
    const body = { comment: 'because of tonight', patch };
    await call(`tokens/${token['_id']}`, { method: 'PATCH', body });
    await eventually(() => ofToken('signed').some((one) => one.json['comment'] === 'because of tonight'));
    const entry = ofToken('signed').find((one) => one.json['comment'] === 'because of tonight')!;
    const signature = createHmac('sha256', json['secret']).update(entry.body).digest('hex');
    assert.equal(entry.headers['x-ld-signature'], signature);
    assert.equal(entry.headers['content-type'], 'application/json');
    assert.deepEqual((await call(`auditlog/${entry.json['_id']}`)).json, entry.json);
    await call(`webhooks/${json['_id']}`, { method: 'DELETE' });
  });

  test('is made only of changes that the statements speak of', async () => {
    const statements = [{ effect: 'allow', actions: ['deleteAccessToken'], resources: ['member/*:token/*'] }];
    const { json } = await post(hook({ statements }));
    const made = await makeToken('short-lived');
    await call(`tokens/${made.json['_id']}`, { method: 'DELETE' });
    await eventually(() => ofToken('short-lived').length > 0);
    assert.deepEqual(
      ofToken('short-lived').map((one) => one.json['titleVerb']),
      ['deleted the token'],
    );
    await call(`webhooks/${json['_id']}`, { method: 'DELETE' });
  });

  test('tells of storages where a statement names them, and not otherwise', async () => {
    const all = (await post(hook())).json;
    const statements = [{ effect: 'allow', actions: ['*'], resources: ['dataset/*'] }];
    const named = (await post(hook({ statements }))).json;
    const { json } = await server.call('/v2/datasets?name=heard-of', { method: 'POST' });
    const path = `/v2/datasets/${json['data'].id as string}`;
    await server.call(path, { method: 'PUT', body: { name: 'heard-again' } });
    await server.call(path, { method: 'DELETE' });
    const verbs = () =>
      heard
        .filter(({ json: entry }) => entry['kind'] === 'dataset')
        .map(({ json: entry }) => `${entry['titleVerb']} ${entry['name']}`)
        .sort();
    await eventually(() => verbs().length === 3);
    assert.deepEqual(verbs(), [
      'created the dataset heard-of',
      'deleted the dataset heard-again',
      'updated the dataset heard-again',
    ]);
    const sent = async (id: string) => (await call(`webhooks/${id}/deliveries`)).json['totalCount'];
    assert.equal(await sent(named['_id']), 3);
    const deliveries = (await call(`webhooks/${all['_id']}/deliveries`)).json['items'] as Json[];
    // About itself and about the other webhook.
    assert.equal(deliveries.length, 2, JSON.stringify(deliveries));
    const log = (await call(`auditlog?spec=${encodeURIComponent(`dataset/${path.split('/').at(-1)}`)}`)).json;
    assert.deepEqual(
      (log['items'] as Json[]).map((entry) => entry['titleVerb']),
      ['deleted the dataset', 'updated the dataset', 'created the dataset'],
    );
    for (const { _id: id } of [all, named]) await call(`webhooks/${id}`, { method: 'DELETE' });
  });

  test('is listed with every attempt at it, and can be sent once more', async () => {
    const { json } = await post(hook({ url: `${receiverUrl}/broken` }));
    const path = `webhooks/${json['_id']}/deliveries`;
    await makeToken('broken');
    const findFailed = async (): Promise<Json | undefined> =>
      (await call(path)).json['items'].find((item: Json) => item['state'] === 'failed');
    await eventually(async () => (await findFailed()) !== undefined);
    const summary = (await findFailed())!;
    assert.equal(summary['statusCode'], 410);
    const detail = (await call(`${path}/${summary['_id']}`)).json;
    assert.equal(detail['history'].length, 1);
    assert.equal(detail['history'][0].response, 'thanks');
    assert.equal(heard.filter(({ headers }) => headers['x-signalbox-delivery'] === summary['_id']).length, 1);
    assert.equal((await call(`${path}/${summary['_id']}/redeliver`, { method: 'POST' })).status, 202);
    await eventually(
      () => heard.filter(({ headers }) => headers['x-signalbox-delivery'] === summary['_id']).length === 2,
    );
    await call(`webhooks/${json['_id']}`, { method: 'DELETE' });
  });

  describe('about what a caller may not see', () => {
    const allow = (resources: string[], ...actions: string[]) => ({
      effect: 'allow' as const,
      actions,
      resources,
    });
    const SEES_HOOKS = allow(['webhook/*'], 'viewWebhook', 'updateOn');
    let path: string;
    /** Deliveries by the name of the changed resource. */
    const ids = new Map<string, string>();
    let member: Awaited<ReturnType<typeof join>>;
    before(async () => {
      member = await join(server, 'hook-keeper', { role: 'no_access' });
      const { json } = await post(hook({ url: `${receiverUrl}/echo` }));
      path = `webhooks/${json['_id']}`;
      for (const key of ['seen', 'hidden']) {
        await call('projects', { method: 'POST', body: { key, name: `The ${key} one` } });
      }
      await makeToken('of nobody');
      await eventually(async () => {
        const { items } = (await call(`${path}/deliveries?limit=100`)).json;
        for (const { _id: id } of (items as Json[]).filter(({ state }) => state === 'delivered')) {
          ids.set(JSON.parse((await call(`${path}/deliveries/${id}`)).json['body']).name, id);
        }
        return ids.has('The seen one') && ids.has('The hidden one') && ids.has('of nobody');
      });
    });
    after(() => call(path, { method: 'DELETE' }));

    async function detailFor(name: string, ...grants: ReturnType<typeof allow>[]) {
      const policy = { isService: true, inlinePolicy: [SEES_HOOKS, ...grants] };
      const { value: token } = await giveToken(server, member, policy);
      return await call(`${path}/deliveries/${ids.get(name)!}`, { token });
    }

    test('F35: shows how it went, but neither the body nor an answer that may repeat it', async () => {
      for (const name of ['The hidden one', 'of nobody']) {
        const { status, json, text: shown } = await detailFor(name, allow(['proj/seen'], 'viewProject'));
        assert.equal(status, 200);
        assert.deepEqual([json['state'], json['statusCode'], json['attempts']], ['delivered', 200, 1]);
        assert.deepEqual(Object.keys(json['history'][0]), ['number', 'date', 'durationMs', 'statusCode']);
        assert.equal(json['body'], undefined);
        assert.doesNotMatch(shown, /hidden|of nobody/);
      }
    });

    test('F35: is whole for who may see it, as in the audit log', async () => {
      for (const [name, grant] of [
        ['The seen one', allow(['proj/seen'], 'viewProject')],
        ['of nobody', allow(['acct', 'member/*:token/*', 'service-token/*'], 'viewAuditLog')],
      ] as const) {
        const { json } = await detailFor(name, grant);
        assert.equal(JSON.parse(json['body']).name, name);
        assert.equal(json['history'][0].response, json['body'].slice(0, 4096));
      }
      const { json } = await detailFor('of nobody', allow(['acct'], 'viewAuditLog'));
      assert.equal(json['body'], undefined);
    });

    test('can be sent once more all the same', async () => {
      const { value: token } = await giveToken(server, member, {
        isService: true,
        inlinePolicy: [SEES_HOOKS],
      });
      const id = ids.get('The hidden one')!;
      const again = await call(`${path}/deliveries/${id}/redeliver`, { method: 'POST', token });
      assert.equal(again.status, 202);
      assert.doesNotMatch(again.text, /hidden/);
      await eventually(
        () => heard.filter(({ headers }) => headers['x-signalbox-delivery'] === id).length === 2,
      );
    });
  });

  test('to loopback is refused where the settings do not allow it', async () => {
    const strict = await startServer();
    const { status, json } = await strict.call('/api/v2/webhooks', { method: 'POST', body: hook() });
    assert.equal(status, 400);
    assert.match(json['message'], /loopback/);
    await strict.stop();
  });
});
