// Service tokens are accounts of their own on the actors API and the host.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Member } from '../src/kernel/identity/store-members.ts';
import { onEachEngine } from './engines.ts';
import { eventually } from './eventually.ts';
import { giveToken, join } from './people.ts';
import type { Json, TestServer } from './server.ts';
import { startServerOn } from './suites.ts';

const KINDS = ['datasets', 'key-value-stores', 'request-queues'];

onEachEngine((engine) => {
  let server: TestServer;
  let ada: Member;
  let personal: string;
  before(async () => {
    server = await startServerOn(engine, {
      limit: { 'actors.dataset': { anonymous: 1000, known: 1000, seconds: 1 } },
    });
    ada = await join(server, 'ada', { role: 'writer' });
    personal = (await giveToken(server, ada, { role: 'writer' })).value;
  });
  after(() => server.stop());

  const makeService = (name: string, maker = ada) =>
    giveToken(server, maker, { role: 'writer', name, isService: true });
  const me = async (token: string) => (await server.call('/v2/users/me', { token })).json['data'] as Json;
  const create = async (token: string, name?: string, kind = 'datasets') => {
    const path = `/v2/${kind}${name === undefined ? '' : `?name=${name}`}`;
    return (await server.call(path, { method: 'POST', token })).json['data'] as Json;
  };
  const remove = (id: string, token?: string) =>
    server.call(`/api/v2/tokens/${id}`, { method: 'DELETE', ...(token !== undefined && { token }) });

  test('a service token has an id and a username of its own, in forms that no member has', async () => {
    const { id, value } = await makeService('Nightly Crawl!');
    const { data: maker } = { data: await me(personal) };
    const own = await me(value);
    assert.deepEqual([own['id'], own['username']], [id, 'nightly-crawl.bot']);
    assert.deepEqual(own['profile'], { name: 'Nightly Crawl!' });
    assert.match(own['email'], /^nightly-crawl\.bot@[a-z.]+\.example$/);
    assert.notEqual(own['id'], maker['id']);
    for (const name of [id, 'nightly-crawl.bot']) {
      const { status, json } = await server.call(`/v2/users/${name}`, { token: null });
      assert.deepEqual([status, json['data']], [200, { username: 'nightly-crawl.bot', profile: {} }]);
    }
    await assert.rejects(join(server, 'nightly-crawl.bot'), /cannot be a username/);
  });

  test('two service tokens of one name have two usernames, and one without a name has one, too', async () => {
    const tokens = [
      await makeService('ci'),
      await makeService('ci'),
      await makeService('CI'),
      await makeService(''),
    ];
    const names = [];
    for (const { value } of tokens) names.push((await me(value))['username']);
    assert.deepEqual(names, ['ci.bot', 'ci-2.bot', 'ci-3.bot', 'service.bot']);
  });

  test('its username stays when the token is renamed', async () => {
    const { id, value } = await makeService('before');
    await server.call(`/api/v2/tokens/${id}`, {
      method: 'PATCH',
      body: [{ op: 'replace', path: '/name', value: 'after' }],
    });
    const { username, profile } = await me(value);
    assert.deepEqual([username, profile], ['before.bot', { name: 'after' }]);
  });

  test('on the host it is a bot with a number of its own', async () => {
    const { value } = await makeService('octo');
    const { json } = await server.call('/user', { token: value });
    assert.deepEqual([json['login'], json['type'], json['name']], ['octo.bot', 'Bot', 'octo']);
    assert.ok(json['id'] > 1_000_000_000 && json['id'] < 2 ** 31);
    const { json: shown } = await server.call('/users/octo.bot', { token: null });
    assert.deepEqual([shown['id'], shown['name']], [json['id'], null], 'its name is for itself');
    assert.equal((await fetch(shown['avatar_url'] as string)).status, 200);
    const query = '{ viewer { login name databaseId } user(login: "octo.bot") { login name } }';
    const answer = await server.call('/graphql', { method: 'POST', token: value, body: { query } });
    assert.deepEqual(answer.json['data'], {
      viewer: { login: 'octo.bot', name: 'octo', databaseId: json['id'] },
      user: { login: 'octo.bot', name: null },
    });
    assert.equal((await server.call('/user', { token: personal })).json['type'], 'User');
  });

  test('it owns what it creates, and is addressed by its name', async () => {
    const { id, value } = await makeService('owner');
    for (const kind of KINDS) {
      const made = await create(value, 'results', kind);
      assert.equal(made['userId'], id);
      for (const reference of ['~results', 'owner.bot~results', `${id}~results`, made['id'] as string]) {
        const { status, json } = await server.call(`/v2/${kind}/${reference}`, { token: value });
        assert.deepEqual([status, json['data']?.id], [200, made['id']], reference);
      }
      const { json: listed } = await server.call(`/v2/${kind}`, { token: value });
      assert.deepEqual(
        listed['data'].items.map((item: Json) => [item['id'], item['username']]),
        [[made['id'], 'owner.bot']],
      );
    }
  });

  test('it and its creator see nothing of each other, and neither does a caller who resets it', async () => {
    const { id, value } = await makeService('apart');
    const mine = await create(personal, 'private-of-ada');
    const unnamed = await create(personal);
    const its = await create(value, 'private-of-bot');
    const statusOf = async (token: string, reference: unknown) =>
      (await server.call(`/v2/datasets/${reference as string}`, { token })).status;
    const reset = await server.call(`/api/v2/tokens/${id}/reset`, { method: 'POST' });
    const fresh = reset.json['token'] as string;
    assert.equal(await statusOf(fresh, its['id']), 200);
    for (const reference of [mine['id'], 'ada~private-of-ada'])
      assert.equal(await statusOf(fresh, reference), 404);
    assert.equal(await statusOf(fresh, unnamed['id']), 404);
    assert.equal(await statusOf(fresh, '~private-of-ada'), 404);
    assert.equal(await statusOf(personal, its['id']), 404);
    const { json } = await server.call('/v2/datasets?unnamed=1', { token: fresh });
    assert.deepEqual(
      json['data'].items.map((item: Json) => item['id']),
      [its['id']],
    );
  });

  test('it counts against the rate limit of its creator, and of no one else', async () => {
    const eve = await join(server, 'eve', { role: 'writer' });
    const tokens = [
      await giveToken(server, eve, { role: 'writer' }),
      await makeService('subject', eve),
      await makeService('other-subject', eve),
      await makeService('subject-of-ada'),
    ];
    const used = [];
    for (const { value } of tokens.slice(0, 3)) {
      used.push((await server.call('/user', { token: value })).headers.get('x-ratelimit-used'));
    }
    await server.call('/user', { token: tokens[3]!.value });
    const { json } = await server.call('/rate_limit', { token: tokens[1]!.value });
    assert.deepEqual([...used, json['resources'].core.used], ['1', '2', '3', 3]);
  });

  test('when it is deleted, the deleter gets its resources, under free names', async () => {
    const { id, value } = await makeService('leaver');
    const { value: heir } = await giveToken(server, await join(server, 'heir', { role: 'owner' }), {
      role: 'owner',
    });
    const long = 'x'.repeat(63);
    const kept = {
      shared: await create(heir, 'shared'),
      second: await create(heir, 'shared-2'),
      long: await create(heir, long),
    };
    const given = {
      shared: await create(value, 'Shared'),
      long: await create(value, long),
      only: await create(value, 'only'),
      unnamed: await create(value),
      queue: await create(value, 'shared', 'request-queues'),
    };
    await server.call(`/v2/datasets/${given.shared['id']}/items`, {
      method: 'POST',
      token: value,
      body: [{ a: 1 }],
    });
    assert.equal((await remove(id, heir)).status, 204);
    assert.equal((await server.call('/v2/users/me', { token: value })).status, 401);
    assert.equal((await server.call('/v2/users/leaver.bot')).status, 404);
    const nameOf = async (kind: string, storageId: unknown) =>
      (await server.call(`/v2/${kind}/${storageId as string}`, { token: heir })).json['data'].name as string;
    assert.equal(await nameOf('datasets', kept.shared['id']), 'shared');
    assert.equal(await nameOf('datasets', given.shared['id']), 'Shared-3');
    assert.equal(await nameOf('datasets', given.long['id']), `${'x'.repeat(61)}-2`);
    assert.equal(await nameOf('datasets', given.only['id']), 'only');
    assert.equal(await nameOf('datasets', given.unnamed['id']), null);
    assert.equal(await nameOf('request-queues', given.queue['id']), 'shared');
    const { text } = await server.call('/v2/datasets/~shared-3/items', { token: heir });
    assert.equal(text, '[{"a":1}]');
    const { json } = await server.call(`/api/v2/auditlog?spec=${encodeURIComponent(`service-token/${id}`)}`);
    const told = (json['items'] as Json[]).map(({ accesses }) => accesses[0].action as string);
    assert.deepEqual(told.toSorted(), ['deleteAccessToken', 'transferStorages']);
  });

  test('a token that deletes itself leaves its resources to its creator', async () => {
    const power = { isService: true, name: 'selfless', role: 'admin' as const };
    const { id, value } = await giveToken(server, ada, power);
    const { id: dataset } = await create(value, 'left-behind');
    assert.equal((await remove(id, value)).status, 204);
    assert.equal((await server.call(`/v2/datasets/${dataset as string}`, { token: personal })).status, 200);
  });

  test('it outlives its creator, and then leaves its resources to an owner', async () => {
    const bob = await join(server, 'bob', { role: 'writer' });
    const { id, value } = await giveToken(server, bob, { role: 'admin', name: 'orphan', isService: true });
    const { id: dataset } = await create(value, 'of-orphan');
    assert.equal((await server.call(`/api/v2/members/${bob.id}`, { method: 'DELETE' })).status, 204);
    assert.equal((await me(value))['username'], 'orphan.bot');
    assert.equal((await server.call(`/v2/datasets/${dataset as string}`, { token: value })).status, 200);
    assert.equal((await remove(id, value)).status, 204);
    // The cache has its old owner until the notification of the change arrives from the database.
    await eventually(async () => (await server.call(`/v2/datasets/${dataset as string}`)).status === 200);
  });

  test('of two that delete each other one stays, and owns the resources of both', async () => {
    const power = { isService: true, role: 'admin' as const };
    for (let round = 0; round < 5; round += 1) {
      const pair = [await giveToken(server, ada, power), await giveToken(server, ada, power)];
      const owned: unknown[] = [];
      for (const { value } of pair) owned.push((await create(value))['id']);
      const [one, other] = pair as [(typeof pair)[0], (typeof pair)[0]];
      const answers = await Promise.all([remove(other.id, one.value), remove(one.id, other.value)]);
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([204, 401]));
      const { value: token } = answers[0].status === 204 ? one : other;
      for (const dataset of owned) {
        assert.equal((await server.call(`/v2/datasets/${dataset as string}`, { token })).status, 200);
      }
    }
  });

  test('nothing it creates while it is deleted is left without an owner', async () => {
    const { id, value } = await makeService('hasty');
    await me(value);
    const making = Array.from({ length: 20 }, (_, index) =>
      server.call(`/v2/datasets?name=hasty-${index}`, { method: 'POST', token: value }),
    );
    const [answers] = await Promise.all([Promise.all(making), remove(id)]);
    const made = answers.filter(({ status }) => status === 201).map(({ json }) => json['data'].id as string);
    for (const { status } of answers) assert.ok(status === 201 || status === 401, `${status}`);
    for (const dataset of made) assert.equal((await server.call(`/v2/datasets/${dataset}`)).status, 200);
  });
});
