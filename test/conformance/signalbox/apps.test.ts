// Apps and installations over the Signalbox API: those who manage an account list them, suspend them and uninstall them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { generateAppKeys, type NewAppKeys } from '../../../src/host/apps/change-app.ts';
import { makeApp, type TestApp } from '../../app-people.ts';
import { onEachEngine } from '../../engines.ts';
import { expectAnswer } from '../../host-crew.ts';
import { joinHost, type HostPerson } from '../../host-people.ts';
import type { Json, TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';

const APPS = '/signalbox/v1/apps';
const INSTALLATIONS = '/signalbox/v1/installations';

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let bob: HostPerson;
  let robot: TestApp;
  /** Of apps that never call: keys take long to make. */
  let keys: NewAppKeys;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    ada = await joinHost(server, 'ada');
    bob = await joinHost(server, 'bob');
    robot = await makeApp(server, 'ada', {
      name: 'Robot',
      permissions: { metadata: 'read', issues: 'write' },
      events: ['issues'],
    });
    keys = await generateAppKeys(server.app.kernel, false);
  });
  after(() => server.stop());

  const itemsOf = async (who: HostPerson, path: string): Promise<Json[]> =>
    (await expectAnswer(200, who.get(path)))['items'] as Json[];

  test('the owner of an app sees it with what it asks for, and others do not', async () => {
    const [app] = await itemsOf(ada, APPS);
    const { createdAt, id, ...rest } = app!;
    assert.deepEqual([typeof createdAt, typeof id], ['number', 'number']);
    assert.deepEqual(rest, {
      slug: 'robot',
      name: 'Robot',
      isPublic: true,
      permissions: { metadata: 'read', issues: 'write' },
      events: ['issues'],
      installations: 0,
      settingsPath: '/settings/apps/robot',
      page: '/apps/robot',
    });
    assert.deepEqual(await itemsOf(bob, APPS), []);
  });

  test('an installation is suspended, given back and removed by its account alone', async () => {
    const installation = await robot.install('bob');
    const at = `${INSTALLATIONS}/${installation.number}`;
    const token = await robot.token(installation);
    const listed = await itemsOf(bob, INSTALLATIONS);
    assert.deepEqual(
      listed.map(({ app, account, repositories, asksForMore, suspendedAt, settingsPath }) => ({
        app,
        account,
        repositories,
        asksForMore,
        suspendedAt,
        settingsPath,
      })),
      [
        {
          app: { slug: 'robot', name: 'Robot' },
          account: { login: 'bob', kind: 'user' },
          repositories: 'all',
          asksForMore: false,
          suspendedAt: undefined,
          settingsPath: `/settings/installations/${installation.number}`,
        },
      ],
    );
    for (const [method, path] of [
      ['PUT', `${at}/suspended`],
      ['DELETE', `${at}/suspended`],
      ['DELETE', at],
    ] as const)
      assert.equal((await server.call(path, { method, token: ada.token })).status, 404);
    const works = async () => (await server.call('/installation/repositories', { token })).status;
    assert.equal(await works(), 200);
    const suspended = await expectAnswer(200, bob.put(`${at}/suspended`));
    assert.equal(typeof suspended['suspendedAt'], 'number');
    assert.notEqual(await works(), 200);
    const back = await expectAnswer(200, bob.delete(`${at}/suspended`));
    assert.equal(back['suspendedAt'], undefined);
    assert.equal(await works(), 200);
    await expectAnswer(204, bob.delete(at));
    assert.deepEqual(await itemsOf(bob, INSTALLATIONS), []);
    assert.notEqual(await works(), 200);
    assert.equal((await bob.delete(at)).status, 404);
  });

  test('an organization has its own lists, for its admins', async () => {
    const acme = { login: 'acme', admin: 'ada' };
    await expectAnswer(201, server.call('/admin/organizations', { method: 'POST', body: acme }));
    await expectAnswer(200, ada.put('/orgs/acme/memberships/bob', { role: 'member' }));
    const tool = await makeApp(server, 'acme', { name: 'Tool' }, keys);
    const installation = await tool.install('acme');
    assert.deepEqual(
      (await itemsOf(ada, `${APPS}?account=acme`)).map(({ settingsPath }) => settingsPath),
      ['/organizations/acme/settings/apps/tool'],
    );
    const [listed] = await itemsOf(ada, `${INSTALLATIONS}?account=acme`);
    assert.deepEqual(listed!['account'], { login: 'acme', kind: 'organization' });
    assert.equal((await bob.get(`${APPS}?account=acme`)).status, 403);
    assert.equal((await bob.get(`${INSTALLATIONS}?account=acme`)).status, 403);
    assert.equal((await bob.delete(`${INSTALLATIONS}/${installation.number}`)).status, 404);
    assert.equal((await ada.get(`${APPS}?account=nobody-here`)).status, 404);
  });

  test('lists go on with a cursor, and refuse one that is none', async () => {
    for (const name of ['First', 'Second']) await makeApp(server, 'bob', { name }, keys);
    const first = await expectAnswer(200, bob.get(`${APPS}?limit=1`));
    assert.deepEqual(
      (first['items'] as Json[]).map(({ slug }) => slug),
      ['first'],
    );
    const second = await expectAnswer(200, bob.get(`${APPS}?limit=1&cursor=${String(first['next'])}`));
    assert.deepEqual(
      (second['items'] as Json[]).map(({ slug }) => slug),
      ['second'],
    );
    assert.equal(second['next'], undefined);
    for (const cursor of ['-1', 'x', '99999999'])
      assert.equal((await bob.get(`${APPS}?cursor=${cursor}`)).status, 422, cursor);
  });
});
