// Apps on a running server: who they are, their installations, and what their tokens may do.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { makeApp, type TestApp } from '../../../app-people.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { startServerOn } from '../../../suites.ts';
import type { CallInit, Json, TestServer } from '../../../server.ts';
import { openReceiver, type WebhookReceiver } from '../../../webhook-receiver.ts';
import { checkWebhookPayload } from '../../../webhook-schemas.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let bob: HostPerson;
  let app: TestApp;
  let receiver: WebhookReceiver;
  let numbers: { open: number; secret: number; other: number };

  const as =
    (token: string) =>
    (path: string, init: CallInit = {}) =>
      server.call(path, { token, ...init });

  before(async () => {
    server = await startServerOn(engine, { limits: 'off', allowPrivateWebhooks: true });
    receiver = await openReceiver();
    [ada, bob] = [await joinHost(server, 'ada'), await joinHost(server, 'bob')];
    const { status } = await server.call('/admin/organizations', {
      method: 'POST',
      body: { login: 'acme', admin: 'ada' },
    });
    assert.equal(status, 201);
    const make = async (path: string, body: Json) => {
      const made = await ada.post(path, { auto_init: true, ...body });
      assert.equal(made.status, 201, made.text);
      return made.json['id'] as number;
    };
    numbers = {
      open: await make('/orgs/acme/repos', { name: 'open' }),
      secret: await make('/orgs/acme/repos', { name: 'secret', private: true }),
      other: await make('/orgs/acme/repos', { name: 'other', private: true }),
    };
    await bob.repository('own', { private: true, auto_init: true });
    app = await makeApp(server, 'ada', {
      name: 'Build Bot',
      permissions: { contents: 'write', statuses: 'write', members: 'read', repository_hooks: 'write' },
      events: ['push'],
    });
  });
  after(async () => {
    await server.stop();
    await receiver.close();
  });

  describe('an app', () => {
    test('is read by itself, and by everybody by its slug', async () => {
      const own = await app.call('/app');
      assert.equal(own.status, 200, own.text);
      assert.deepEqual(
        [own.json['slug'], own.json['name'], own.json['owner'].login, own.json['permissions'].metadata],
        ['build-bot', 'Build Bot', 'ada', 'read'],
      );
      const seen = await server.call('/apps/build-bot', { token: null });
      assert.deepEqual([seen.status, seen.json['id']], [200, app.app.number]);
      assert.equal(seen.json['installations_count'], undefined);
      assert.equal((await server.call('/apps/nobody', { token: null })).status, 404);
      const hidden = await makeApp(server, 'ada', { name: 'Hidden', isPublic: false });
      assert.equal((await bob.get('/apps/hidden')).status, 404);
      assert.equal((await ada.get('/apps/hidden')).status, 200);
      assert.equal((await hidden.call('/apps/hidden')).status, 200);
      const users = await server.call('/users?per_page=100', { token: null });
      assert.match(users.text, /"login":"ada"/);
      assert.doesNotMatch(users.text, /hidden/);
    });

    test('has an account of its own, which is a bot', async () => {
      const bot = await server.call('/users/build-bot%5Bbot%5D', { token: null });
      assert.deepEqual([bot.status, bot.json['login'], bot.json['type']], [200, 'build-bot[bot]', 'Bot']);
      assert.equal(bot.json['html_url'], `${server.url}/apps/build-bot`);
      assert.equal((await server.call(`/user/${bot.json['id']}`)).json['login'], 'build-bot[bot]');
      assert.equal((await server.call(`/avatars/${bot.json['id']}`)).status, 200);
    });

    test('calls nothing but what is for apps', async () => {
      for (const path of [
        '/user',
        '/user/repos',
        '/repos/acme/secret',
        '/installation/repositories',
        '/orgs/acme',
      ])
        assert.equal((await app.call(path)).status, 403, path);
      assert.equal((await app.call('/meta')).status, 200);
      assert.equal((await app.call('/api/v2/projects')).status, 401);
      for (const token of [ada.token, null]) {
        const refused = await server.call('/app', { token });
        assert.deepEqual(
          [refused.status, refused.json['message']],
          [401, 'A JSON web token could not be decoded'],
        );
      }
    });
  });

  describe('an installation', () => {
    test('is listed, read, found by account and repository, and by those who have it', async () => {
      const installation = await app.install('acme', [numbers.open, numbers.secret]);
      const { number } = installation;
      const list = await app.call('/app/installations');
      assert.deepEqual(
        (list.json as Json[]).map(({ id }) => id),
        [number],
      );
      const read = await app.call(`/app/installations/${number}`);
      assert.deepEqual(
        [
          read.status,
          read.json['account'].login,
          read.json['repository_selection'],
          read.json['target_type'],
        ],
        [200, 'acme', 'selected', 'Organization'],
      );
      for (const path of ['/orgs/acme/installation', '/repos/acme/secret/installation'])
        assert.equal((await app.call(path)).json['id'], number, path);
      for (const path of [
        '/users/bob/installation',
        '/repos/acme/other/installation',
        '/repos/bob/own/installation',
      ])
        assert.equal((await app.call(path)).status, 404, path);
      for (const id of ['0', '999999', '99999999999999999999', 'x'])
        assert.equal((await app.call(`/app/installations/${id}`)).status, 404, id);
      const second = await makeApp(server, 'bob', { name: 'Second' });
      const onBob = await second.install('bob');
      assert.equal((await second.call('/users/bob/installation')).json['id'], onBob.number);
      assert.equal((await second.call(`/app/installations/${number}`)).status, 404);
      const mine = await ada.get('/user/installations');
      assert.deepEqual([mine.json['total_count'], mine.json['installations'][0].id], [1, number]);
      assert.equal((await ada.get('/orgs/acme/installations')).json['total_count'], 1);
      assert.equal((await bob.get('/orgs/acme/installations')).status, 403);
      const repositories = await ada.get(`/user/installations/${number}/repositories`);
      assert.equal(repositories.json['total_count'], 2);
      assert.equal((await bob.get(`/user/installations/${number}/repositories`)).status, 404);
    });

    test('gets and loses repositories by an admin of them', async () => {
      const { id } = (await app.call('/orgs/acme/installation')).json;
      const path = `/user/installations/${id}/repositories/${numbers.other}`;
      assert.equal((await bob.put(path)).status, 404);
      assert.equal((await ada.put(path)).status, 204);
      assert.equal((await app.call('/repos/acme/other/installation')).status, 200);
      assert.equal((await ada.delete(path)).status, 204);
      assert.equal((await app.call('/repos/acme/other/installation')).status, 404);
      assert.equal((await ada.put(`/user/installations/${id}/repositories/424242`)).status, 404);
    });
  });

  describe('the token of an installation', () => {
    const installed = async () => {
      const { json } = await app.call('/orgs/acme/installation');
      return { number: json['id'] as number };
    };

    test('reaches the repositories of the installation, and what is public', async () => {
      const token = await app.token(await installed());
      assert.match(token, /^ghs_\w+$/);
      const call = as(token);
      const list = await call('/installation/repositories');
      assert.equal(list.status, 200, list.text);
      assert.deepEqual(
        list.json['repositories'].map(({ name }: Json) => name),
        ['open', 'secret'],
      );
      assert.equal((await call('/repos/acme/secret')).status, 200);
      assert.equal((await call('/repos/acme/secret/contents/README.md')).status, 200);
      for (const path of ['/repos/acme/other', '/repos/bob/own', '/repos/acme/other/commits'])
        assert.equal((await call(path)).status, 404, path);
      const names = ((await call('/orgs/acme/repos')).json as Json[]).map(({ name }) => name as string);
      assert.deepEqual(names.toSorted(), ['open', 'secret']);
      assert.equal((await call('/orgs/acme/members')).status, 200);
      assert.equal((await call('/repos/acme/secret/hooks')).status, 200);
    });

    test('writes as the bot', async () => {
      const call = as(await app.token(await installed()));
      const { status, text, json } = await call('/repos/acme/secret/contents/made.txt', {
        method: 'PUT',
        body: { message: 'Made', content: Buffer.from('x').toString('base64') },
      });
      assert.equal(status, 201, text);
      const commit = await call(`/repos/acme/secret/commits/${json['commit'].sha}`);
      assert.equal(commit.json['author'].login, 'build-bot[bot]');
      const made = await call(`/repos/acme/secret/statuses/${json['commit'].sha}`, {
        method: 'POST',
        body: { state: 'success' },
      });
      assert.deepEqual([made.status, made.json['creator'].login], [201, 'build-bot[bot]'], made.text);
    });

    test('is refused what its permissions do not have, and what needs a person', async () => {
      const call = as(await app.token(await installed()));
      for (const [method, path] of [
        ['GET', '/user'],
        ['GET', '/user/repos'],
        ['PUT', '/user/starred/acme/secret'],
        ['PATCH', '/repos/acme/secret'],
        ['DELETE', '/repos/acme/secret'],
        ['PUT', '/repos/acme/secret/collaborators/bob'],
        ['PATCH', '/orgs/acme'],
        ['POST', '/orgs/acme/repos'],
        ['PUT', '/orgs/acme/memberships/bob'],
        ['GET', '/orgs/acme/hooks'],
        ['POST', '/user/orgs'],
      ] as const) {
        const { status, json } = await call(path, { method, ...(method !== 'GET' && { body: {} }) });
        assert.deepEqual(
          [status, json['message']],
          [403, 'Resource not accessible by integration'],
          `${method} ${path}`,
        );
      }
      assert.equal((await call('/app')).status, 401);
      assert.equal((await call('/api/v2/projects')).status, 401);
    });

    test('is narrowed to repositories and permissions, never beyond the installation', async () => {
      const on = await installed();
      const path = `/app/installations/${on.number}/access_tokens`;
      const made = await app.call(path, {
        method: 'POST',
        body: { repositories: ['Secret'], permissions: { statuses: 'read' } },
      });
      assert.equal(made.status, 201, made.text);
      assert.deepEqual(made.json['permissions'], { statuses: 'read', metadata: 'read' });
      assert.equal(made.headers.get('cache-control'), 'no-store');
      assert.deepEqual(
        [made.json['repository_selection'], made.json['repositories'].map(({ id }: Json) => id)],
        ['selected', [numbers.secret]],
      );
      const call = as(made.json['token'] as string);
      assert.equal((await call('/repos/acme/secret')).status, 200);
      assert.equal((await call('/repos/acme/secret/contents/README.md')).status, 403);
      assert.equal((await call('/repos/acme/open/contents/README.md')).status, 200, 'what is public');
      assert.equal((await call('/repos/acme/open/statuses/x', { method: 'POST', body: {} })).status, 403);
      assert.equal((await call('/installation/repositories')).json['total_count'], 1);
      for (const body of [
        { repositories: ['other'] },
        { repositories: ['nowhere'] },
        { repository_ids: [numbers.other] },
        { repository_ids: [999_999] },
        { repository_ids: [1e300] },
        { permissions: { administration: 'write' } },
        { permissions: { members: 'write' } },
        { permissions: { contents: 'admin' } },
        { permissions: { nonsense: 'read' } },
        { permissions: { __proto__x: 'read' } },
        { permissions: 'all' },
        { repositories: 'secret' },
        { repository_ids: ['x'] },
        { repository_ids: Array.from({ length: 501 }, (_, index) => index + 1) },
      ]) {
        const refused = await app.call(path, { method: 'POST', body });
        assert.equal(refused.status, 422, JSON.stringify(body).slice(0, 80) + refused.text);
      }
    });

    test('ends when it is revoked, and after an hour', async () => {
      const on = await installed();
      const [one, two] = [await app.token(on), await app.token(on)];
      assert.equal((await as(one)('/installation/token', { method: 'DELETE' })).status, 204);
      assert.equal((await as(one)('/installation/repositories')).status, 401);
      assert.equal((await as(two)('/installation/repositories')).status, 200);
      assert.equal((await ada.get('/installation/repositories')).status, 403);
      assert.equal((await ada.delete('/installation/token')).status, 403);
      server.clock.ahead += 61 * 60 * 1000;
      assert.equal((await as(two)('/installation/repositories')).status, 401);
      server.clock.ahead -= 61 * 60 * 1000;
    });

    test('is refused while the installation is suspended', async () => {
      const on = await installed();
      const token = await app.token(on);
      const path = `/app/installations/${on.number}/suspended`;
      assert.equal((await as(token)('/installation/repositories')).status, 200);
      assert.equal((await app.call(path, { method: 'PUT' })).status, 204);
      assert.equal((await as(token)('/installation/repositories')).status, 401);
      assert.ok((await app.call(`/app/installations/${on.number}`)).json['suspended_at']);
      const refused = await app.call(`/app/installations/${on.number}/access_tokens`, { method: 'POST' });
      assert.deepEqual(
        [refused.status, refused.json['message']],
        [403, 'This installation has been suspended'],
      );
      assert.equal((await app.call(path, { method: 'DELETE' })).status, 204);
      assert.equal((await as(token)('/installation/repositories')).status, 200);
    });
  });

  describe('uninstalling', () => {
    for (const [version, expected] of [
      ['2022-11-28', 204],
      ['2026-03-10', 202],
    ] as const)
      test(`H20 an installation is removed in the background: ${expected} in version ${version}`, async () => {
        const place = `/fleeting-${version}`;
        const fleeting = await makeApp(server, 'ada', {
          name: `Fleeting ${version}`,
          hook: { url: receiver.url + place, isActive: true, contentType: 'json', insecureSsl: false },
        });
        const { number } = await fleeting.install('ada');
        const token = await fleeting.token({ number });
        const path = `/app/installations/${number}`;
        const removed = await fleeting.call(path, {
          method: 'DELETE',
          headers: { 'x-github-api-version': version },
        });
        assert.equal(removed.status, expected, removed.text);
        assert.equal(removed.text, '');
        assert.equal(removed.headers.get('content-length'), expected === 204 ? null : '0');
        // It has no rights at once; it may be readable until the background work is done, and is gone then.
        assert.equal((await as(token)('/installation/repositories')).status, 401);
        const tokens = await fleeting.call(`${path}/access_tokens`, { method: 'POST' });
        assert.equal(tokens.status, 404, tokens.text);
        await eventually(async () => {
          const { status, text } = await fleeting.call(path);
          assert.ok(status === 200 || status === 404, text);
          return status === 404;
        }, 'the removal of the installation');
        assert.equal((await fleeting.call(path)).status, 404);
        assert.equal((await fleeting.call(path, { method: 'DELETE' })).status, 404);
        assert.deepEqual((await fleeting.call('/app/installations')).json, []);
        // Deliveries do not wait for each other.
        const heard = (await receiver.wait(place, 2)).toSorted((one, other) =>
          one.json['action'].localeCompare(other.json['action']),
        );
        for (const one of heard) checkWebhookPayload('installation', one.json);
        assert.deepEqual(
          heard.map(({ headers, json }) => [
            headers['x-github-event'],
            json['action'],
            json['installation'].id,
          ]),
          [
            ['installation', 'created', number],
            ['installation', 'deleted', number],
          ],
        );
        assert.equal(heard[1]!.json['installation'].account.login, 'ada');
        await fleeting.install('ada');
      });
  });
});
