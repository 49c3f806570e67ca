// The pages on which the owner of an app changes it, its keys and its rights, on a running server.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readAppManifest } from '../../../../src/host/app-manifests/manifest.ts';
import type { HostApp } from '../../../../src/host/apps/app.ts';
import { generateAppKeys, type NewAppKeys } from '../../../../src/host/apps/change-app.ts';
import { findApp, listAppKeys } from '../../../../src/host/apps/store.ts';
import { AppBrowser, MANIFEST, tokenIn } from '../../../app-forms.ts';
import { makeApp, signedJwt, type TestApp } from '../../../app-people.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { openReceiver, type WebhookReceiver } from '../../../webhook-receiver.ts';
import { checkWebhookPayload } from '../../../webhook-schemas.ts';
import { createTestOrganization } from '../organization-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let receiver: WebhookReceiver;
  let ada: HostPerson;
  let browser: AppBrowser;
  let other: AppBrowser;
  let keys: NewAppKeys;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off', allowPrivateWebhooks: true });
    receiver = await openReceiver();
    keys = await generateAppKeys(server.app.kernel, true);
    ada = await joinHost(server, 'ada');
    const eve = await joinHost(server, 'eve');
    await createTestOrganization(server, 'acme', { admin: 'ada', members: ['eve'] });
    browser = await AppBrowser.open(server, ada.member);
    other = await AppBrowser.open(server, eve.member);
  });
  after(async () => {
    await server.stop();
    await receiver.close();
  });

  interface Registered extends TestApp {
    /** Where it is changed. */
    page: string;
  }

  async function register(name: string, more: Json = {}, settings = '/settings'): Promise<Registered> {
    const manifest = readAppManifest(JSON.stringify({ ...MANIFEST, name, public: true, ...more }), () => {});
    const hook = { ...manifest.hook, contentType: 'json' as const, insecureSsl: false };
    const owner = settings === '/settings' ? 'ada' : 'acme';
    const made = await makeApp(server, owner, { ...manifest, hook }, keys);
    return { ...made, page: `${settings}/apps/${made.app.slug}` };
  }

  /** Sends a form of the page of an app. */
  async function send(page: string, action: string, fields: Record<string, string | string[]> = {}) {
    return await browser.post(page, { token: tokenIn(await browser.get(page)), action, ...fields });
  }

  async function expectSent(page: string, action: string, fields: Record<string, string | string[]> = {}) {
    const answer = await send(page, action, fields);
    assert.equal(answer.status, 204, answer.text);
    assert.equal(answer.headers.get('location'), page);
  }

  const read = async ({ app }: Registered): Promise<HostApp> =>
    (await findApp(server.app.kernel.db, app.number))!;
  /** As the app, with one of its keys. */
  const callWith = ({ app }: Registered, pem: string): Promise<Answer> => {
    const now = Math.floor(server.app.kernel.clock.now() / 1000);
    return server.call('/app', { token: signedJwt(pem, { iat: now - 30, exp: now + 500, iss: app.number }) });
  };
  /** The secret that a page shows. */
  const shownIn = ({ text, status }: Answer): string => {
    assert.equal(status, 200, text);
    return /<code>([^<]+)<\/code><\/pre>/.exec(text)![1]!;
  };
  const rightsOf = (permissions: Json, events: string[] = []) => ({
    ...Object.fromEntries(
      Object.entries(permissions).map(([name, level]) => [`permission.${name}`, level as string]),
    ),
    event: events,
  });

  test('the apps of an account are listed for those who manage it', async () => {
    await register('Mine');
    await register('Theirs', {}, '/organizations/acme/settings');
    assert.match((await browser.get('/settings/apps')).text, /href="\/settings\/apps\/mine"/);
    const acme = '/organizations/acme/settings/apps';
    assert.match((await browser.get(acme)).text, /href="\/organizations\/acme\/settings\/apps\/theirs"/);
    assert.match((await other.get('/settings/apps')).text, /There are none/);
    assert.equal((await other.get(acme)).status, 403);
    for (const [who, path] of [
      [other, '/settings/apps/mine'],
      [other, `${acme}/theirs`],
      [other, '/settings/apps/theirs'],
      [browser, '/settings/apps/theirs'],
      [browser, `${acme}/mine`],
      [browser, '/settings/apps/none'],
    ] as const)
      assert.equal((await who.get(path)).status, 404, path);
    const anonymous = await server.call('/settings/apps/mine', { token: null });
    assert.deepEqual(
      [anonymous.status, anonymous.headers.get('location')],
      [303, '/session?return=%2Fsettings%2Fapps%2Fmine'],
    );
  });

  test('forms of other sites, of other sessions and of other apps change nothing', async () => {
    const { page, app } = await register('Guarded');
    const another = await register('Another');
    const form = { token: tokenIn(await browser.get(page)), action: 'delete', confirm: 'guarded' };
    for (const origin of ['https://evil.example', 'null'])
      assert.equal((await browser.post(page, form, { origin })).status, 403);
    assert.equal((await other.post(page, form)).status, 403);
    assert.equal((await browser.post(page, { ...form, token: '' })).status, 403);
    assert.equal((await browser.post(another.page, { ...form, confirm: another.app.slug })).status, 403);
    assert.equal((await send(page, 'unknown')).status, 400);
    assert.equal((await send(page, 'toString')).status, 400);
    // A token for one's own page is none for that of somebody else.
    const theirs = { ...form, token: tokenIn(await browser.get(page)) };
    assert.equal((await other.post(page, theirs)).status, 403);
    assert.ok(await findApp(server.app.kernel.db, app.number));
  });

  test('what an app says of itself is changed, and checked', async () => {
    const made = await register('About', { setup_url: 'https://a.test/setup' });
    const about = { url: 'https://b.test', description: 'two\r\nlines', setup_url: '' };
    await expectSent(made.page, 'about', about);
    const app = await read(made);
    assert.deepEqual(
      [app.externalUrl, app.description, app.isPublic, app.urls.setup, app.urls.redirect],
      ['https://b.test', 'two\nlines', false, null, MANIFEST.redirect_url],
    );
    assert.equal((await server.call('/apps/about', { token: null })).status, 404);
    for (const bad of [
      { url: '' },
      { url: 'javascript:alert(1)' },
      { url: 'https://a:b@c.test' },
      { setup_url: 'data:text/html,x' },
      { description: 'x'.repeat(2001) },
      { description: 'a\0b' },
      { url: `https://a.test/${'x'.repeat(2050)}` },
    ])
      assert.equal((await send(made.page, 'about', { ...about, ...bad })).status, 422, JSON.stringify(bad));
    assert.deepEqual((await read(made)).externalUrl, 'https://b.test');
    const hostile = '"><script>alert(1)</script>';
    await expectSent(made.page, 'about', { ...about, description: hostile });
    assert.doesNotMatch((await browser.get(made.page)).text, /<script/);
  });

  test('a key is made and revoked, and the last one stays', async () => {
    const made = await register('Keys');
    const first = made.pem;
    const answer = await send(made.page, 'new-key');
    const second = shownIn(answer);
    assert.match(second, /^-----BEGIN RSA PRIVATE KEY-----/);
    assert.match(answer.headers.get('cache-control')!, /no-store/);
    for (const pem of [first, second]) assert.equal((await callWith(made, pem)).status, 200);
    const { text } = await browser.get(made.page);
    const numbers = [...text.matchAll(/name="key" value="(\d+)"/g)].map(([, number]) => number!);
    assert.equal(numbers.length, 2);
    const [newest, oldest] = numbers as [string, string];
    await expectSent(made.page, 'revoke-key', { key: oldest });
    assert.deepEqual(
      [(await callWith(made, first)).status, (await callWith(made, second)).status],
      [401, 200],
    );
    assert.equal((await send(made.page, 'revoke-key', { key: oldest })).status, 404);
    assert.equal((await send(made.page, 'revoke-key', { key: newest })).status, 422);
    assert.equal((await send(made.page, 'revoke-key', { key: 'x' })).status, 404);
    // Nor that of another app.
    const foreign = await register('Foreign Keys');
    await send(foreign.page, 'new-key');
    assert.equal((await send(foreign.page, 'revoke-key', { key: newest })).status, 404);
    assert.equal((await callWith(made, second)).status, 200);
    assert.equal(JSON.stringify(server.log).includes('PRIVATE KEY'), false);
  });

  test('an app has ten keys at most', async () => {
    const made = await register('Many Keys');
    const { db } = server.app.kernel;
    const { publicKey } = (await listAppKeys(db, made.app.number))[0]!;
    const rows = Array.from({ length: 8 }, () => ({
      app_number: made.app.number,
      public_key: publicKey,
      created_at: 1,
    }));
    await db.insertInto('host_app_keys').values(rows).execute();
    const answers = await Promise.all([1, 2, 3].map(() => send(made.page, 'new-key')));
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 422, 422],
    );
    assert.equal((await made.call('/app')).status, 200);
  });

  test('secrets are renewed, shown once, and kept hashed or sealed', async () => {
    const url = `${receiver.url}/renewed`;
    const made = await register('Renewed', { hook_attributes: { url } });
    const earlier = await server.app.kernel.db
      .selectFrom('host_apps')
      .selectAll()
      .where('number', '=', made.app.number)
      .executeTakeFirstOrThrow();
    const client = shownIn(await send(made.page, 'client-secret'));
    const hook = shownIn(await send(made.page, 'hook-secret'));
    assert.match(client, /^[0-9a-f]{40}$/);
    assert.notEqual(hook, keys.shown.webhookSecret);
    const row = await server.app.kernel.db
      .selectFrom('host_apps')
      .selectAll()
      .where('number', '=', made.app.number)
      .executeTakeFirstOrThrow();
    assert.notEqual(row.client_secret_hash, earlier.client_secret_hash);
    assert.equal(server.app.kernel.secrets.open(row.hook_secret!), hook);
    const page = (await browser.get(made.page)).text;
    for (const secret of [client, hook]) {
      assert.equal(JSON.stringify(row).includes(secret), false);
      assert.equal(page.includes(secret), false);
    }
  });

  test('the webhook is changed, turned off and removed', async () => {
    const made = await register('Hooked');
    await expectSent(made.page, 'hook', { hook_url: `${receiver.url}/hooked`, hook_active: 'on' });
    assert.deepEqual((await made.call('/app/hook/config')).json['url'], `${receiver.url}/hooked`);
    await browser.install('hooked', 'ada');
    await receiver.wait('/hooked', 1);
    await expectSent(made.page, 'hook', { hook_url: `${receiver.url}/hooked` });
    assert.equal((await read(made)).hook.isActive, false);
    for (const bad of ['file:///etc/passwd', 'x', 'http://a:b@c.test/'])
      assert.equal((await send(made.page, 'hook', { hook_url: bad })).status, 422, bad);
    await expectSent(made.page, 'hook', { hook_url: '', hook_active: 'on' });
    const { url, isActive } = (await read(made)).hook;
    assert.deepEqual([url, isActive], [null, false]);
  });

  test('installations lose at once what the app gives up, and get more when their account agrees', async () => {
    const hook_attributes = { url: `${receiver.url}/rights` };
    const made = await register('Rights', {
      default_permissions: { contents: 'write', statuses: 'write' },
      default_events: ['push', 'status'],
      hook_attributes,
    });
    const repository = await ada.repository('ruled', { private: true });
    const number = await browser.install('rights', 'ada', [repository['id'] as number]);
    const token = await made.token({ number });
    const write = () =>
      server.call(`/repos/ada/ruled/contents/${Math.random()}`, {
        method: 'PUT',
        token,
        body: { message: 'm', content: '' },
      });
    const granted = async () => {
      const { json } = await made.call(`/app/installations/${number}`);
      return [json['permissions'], json['events']];
    };
    assert.equal((await write()).status, 201);

    await expectSent(made.page, 'rights', rightsOf({ contents: 'read', issues: 'read' }, ['push', 'issues']));
    const refused = await write();
    assert.equal(refused.status, 403, refused.text);
    assert.deepEqual(await granted(), [{ contents: 'read', metadata: 'read' }, ['push']]);
    assert.equal((await server.call('/repos/ada/ruled/contents', { token })).status, 200);
    const access = `/app/installations/${number}/access_tokens`;
    const more = { method: 'POST', body: { permissions: { contents: 'write' } } };
    assert.equal((await made.call(access, more)).status, 422);

    // What it asks for again needs a new consent.
    await expectSent(
      made.page,
      'rights',
      rightsOf({ contents: 'write', issues: 'read' }, ['push', 'issues']),
    );
    assert.equal((await write()).status, 403);
    const page = `/settings/installations/${number}`;
    assert.match((await browser.get('/settings/installations')).text, />Rights<\/a>: asks for more/);
    const shown = await browser.get(page);
    assert.match(shown.text, /The app asks for more/);
    const [, revision] = /name="revision" value="(\d+)"/.exec(shown.text)!;
    const accept = { token: tokenIn(shown), action: 'accept' };
    assert.equal(
      (await browser.post(page, { ...accept, revision: String(Number(revision) - 1) })).status,
      409,
    );
    assert.equal((await other.post(page, { ...accept, revision: revision! })).status, 403);
    assert.equal((await write()).status, 403);
    assert.equal((await browser.post(page, { ...accept, revision: revision! })).status, 204);
    // A token has at most what it was made with.
    assert.equal((await write()).status, 201);
    assert.deepEqual(await granted(), [
      { contents: 'write', issues: 'read', metadata: 'read' },
      ['push', 'issues'],
    ]);
    assert.doesNotMatch((await browser.get(page)).text, /The app asks for more/);
    const heard = () =>
      receiver.at('/rights').find(({ json }) => json['action'] === 'new_permissions_accepted')?.json;
    await eventually(() => heard() !== undefined);
    checkWebhookPayload('installation', heard()!);
    assert.equal(heard()!['installation'].permissions.contents, 'write');
  });

  test('wrong permissions and events are refused', async () => {
    const made = await register('Wrong Rights');
    const earlier = await read(made);
    for (const bad of [
      rightsOf({ contents: 'admin' }),
      rightsOf({ everything: 'read' }),
      rightsOf({ __proto__x: 'read' }),
      rightsOf({ constructor: 'read' }),
      rightsOf({ contents: 'read' }, ['issues']),
      rightsOf({ contents: 'read' }, ['nonsense']),
      rightsOf({ contents: 'read' }, ['installation']),
    ])
      assert.equal((await send(made.page, 'rights', bad)).status, 422, JSON.stringify(bad));
    assert.deepEqual(await read(made), earlier);
  });

  test('a deleted app ends for everybody at once, and its installations after it', async () => {
    const made = await register('Doomed', { hook_attributes: { url: `${receiver.url}/doomed` } });
    const repository = await ada.repository('spared', { private: true });
    const number = await browser.install('doomed', 'ada', [repository['id'] as number]);
    const onAcme = await browser.install('doomed', 'acme');
    const token = await made.token({ number });
    for (const confirm of ['', 'Doomed', 'other']) {
      const refused = await send(made.page, 'delete', { confirm });
      assert.equal(refused.status, 422, confirm);
    }
    assert.equal((await server.call('/installation/repositories', { token })).status, 200);
    const answer = await send(made.page, 'delete', { confirm: 'doomed' });
    assert.equal(answer.status, 200, answer.text);
    assert.match(answer.text, /is deleted/);
    assert.equal((await server.call('/installation/repositories', { token })).status, 401);
    assert.equal((await made.call('/app')).status, 401);
    assert.equal((await browser.get(made.page)).status, 404);
    assert.equal((await server.call('/apps/doomed')).status, 404);
    assert.equal((await server.call('/users/doomed%5Bbot%5D')).status, 404);
    for (const path of [
      `/settings/installations/${number}`,
      `/organizations/acme/settings/installations/${onAcme}`,
    ])
      assert.equal((await browser.get(path)).status, 404);
    const { db } = server.app.kernel;
    const rows = async (table: 'host_installations' | 'host_app_keys') =>
      await db.selectFrom(table).select('number').where('app_number', '=', made.app.number).execute();
    assert.deepEqual(await rows('host_app_keys'), []);
    await eventually(async () => (await rows('host_installations')).length === 0);
    const left = await db
      .selectFrom('host_installation_repositories')
      .selectAll()
      .where('installation_number', 'in', [number, onAcme])
      .execute();
    assert.deepEqual(left, []);
    const { json } = await server.call('/api/v2/auditlog?limit=20');
    const verbs = (json['items'] as Json[]).map(({ titleVerb }) => titleVerb as string);
    assert.ok(verbs.includes('deleted the app'));
    assert.equal(verbs.filter((verb) => verb === 'uninstalled the app').length, 2, verbs.join());
    // Its name is free again, and the new app has nothing of it.
    const again = await register('Doomed');
    assert.notEqual(again.app.number, made.app.number);
    assert.equal((await made.call('/app')).status, 401);
  });

  test('readers change no apps, though they own them', async () => {
    const made = await register('Of Reader');
    const reader = await joinHost(server, 'reader', { role: 'reader' });
    const theirs = await AppBrowser.open(server, reader.member);
    const { db } = server.app.kernel;
    const account = await server.call('/user', { token: reader.token });
    assert.equal(account.json['login'], 'reader');
    await db
      .updateTable('host_apps')
      .set({ owner_id: reader.member.id })
      .where('number', '=', made.app.number)
      .execute();
    const token = tokenIn(await theirs.get(made.page));
    for (const action of ['about', 'new-key', 'client-secret', 'delete']) {
      const answer = await theirs.post(made.page, {
        token,
        action,
        url: 'https://a.test',
        confirm: 'of-reader',
      });
      assert.equal(answer.status, 403, action);
    }
  });

  test('no app is called as the page for new ones', async () => {
    const consent = await browser.consentTo({ ...MANIFEST, name: 'New' });
    assert.equal((await browser.post('/settings/apps', consent)).status, 422);
  });
});
