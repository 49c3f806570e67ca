// What apps hear when accounts with installations end, and when repositories leave installations, on a running server.
import assert from 'node:assert/strict';
import { makeApp, type TestApp } from '../../../app-people.ts';
import { onEachEngine } from '../../../engines.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { openReceiver, type ReceivedWebhook, type WebhookReceiver } from '../../../webhook-receiver.ts';
import { checkWebhookPayload } from '../../../webhook-schemas.ts';
import { createTestOrganization } from '../organization-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let receiver: WebhookReceiver;
  let ada: HostPerson;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off', allowPrivateWebhooks: true });
    receiver = await openReceiver();
    ada = await joinHost(server, 'ada');
  });
  after(async () => {
    await server.stop();
    await receiver.close();
  });

  const hearing = async (name: string, isActive = true): Promise<TestApp> =>
    await makeApp(server, 'ada', {
      name,
      permissions: { contents: 'read' },
      hook: { url: `${receiver.url}/${name}`, isActive, contentType: 'json', insecureSsl: false },
    });

  async function expect(status: number, answer: Promise<Answer>): Promise<Json> {
    const got = await answer;
    assert.equal(got.status, status, got.text);
    return got.text === '' ? {} : got.json;
  }

  /** What was committed with the change, whether or not it is delivered already. */
  async function recorded({ app }: TestApp): Promise<string[]> {
    const rows = await server.app.kernel.db
      .selectFrom('host_events')
      .select(['name', 'action'])
      .where('app_number', '=', app.number)
      .orderBy('number')
      .execute();
    return rows.map(({ name, action }) => `${name}.${action}`);
  }

  const seen = new Set<ReceivedWebhook>();

  /** The payload of the last of so many events. Deliveries do not wait for each other, so it may arrive before earlier ones. */
  async function heard(testApp: TestApp, count: number): Promise<Json> {
    const all = await receiver.wait(`/${testApp.app.name}`, count);
    for (const { headers, json } of all) checkWebhookPayload(headers['x-github-event'] as string, json);
    assert.equal(all.length, count);
    const last = (await recorded(testApp)).at(-1);
    const found = all.findLast(
      (one) => !seen.has(one) && [one.headers['x-github-event'], one.json['action']].join('.') === last,
    );
    for (const one of all) seen.add(one);
    return found!.json;
  }

  const namesIn = (repositories: Json[]) => repositories.map((one) => one['full_name'] as string);

  test('a repository that is deleted or transferred leaves its installations, and their apps hear of it', async () => {
    const cy = await joinHost(server, 'cy');
    const eve = await joinHost(server, 'eve');
    const [gone, moved] = [
      await eve.repository('gone', { private: true }),
      await eve.repository('moved', { private: true }),
    ].map((made) => made['id'] as number) as [number, number];
    await eve.repository('other', { private: true });
    const some = await hearing('some');
    const all = await hearing('all');
    const { number } = await some.install('eve', [gone, moved]);
    await all.install('eve');

    await expect(204, eve.delete('/repos/eve/gone'));
    const created = 'installation.created';
    const removed = 'installation_repositories.removed';
    assert.deepEqual(await recorded(some), [created, removed]);
    assert.deepEqual(await recorded(all), [created, removed]);
    const first = await heard(some, 2);
    assert.deepEqual(
      [
        first['installation'].id,
        namesIn(first['repositories_removed']),
        first['repositories_added'],
        first['repository_selection'],
        first['sender'].login,
      ],
      [number, ['eve/gone'], [], 'selected', 'eve'],
    );

    const body = { new_owner: cy.login, new_name: 'arrived' };
    await expect(202, server.call('/repos/eve/moved/transfer', { method: 'POST', body }));
    assert.deepEqual(await recorded(some), [created, removed, removed]);
    const second = await heard(some, 3);
    assert.deepEqual(
      [namesIn(second['repositories_removed']), second['installation'].account.login],
      [['eve/moved'], 'eve'],
    );
    assert.equal((await heard(all, 3))['repository_selection'], 'all');

    // One that is not selected leaves nothing, nor does one that only gets another name.
    await expect(200, eve.call('/repos/eve/other', { method: 'PATCH', body: { name: 'renamed' } }));
    assert.equal((await recorded(all)).length, 3);
    await expect(204, eve.delete('/repos/eve/renamed'));
    assert.equal((await recorded(some)).length, 3);
    assert.deepEqual(namesIn((await heard(all, 4))['repositories_removed']), ['eve/renamed']);
    const entries = await server.call('/api/v2/auditlog?limit=20');
    assert.ok(
      (entries.json['items'] as Json[]).some(
        ({ titleVerb }) => titleVerb === 'changed the repositories of the app',
      ),
      entries.text.slice(0, 500),
    );
  });

  test('a selection follows a repository to another name, and ends when it gets another owner', async () => {
    const fay = await joinHost(server, 'fay');
    await createTestOrganization(server, 'haven', { admin: 'fay' });
    const id = (await fay.repository('kept', { auto_init: true }))['id'] as number;
    const some = await makeApp(server, 'fay', { name: 'follows', permissions: { contents: 'read' } });
    const whole = await makeApp(server, 'fay', { name: 'whole', permissions: { contents: 'read' } });
    const { number } = await some.install('fay', [id]);
    const tokens = {
      some: await some.token({ number }, { repositories: ['kept'] }),
      all: await whole.token(await whole.install('fay')),
      there: await whole.token(await whole.install('haven')),
    };
    /** Who reads its contents, or is led to them. */
    const readers = async (name: string) => {
      const path = `/repos/${name}/contents`;
      const answers = Object.entries(tokens).map(async ([who, token]) => {
        const { status } = await server.call(path, { token });
        assert.ok([200, 301, 404].includes(status), `${who} ${status}`);
        return status === 404 ? [] : [who];
      });
      return (await Promise.all(answers)).flat();
    };
    const listed = async () => {
      const { json } = await server.call('/installation/repositories', { token: tokens.some });
      return namesIn(json['repositories'] as Json[]);
    };
    await expect(200, fay.patch('/repos/fay/kept', { name: 'named' }));
    assert.deepEqual(await listed(), ['fay/named']);
    assert.deepEqual(await readers('fay/named'), ['some', 'all', 'there']);
    await expect(200, fay.patch('/repos/fay/named', { private: true }));
    assert.deepEqual(await readers('fay/named'), ['some', 'all']);
    // A fork belongs to whom it belongs, whatever selects its source.
    await expect(202, fay.post('/repos/fay/named/forks', { organization: 'haven', name: 'fork' }));
    assert.deepEqual(await readers('haven/fork'), ['there']);
    await expect(204, fay.delete('/repos/haven/fork'));

    await expect(202, fay.post('/repos/fay/named/transfer', { new_owner: 'haven' }));
    assert.deepEqual(await readers('haven/named'), ['there']);
    // The former address leads to it, and tells nobody that it is there.
    assert.deepEqual(await readers('fay/named'), ['there']);
    assert.deepEqual(await listed(), []);
    await expect(404, some.call('/repos/haven/named/installation'));
    await expect(200, whole.call('/repos/haven/named/installation'));

    await expect(202, fay.post('/repos/haven/named/transfer', { new_owner: 'fay' }));
    assert.deepEqual(await readers('fay/named'), ['all']);
    assert.deepEqual(await listed(), []);
    const again = { method: 'POST', body: { repository_ids: [id] } };
    await expect(422, some.call(`/app/installations/${number}/access_tokens`, again));
    // Its number stays: who selects it again gives back what the token had.
    await expect(204, fay.put(`/user/installations/${number}/repositories/${id}`));
    assert.deepEqual(await readers('fay/named'), ['some', 'all']);
    await expect(204, fay.delete('/repos/fay/named'));
    assert.deepEqual([await readers('fay/named'), await listed()], [[], []]);
  });

  test('an app hears of an installation that ends with a member', async () => {
    const dan = await joinHost(server, 'dan');
    const made = await dan.repository('kept', { private: true });
    const app = await hearing('of-member');
    const { number } = await app.install('dan', [made['id'] as number]);
    const token = await app.token({ number });
    await expect(204, server.call(`/api/v2/members/${dan.member.id}`, { method: 'DELETE' }));
    assert.deepEqual(await recorded(app), ['installation.created', 'installation.deleted']);
    assert.equal((await server.call('/installation/repositories', { token })).status, 401);
    assert.equal((await app.call(`/app/installations/${number}`)).status, 404);
    const told = await heard(app, 2);
    assert.deepEqual(
      [
        told['action'],
        told['installation'].id,
        told['installation'].account.login,
        namesIn(told['repositories']),
        told['sender'].login,
      ],
      ['deleted', number, 'dan', ['dan/kept'], 'admin'],
    );
  });

  test('an app hears of an installation that ends with a service token', async () => {
    const service = await expect(
      201,
      server.call('/api/v2/tokens', {
        method: 'POST',
        body: { name: 'robot', role: 'admin', serviceToken: true },
      }),
    );
    const token = service['token'] as string;
    const { login } = await expect(200, server.call('/user', { token }));
    const app = await hearing('of-token');
    const { number } = await app.install(login as string);
    await expect(204, server.call(`/api/v2/tokens/${service['_id']}`, { method: 'DELETE' }));
    assert.deepEqual(await recorded(app), ['installation.created', 'installation.deleted']);
    const told = await heard(app, 2);
    assert.deepEqual([told['installation'].id, told['installation'].account.login], [number, login]);
  });

  test('an app hears of an installation that ends with an organization, and not of each repository', async () => {
    await createTestOrganization(server, 'guild', { admin: 'ada' });
    await expect(201, ada.post('/orgs/guild/repos', { name: 'one', private: true }));
    await expect(201, ada.post('/orgs/guild/repos', { name: 'two' }));
    const app = await hearing('of-organization');
    const silent = await hearing('silent', false);
    const { number } = await app.install('guild');
    await silent.install('guild');
    await expect(202, ada.delete('/orgs/guild'));
    assert.deepEqual(await recorded(app), ['installation.created', 'installation.deleted']);
    const told = await heard(app, 2);
    assert.deepEqual(
      [told['installation'].id, told['installation'].account.login, namesIn(told['repositories']).toSorted()],
      [number, 'guild', ['guild/one', 'guild/two']],
    );
    assert.deepEqual((await app.call('/app/installations')).json, []);
    assert.deepEqual(receiver.at('/silent'), []);
  });

  test('an organization that may not be deleted keeps its installations, and nobody hears of it', async () => {
    await createTestOrganization(server, 'union', { admin: 'ada' });
    const app = await hearing('kept');
    const { number } = await app.install('union');
    const stranger = await joinHost(server, 'stranger');
    assert.equal((await stranger.delete('/orgs/union')).status, 403);
    assert.equal((await app.call(`/app/installations/${number}`)).status, 200);
    assert.deepEqual(await recorded(app), ['installation.created']);
  });
});
