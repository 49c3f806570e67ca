// Registering an app by its manifest, on a running server: who may, what is shown, and what comes of it.
import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { hashPassword } from '../../../../src/kernel/secrets/secret.ts';
import { insertMember } from '../../../../src/kernel/identity/store-members.ts';
import { findAppBySlug, listAppKeys } from '../../../../src/host/apps/store.ts';
import { AppBrowser, convert, MANIFEST, tokenIn } from '../../../app-forms.ts';
import { onEachEngine } from '../../../engines.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { FORM, browserHeadersOf } from '../../../people.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { createTestOrganization } from '../organization-calls.ts';

const MINUTE = 60_000;
const statusesOf = (answers: readonly Answer[]) =>
  answers
    .map(({ status }) => String(status))
    .toSorted()
    .join(' ');

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let eve: HostPerson;
  let browser: AppBrowser;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    ada = await joinHost(server, 'ada');
    eve = await joinHost(server, 'eve');
    await createTestOrganization(server, 'acme', { admin: 'ada', members: ['eve'] });
    browser = await AppBrowser.open(server, ada.member);
    const { db, clock } = server.app.kernel;
    const late = { username: 'late', email: 'late@example.com', role: 'writer' as const };
    await insertMember(db, late, await hashPassword('too late'), clock.now());
  });
  after(() => server.stop());

  const named = (name: string, more: Json = {}) => ({ ...MANIFEST, name, ...more });
  const countRows = async () => {
    const rows = (table: 'host_app_manifests' | 'host_apps') =>
      server.app.kernel.db
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
    return [(await rows('host_app_manifests')).count, (await rows('host_apps')).count];
  };

  test('a manifest becomes an app with keys, once', async () => {
    const answer = await browser.post(
      '/settings/apps',
      await browser.consentTo(MANIFEST, { state: 'x/y&z' }),
    );
    const location = new URL(answer.headers.get('location')!);
    assert.equal(answer.status, 204);
    assert.equal(location.origin + location.pathname, 'https://builder.example/made');
    assert.deepEqual(
      [location.searchParams.get('from'), location.searchParams.get('state')],
      ['here', 'x/y&z'],
    );
    const code = location.searchParams.get('code')!;
    const { status, json, headers } = await convert(server, code);
    assert.equal(status, 201);
    assert.deepEqual(
      [
        json['slug'],
        json['name'],
        json['owner'].login,
        json['events'],
        json['permissions'],
        json['webhook_secret'],
      ],
      [
        'build-bot',
        'Build Bot',
        'ada',
        ['push', 'status'],
        { contents: 'read', statuses: 'write', metadata: 'read' },
        null,
      ],
    );
    assert.match(headers.get('cache-control')!, /no-store/);
    const app = (await findAppBySlug(server.app.kernel.db, 'build-bot'))!;
    const derived = createPublicKey(createPrivateKey(json['pem'] as string)).export({
      type: 'spki',
      format: 'pem',
    });
    const keys = await listAppKeys(server.app.kernel.db, app.number);
    assert.deepEqual(
      keys.map(({ publicKey }) => publicKey),
      [derived],
    );
    const again = await convert(server, code);
    assert.equal(again.status, 404);
    assert.equal(JSON.stringify(server.log).includes(code), false);
  });

  test('of two conversions at once, one succeeds', async () => {
    const code = await browser.agreeTo(named('Twice'));
    const answers = await Promise.all([1, 2, 3].map(() => convert(server, code)));
    assert.equal(statusesOf(answers), '201 404 404');
  });

  test('a code ends after an hour, and unknown ones are not found', async () => {
    const code = await browser.agreeTo(named('Too Late'));
    server.clock.ahead += 61 * MINUTE;
    assert.equal((await convert(server, code)).status, 404);
    server.clock.ahead -= 61 * MINUTE;
    for (const unknown of ['x', 'a'.repeat(5000), code.slice(1)])
      assert.equal((await convert(server, unknown)).status, 404, unknown);
    assert.equal((await server.call(`/app-manifests/${code}/conversions`)).status, 404);
  });

  test('a manifest that another site posts changes nothing, and lasts through the login', async () => {
    const rows = await countRows();
    const text = JSON.stringify(named('Foreign'));
    const foreign = { ...FORM, origin: 'https://evil.example', accept: 'text/html' };
    const post = (path: string, headers: Record<string, string>, fields: Record<string, string>) =>
      server.call(path, {
        method: 'POST',
        token: null,
        headers,
        body: new URLSearchParams(fields).toString(),
      });
    for (const headers of [foreign, { ...foreign, origin: 'null' }]) {
      const asked = await post('/settings/apps/new?state=s%26', headers, { manifest: text });
      assert.deepEqual([asked.status, asked.headers.get('set-cookie')], [303, null]);
      const page = asked.headers.get('location')!;
      assert.match(page, /^\/settings\/apps\/new\?manifest=[\w-]+$/);
      const anonymous = await server.call(page, { token: null, headers: { accept: 'text/html' } });
      const login = `/session?return=${encodeURIComponent(page)}`;
      assert.deepEqual([anonymous.status, anonymous.headers.get('location')], [303, login]);
      const form = await server.call(login, { token: null });
      const [, back] = /name="return" value="([^"]+)"/.exec(form.text)!;
      const own = { ...FORM, origin: server.url };
      const entered = await post('/session', own, { name: 'late', password: 'too late', return: back! });
      assert.ok(entered.text.includes(`data-next="${page}"`));
      const late = browserHeadersOf(entered);
      const shown = await server.call(page, { token: null, headers: { accept: 'text/html', ...late } });
      assert.match(shown.text, /Register an app for late/);
      assert.match(shown.text, /name="state" value="s&#38;"/);
    }
    assert.deepEqual(await countRows(), rows);
  });

  test('addresses that hold no manifest, or one that is wrong, are refused', async () => {
    const packed = (value: unknown) => deflateRawSync(JSON.stringify(value)).toString('base64url');
    const hook = { hook_attributes: { url: 'http://127.0.0.1/hook' } };
    for (const [manifest, status] of [
      ['', 400],
      ['!', 400],
      ['x'.repeat(7000), 400],
      [packed('text'), 400],
      [packed([1, 2]), 400],
      [packed([' '.repeat(300_000)]), 400],
      [packed([]), 422],
      [packed([JSON.stringify(named('x', hook)), '']), 422],
      [packed([JSON.stringify(MANIFEST), 's'.repeat(5000)]), 422],
    ] as const) {
      const { status: got, text } = await browser.get(`/settings/apps/new?manifest=${manifest}`);
      assert.equal(got, status, `${manifest.slice(0, 100)} ${text}`);
    }
    const noise = randomBytes(5000).toString('hex');
    const large = { manifest: JSON.stringify(MANIFEST), state: noise.slice(0, 4096) };
    const refused = await browser.post('/settings/apps/new', {
      ...large,
      manifest: `${large.manifest}${noise}`,
    });
    assert.equal(refused.status, 422);
    const many = named('x', {
      callback_urls: Array.from({ length: 10 }, () => `https://a.test/${randomBytes(500).toString('hex')}`),
    });
    const tooLarge = await browser.post('/settings/apps/new', { ...large, manifest: JSON.stringify(many) });
    assert.equal(tooLarge.status, 422);
    assert.match(tooLarge.text, /must be smaller/);
  });

  test('consent from another site, without a session, of another session, or changed, is refused', async () => {
    const rows = await countRows();
    const consent = await browser.consentTo(named('Stolen'));
    for (const origin of ['https://evil.example', 'null', `${server.url}.evil.example`])
      assert.equal((await browser.post('/settings/apps', consent, { origin })).status, 403, origin);
    const headers = { ...FORM, accept: 'text/html' };
    const body = new URLSearchParams(consent as Record<string, string>).toString();
    const bare = { method: 'POST', token: null, body };
    assert.equal((await server.call('/settings/apps', { ...bare, headers })).status, 403);
    const own = { ...headers, origin: server.url };
    assert.equal((await server.call('/settings/apps', { ...bare, headers: own })).status, 401);
    const other = await AppBrowser.open(server, eve.member);
    assert.equal((await other.post('/settings/apps', consent)).status, 403);
    const more = JSON.stringify(named('Stolen', { default_permissions: { contents: 'write' } }));
    for (const changed of [{ manifest: more }, { state: 'other' }, { token: 'x' }, { token: '' }])
      assert.equal((await browser.post('/settings/apps', { ...consent, ...changed })).status, 403);
    // The same consent for an organization is another one.
    assert.equal((await browser.post('/organizations/acme/settings/apps', consent)).status, 403);
    assert.deepEqual(await countRows(), rows);
    server.clock.ahead += 61 * MINUTE;
    assert.equal((await browser.post('/settings/apps', consent)).status, 403);
    server.clock.ahead -= 61 * MINUTE;
    // The sweep may have seen the clock of then, and deleted what had expired.
    assert.equal((await countRows())[1], rows[1]);
  });

  test('a consent is good once', async () => {
    const consent = await browser.consentTo(named('Replayed'));
    const answers = await Promise.all([1, 2].map(() => browser.post('/settings/apps', consent)));
    assert.equal(statusesOf(answers), '204 409');
    assert.equal((await browser.post('/settings/apps', consent)).status, 409);
  });

  test('the name can be changed, and must be free', async () => {
    await browser.register(named('Taken Name'));
    const consent = await browser.consentTo(named('taken name!'));
    const refused = await browser.post('/settings/apps', consent);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /Another app has this name/);
    for (const name of ['', '  ', '!!!', 'x'.repeat(35)])
      assert.equal((await browser.post('/settings/apps', { ...consent, name })).status, 422, name);
    const answer = await browser.post('/settings/apps', {
      ...consent,
      name: 'Another Name',
      token: tokenIn(refused),
    });
    const code = new URL(answer.headers.get('location')!).searchParams.get('code')!;
    assert.equal((await convert(server, code)).json['slug'], 'another-name');
  });

  test('a name that was taken between consent and conversion is refused', async () => {
    const code = await browser.agreeTo(named('Contested'));
    await browser.register(named('Contested'));
    const refused = await convert(server, code);
    assert.equal(refused.status, 422, refused.text);
  });

  test('an organization gets an app from its admins only', async () => {
    const path = '/organizations/acme/settings/apps';
    const app = await browser.register(named('Of Acme'), { path });
    assert.equal(app['owner'].login, 'acme');
    const other = await AppBrowser.open(server, eve.member);
    const manifest = named('Of Eve');
    assert.equal((await other.ask(manifest, { path })).status, 403);
    assert.equal((await other.ask(manifest, { path: '/organizations/none/settings/apps' })).status, 404);
  });

  test('readers register no apps', async () => {
    const reader = await joinHost(server, 'reader', { role: 'reader' });
    const theirs = await AppBrowser.open(server, reader.member);
    const answer = await theirs.post('/settings/apps', await theirs.consentTo(named('By Reader')));
    assert.equal(answer.status, 403);
  });

  test('wrong manifests are refused with the reason', async () => {
    const rows = await countRows();
    const bad: [unknown, RegExp][] = [
      ['', /manifest is required/],
      ['{', /must be JSON/],
      ['[]', /manifest/],
      ['null', /manifest/],
      [{ name: 'x' }, /url/],
      [named('x', { url: 'javascript:alert(1)' }), /url must begin with http/],
      [named('x', { redirect_url: 'javascript:alert(1)' }), /redirect_url must begin/],
      [named('x', { redirect_url: '//evil.example' }), /redirect_url must be a URL/],
      [named('x', { redirect_url: 'https://ada:pw@evil.example' }), /redirect_url must have no user/],
      [named('x', { setup_url: 'data:text/html,x' }), /setup_url/],
      [named('x', { callback_urls: ['file:///etc/passwd'] }), /callback_urls/],
      [named('x', { callback_urls: Array.from({ length: 11 }, () => 'https://a.test') }), /callback_urls/],
      [
        named('x', { hook_attributes: { url: 'http://127.0.0.1/hook' } }),
        /hook_attributes.url cannot be used/,
      ],
      [
        named('x', { hook_attributes: { url: 'http://169.254.169.254/' } }),
        /hook_attributes.url cannot be used/,
      ],
      [named('x', { hook_attributes: {} }), /hook_attributes/],
      [named('x', { default_permissions: { everything: 'write' } }), /is no permission/],
      [named('x', { default_permissions: { __proto__: 'write', constructor: 'read' } }), /is no permission/],
      [named('x', { default_permissions: { contents: 'admin' } }), /must be read or write/],
      [named('x', { default_permissions: ['contents'] }), /default_permissions/],
      [named('x', { default_events: ['nonsense'] }), /is none/],
      [named('x', { default_events: ['installation'] }), /is none/],
      [named('x', { default_events: ['issues'] }), /needs the permission issues/],
      [named('x', { default_events: 'push' }), /default_events/],
      [named('a\0b'), /name/],
      [named('x', { description: 'x'.repeat(70_000) }), /at most/],
    ];
    for (const [manifest, reason] of bad) {
      const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
      const { status, text: page } = await browser.post('/settings/apps/new', { manifest: text });
      assert.equal(status, 422, `${text.slice(0, 200)} ${page}`);
      assert.match(page.replaceAll('&#34;', '"'), reason, text.slice(0, 200));
    }
    const large = await browser.post('/settings/apps/new', { manifest: 'x'.repeat(300_000) });
    assert.equal(large.status, 413);
    const json = await server.call('/settings/apps/new', { method: 'POST', body: MANIFEST });
    assert.equal(json.status, 415);
    assert.deepEqual(await countRows(), rows);
  });

  test('hostile text is shown as text', async () => {
    const hostile = `"><script>alert(1)</script><img src=x onerror='a'>`;
    const manifest = named(hostile, {
      description: hostile,
      url: `https://a.test/"><script>`,
      redirect_url: `https://a.test/'"><script>`,
    });
    for (const origin of [server.url, 'https://evil.example']) {
      const { status, text, headers } = await browser.ask(manifest, { state: hostile, origin });
      assert.equal(status, 200);
      assert.doesNotMatch(text, /<script|<img/);
      const policy = headers.get('content-security-policy')!;
      assert.match(policy, /default-src 'none'/);
      assert.match(policy, /frame-ancestors 'none'/);
      assert.ok(policy.includes(`form-action 'self' https://a.test;`), policy);
    }
  });

  test('without an address to go on to, the page shows the code', async () => {
    const { redirect_url: _redirect, ...rest } = MANIFEST;
    const consent = await browser.consentTo({ ...rest, name: 'Shown Code' });
    const { status, text } = await browser.post('/settings/apps', consent);
    assert.equal(status, 200);
    const [, code] = /app-manifests\/(\w+)\/conversions/.exec(text)!;
    assert.equal((await convert(server, code!)).status, 201);
  });

  test('the form for manifests is shown to members', async () => {
    const path = '/organizations/acme/settings/apps/new';
    const page = await server.call(path, { token: null, headers: { accept: 'text/html' } });
    assert.deepEqual(
      [page.status, page.headers.get('location')],
      [303, `/session?return=${encodeURIComponent(path)}`],
    );
    const { status, text } = await browser.get(path);
    assert.equal(status, 200);
    assert.ok(text.includes(`action="${path}"`));
  });
});
