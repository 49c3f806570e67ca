// Relay Proxy configurations on the flags API, on a running server with each engine.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hashSecret } from '../../../../src/kernel/secrets/secret.ts';
import { onEachEngine } from '../../../engines.ts';
import type { CallInit, Json, TestServer } from '../../../server.ts';
import { onServer } from '../../../suites.ts';
import { assertError, expect, giveMember, MINUTE } from '../control-calls.ts';

const POLICY = [{ effect: 'allow', actions: ['*'], resources: ['proj/*:env/production'] }];
const PATH = 'account/relay-auto-configs';

onEachEngine((engine) => {
  let server: TestServer;
  onServer(engine, { limits: 'off' }, async (started) => {
    server = started;
  });

  const call = (path = '', init: CallInit = {}) => server.call(`/api/v2/${PATH}${path}`, init);
  const post = (body: object = {}, init: CallInit = {}) =>
    call('', { method: 'POST', body: { name: 'Relay', policy: POLICY, ...body }, ...init });
  const create = async (body: object = {}): Promise<Json> => (await expect(201, post(body))).json;
  const patch = (id: string, body: unknown, init: CallInit = {}) =>
    call(`/${id}`, { method: 'PATCH', body, ...init });
  const replace = (path: string, value: unknown) => [{ op: 'replace', path, value }];
  const rowOf = (id: string) =>
    server.app.kernel.db
      .selectFrom('relay_proxy_configs')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
  const entriesOf = async (id: string): Promise<Json[]> => {
    const { json } = await expect(200, server.call(`/api/v2/auditlog?spec=relay-proxy-config/${id}`));
    return json['items'];
  };

  test('F5 F8 F10 a configuration is created, shown, listed and deleted', async () => {
    const made = await expect(201, post({ name: 'Edge' }));
    const { _id: id, fullKey, displayKey, _links: links, _creator: creator } = made.json;
    assert.equal(made.headers.get('location'), `/api/v2/${PATH}/${id}`);
    assert.match(id, /^[0-9a-f]{24}$/);
    assert.match(fullKey, /^rel-\w{43}$/);
    assert.equal(displayKey, fullKey.slice(-4));
    assert.equal(creator.email, 'admin@signalbox.example');
    assert.deepEqual([links.self.href, links.parent.href], [`/api/v2/${PATH}/${id}`, `/api/v2/${PATH}`]);
    const shown = (await expect(200, call(`/${id}`))).json;
    assert.deepEqual(shown, { ...made.json, fullKey: displayKey });
    const { items, totalCount, _links } = (await expect(200, call())).json;
    assert.deepEqual(
      items.find((item: Json) => item['_id'] === id),
      shown,
    );
    assert.equal(totalCount, items.length);
    assert.equal(_links.self.href, `/api/v2/${PATH}`);
    await expect(204, call(`/${id}`, { method: 'DELETE' }));
    assertError(await expect(404, call(`/${id}`)), 'not_found');
    await expect(404, call(`/${id}`, { method: 'DELETE' }));
  });

  test('F32 the key is shown once and stored as its hash', async () => {
    const { _id: id, fullKey } = await create();
    const row = await rowOf(id);
    assert.equal(row.hash, hashSecret(fullKey));
    assert.ok(!JSON.stringify(row).includes(fullKey));
    const entries = await entriesOf(id);
    const detail = await expect(200, server.call(`/api/v2/auditlog/${entries[0]!['_id']}`));
    assert.ok(!detail.text.includes(fullKey));
  });

  describe('reset', () => {
    const reset = (id: string, query = '') => call(`/${id}/reset${query}`, { method: 'POST' });

    test('F32 gives a new key, and the old one stops working at once or at the expiry', async () => {
      const { _id: id, fullKey: first } = await create();
      const { fullKey: second, displayKey } = (await expect(200, reset(id))).json;
      assert.notEqual(second, first);
      assert.equal(displayKey, second.slice(-4));
      const { hash, old_hash: none, old_until: never } = await rowOf(id);
      assert.deepEqual([hash, none, never], [hashSecret(second), null, null]);
      const expiry = server.clock.now() + MINUTE;
      const { fullKey: third } = (await expect(200, reset(id, `?expiry=${expiry}`))).json;
      const { hash: newest, old_hash: old, old_until: until } = await rowOf(id);
      assert.deepEqual([newest, old, until], [hashSecret(third), hashSecret(second), expiry]);
      await expect(200, reset(id, '?expiry=1'));
      assert.equal((await rowOf(id)).old_hash, null, 'an expiry in the past gives no grace');
      assert.deepEqual(
        (await entriesOf(id)).map(({ titleVerb }) => titleVerb),
        [
          ...Array.from({ length: 3 }, () => 'reset the key of the Relay Proxy configuration'),
          'created the Relay Proxy configuration',
        ],
      );
    });

    test('F33 with a wrong expiry or an unknown id is refused', async () => {
      const { _id: id } = await create();
      const { hash } = await rowOf(id);
      for (const expiry of ['soon', '-1', '1.5']) await expect(400, reset(id, `?expiry=${expiry}`));
      assert.equal((await rowOf(id)).hash, hash);
      await expect(404, reset('0'.repeat(24)));
    });
  });

  describe('a patch', () => {
    test('F14 F15 F21 is a JSON patch or a merge patch, with a comment', async () => {
      const { _id: id, fullKey: _key, ...made } = await create();
      const denied = { effect: 'deny', actions: ['*'], resources: ['proj/secret:env/*'] };
      const body = { comment: 'narrower', patch: [{ op: 'add', path: '/policy/-', value: denied }] };
      const narrowed = (await expect(200, patch(id, body))).json;
      assert.deepEqual(narrowed['policy'], [...POLICY, denied]);
      assert.ok(narrowed['lastModified'] >= made['lastModified']);
      const merged = await expect(200, patch(id, { merge: { name: 'Merged' }, comment: 'clearer' }));
      assert.equal(merged.json['name'], 'Merged');
      assert.equal((await expect(200, patch(id, { name: 'Bare' }))).json['name'], 'Bare');
      assert.deepEqual(
        (await entriesOf(id)).map(({ comment, accesses }) => [comment, accesses[0].action]),
        [
          [undefined, 'updateRelayAutoConfigurationName'],
          ['clearer', 'updateRelayAutoConfigurationName'],
          ['narrower', 'updateRelayAutoConfigurationPolicy'],
          [undefined, 'createRelayAutoConfiguration'],
        ],
      );
    });

    test('that changes nothing has no audit entry', async () => {
      const { _id: id, lastModified } = await create();
      const same = (await expect(200, patch(id, replace('/name', 'Relay')))).json;
      assert.equal(same['lastModified'], lastModified);
      assert.equal((await entriesOf(id)).length, 1);
    });

    test('F7 F17 F23 F33 cannot change the key or the id, nor be anything else', async () => {
      const { _id: id } = await create();
      const before = (await call(`/${id}`)).json;
      for (const name of ['_id', '_links', '_creator', 'fullKey', 'displayKey', 'creationDate', 'x'])
        await expect(400, patch(id, [{ op: 'add', path: `/${name}`, value: 'x' }]));
      await expect(400, patch(id, replace('/policy', [{ effect: 'allow' }])));
      await expect(400, patch(id, replace('/name', '')));
      await expect(400, patch(id, [{ op: 'remove', path: '/policy' }]));
      await expect(422, patch(id, replace('/nothing/here', 1)));
      await expect(422, patch(id, 5));
      await expect(
        409,
        patch(id, [{ op: 'test', path: '/name', value: 'other' }, ...replace('/name', 'New')]),
      );
      await expect(400, patch(id, { instructions: [{ kind: 'updateName' }] }));
      await expect(400, patch(id, JSON.stringify([]), { headers: { 'content-type': 'text/plain' } }));
      assert.deepEqual((await call(`/${id}`)).json, before);
      await expect(404, patch('0'.repeat(24), replace('/name', 'New')));
    });
  });

  for (const [what, body] of Object.entries({
    'no name': { name: undefined },
    'an empty name': { name: '' },
    'a number for a name': { name: 5 },
    'no policy': { policy: undefined },
    'a policy that is no list': { policy: {} },
    'a statement without resources': { policy: [{ effect: 'allow', actions: ['*'] }] },
    'a statement of another effect': { policy: [{ ...POLICY[0], effect: 'maybe' }] },
    'a resource that is none': { policy: [{ ...POLICY[0], resources: ['no resource'] }] },
    'a policy that is too long': {
      policy: [{ ...POLICY[0], resources: Array.from({ length: 50 }, () => `proj/${'a'.repeat(900)}`) }],
    },
  })) {
    test(`F33 with ${what} none is created`, async () => {
      const { totalCount } = (await call()).json;
      assertError(await expect(400, post(body)), 'invalid_request');
      assert.equal((await call()).json['totalCount'], totalCount);
    });
  }

  test('F33 there are at most 100', async () => {
    const { totalCount } = (await call()).json;
    const ids: string[] = [];
    for (let count = totalCount as number; count < 100; count += 1) ids.push((await create())['_id']);
    assertError(await expect(400, post()), 'invalid_request');
    for (const id of ids) await expect(204, call(`/${id}`, { method: 'DELETE' }));
  });

  describe('permissions', () => {
    test('F31 a reader sees it and changes nothing; nobody else sees it', async () => {
      const { _id: id } = await create();
      const { token } = await giveMember(server, { role: 'reader' });
      assert.equal((await expect(200, call(`/${id}`, { token }))).json['fullKey'].length, 4);
      const denied = await expect(401, patch(id, replace('/name', 'New'), { token }));
      assert.deepEqual(denied.json['access'], {
        action: 'updateRelayAutoConfigurationName',
        resource: `relay-proxy-config/${id}`,
      });
      await expect(401, post({}, { token }));
      await expect(401, call(`/${id}/reset`, { method: 'POST', token }));
      await expect(401, call(`/${id}`, { method: 'DELETE', token }));
      await expect(401, call(`/${id}`, { token: null }));
      await expect(405, call(`/${id}`, { method: 'PUT', body: {} }));
    });

    test('F35 a policy names one, and the list has that one', async () => {
      const [mine, other] = [await create(), await create()];
      const inlinePolicy = [
        {
          effect: 'allow' as const,
          actions: ['viewRelayAutoConfiguration', 'updateRelayAutoConfigurationName'],
          resources: [`relay-proxy-config/${mine['_id']}`],
        },
      ];
      const { token } = await giveMember(server, { inlinePolicy });
      const { items } = (await expect(200, call('', { token }))).json;
      assert.deepEqual(
        items.map(({ _id }: Json) => _id),
        [mine['_id']],
      );
      await expect(200, patch(mine['_id'], replace('/name', 'Mine'), { token }));
      await expect(401, patch(mine['_id'], replace('/policy', []), { token }));
      await expect(401, patch(other['_id'], replace('/name', 'Mine'), { token }));
      await expect(401, call(`/${other['_id']}`, { token }));
      await expect(401, call(`/${mine['_id']}/reset`, { method: 'POST', token }));
    });
  });
});
