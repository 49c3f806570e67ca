// The pages on which people install apps, on a running server: who sees and changes what.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findInstallation } from '../../../../src/host/apps/store-installations.ts';
import { countReached } from '../../../../src/host/apps/store-reach.ts';
import { AppBrowser, checkedIn, MANIFEST, tokenIn } from '../../../app-forms.ts';
import { hashPassword } from '../../../../src/kernel/secrets/secret.ts';
import { insertMember } from '../../../../src/kernel/identity/store-members.ts';
import { FORM } from '../../../people.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { startServer, type TestServer } from '../../../server.ts';
import { createTestOrganization } from '../organization-calls.ts';

let server: TestServer;
let ada: HostPerson;
let eve: HostPerson;
let browser: AppBrowser;
let other: AppBrowser;

before(async () => {
  server = await startServer({ limits: 'off' });
  ada = await joinHost(server, 'ada');
  eve = await joinHost(server, 'eve');
  await createTestOrganization(server, 'acme', { admin: 'ada', members: ['eve'] });
  browser = await AppBrowser.open(server, ada.member);
  other = await AppBrowser.open(server, eve.member);
  const hostile = '<script>alert(1)</script>';
  await browser.register({ ...MANIFEST, name: 'Pages', public: true, description: hostile });
  await browser.register({ ...MANIFEST, name: 'Private' });
  await browser.register({
    ...MANIFEST,
    name: 'Set Up',
    public: true,
    setup_url: 'https://builder.example/setup?a=1',
    setup_on_update: true,
  });
});
after(() => server.stop());

test('a browser sees a page where clients of the API get JSON', async () => {
  const { status, text, headers } = await browser.get('/apps/pages');
  assert.equal(status, 200);
  assert.match(headers.get('content-type')!, /text\/html/);
  assert.match(text, /&#60;script/);
  assert.doesNotMatch(text, /<script/);
  const api = await server.call('/apps/pages');
  assert.equal(api.json['slug'], 'pages');
  assert.equal((await browser.get('/apps/none')).status, 404);
  const wrong = await server.call('/apps/pages/installations/new', { method: 'PUT' });
  assert.deepEqual([wrong.status, wrong.headers.get('allow')], [404, 'OPTIONS, HEAD, GET']);
  // Pages have one address.
  assert.equal((await server.call('/api/v3/settings/installations')).status, 404);
});

test('an app is installed on accounts that one manages', async () => {
  const choices = await browser.get('/apps/pages/installations/new');
  assert.match(choices.text, /Install on ada/);
  assert.match(choices.text, /Install on acme/);
  assert.doesNotMatch((await other.get('/apps/pages/installations/new')).text, /acme/);
  assert.equal((await other.get('/apps/pages/installations/new?account=acme')).status, 403);
  assert.equal((await other.get('/apps/pages/installations/new?account=ada')).status, 404);
  const anonymous = { token: null, headers: { accept: 'text/html' } };
  for (const path of ['/apps/pages/installations/new?account=acme', '/settings/installations/1']) {
    const { status, headers } = await server.call(path, anonymous);
    const login = `/session?return=${encodeURIComponent(path)}`;
    assert.deepEqual([status, headers.get('location')], [303, login]);
  }

  const number = await browser.install('pages', 'acme');
  const page = `/organizations/acme/settings/installations/${number}`;
  assert.equal((await browser.get(page)).status, 200);
  // To others, and at another address, there is none.
  for (const [who, path] of [
    [other, page],
    [other, `/settings/installations/${number}`],
    [browser, `/settings/installations/${number}`],
    [browser, `/organizations/ada/settings/installations/${number}`],
    [browser, '/settings/installations/999999999999'],
    [browser, '/settings/installations/x'],
  ] as const)
    assert.equal((await who.get(path)).status, 404, path);
  const again = await browser.get('/apps/pages/installations/new?account=acme');
  assert.deepEqual([again.status, again.headers.get('location')], [303, page]);
});

test('a private app is installed by its owner only', async () => {
  // To those who do not know it there is none, on pages as in the API.
  const nobody = { token: null, headers: { accept: 'text/html' } };
  assert.equal((await server.call('/apps/private', nobody)).status, 404);
  for (const path of ['', '/installations/new', '/installations/new?account=eve'])
    assert.equal((await other.get(`/apps/private${path}`)).status, 404, path);
  for (const slug of ['private', 'nowhere']) {
    const form = `/apps/${slug}/installations`;
    assert.equal((await other.post(form, {})).status, 404, slug);
    assert.equal((await other.post(form, {}, { origin: 'https://evil.example' })).status, 403, slug);
    assert.equal((await other.post(form, {}, { cookie: '' })).status, 401, slug);
  }
  assert.equal((await browser.get('/apps/private')).status, 200);
  assert.equal((await browser.get('/apps/private/installations/new?account=acme')).status, 403);
  assert.ok((await browser.install('private', 'ada')) > 0);
  assert.match((await browser.get('/settings/installations')).text, /Private/);
  const listed = await browser.get('/organizations/acme/settings/installations');
  assert.match(listed.text, /Apps installed on acme/);
  assert.match(listed.text, /href="\/organizations\/acme\/settings\/installations\/\d+">Pages/);
  assert.equal((await other.get('/organizations/acme/settings/installations')).status, 403);
});

test('forms of other sites, of other sessions and for other accounts change nothing', async () => {
  const shown = await other.get('/apps/pages/installations/new?account=eve');
  const form = { token: tokenIn(shown), account: 'eve', state: '', selection: 'all' };
  const path = '/apps/pages/installations';
  for (const origin of ['https://evil.example', 'null'])
    assert.equal((await other.post(path, form, { origin })).status, 403);
  assert.equal((await browser.post(path, form)).status, 403);
  assert.equal((await other.post(path, { ...form, account: 'acme' })).status, 403);
  assert.equal((await other.post('/apps/set-up/installations', form)).status, 403);
  for (const bad of [
    { selection: 'some' },
    { selection: 'selected' },
    { selection: 'selected', repository: 'x' },
  ])
    assert.equal((await other.post(path, { ...form, ...bad })).status, 422, JSON.stringify(bad));
  const foreign = await ada.repository('foreign', { private: true });
  const theirs = { selection: 'selected', repository: String(foreign['id']) };
  assert.equal((await other.post(path, { ...form, ...theirs })).status, 422);
  assert.match((await other.get('/settings/installations')).text, /No app is installed/);

  const number = await other.install('pages', 'eve');
  const settings = `/settings/installations/${number}`;
  const change = { token: tokenIn(await other.get(settings)), action: 'uninstall' };
  assert.equal((await other.post(settings, change, { origin: 'https://evil.example' })).status, 403);
  assert.equal((await browser.post(settings, change)).status, 403);
  assert.equal((await other.post(settings, { ...change, token: '' })).status, 403);
  assert.equal((await other.post(settings, { ...change, action: 'other' })).status, 400);
  const found = await findInstallation(server.app.kernel.db, number);
  assert.equal(found?.removedAt, null);
});

test('after installing and changing, people go on to the address of the app', async () => {
  const repository = await ada.repository('chosen');
  const shown = await browser.get('/apps/set-up/installations/new?account=ada&state=s%26t');
  assert.match(
    shown.headers.get('content-security-policy')!,
    /form-action 'self' https:\/\/builder\.example;/,
  );
  const answer = await browser.post('/apps/set-up/installations', {
    token: tokenIn(shown),
    account: 'ada',
    state: 's&t',
    selection: 'selected',
    repository: String(repository['id']),
  });
  const location = new URL(answer.headers.get('location')!);
  const number = location.searchParams.get('installation_id')!;
  assert.equal(location.origin + location.pathname, 'https://builder.example/setup');
  assert.deepEqual(
    ['a', 'setup_action', 'state'].map((name) => location.searchParams.get(name)),
    ['1', 'install', 's&t'],
  );
  const page = `/settings/installations/${number}`;
  assert.match((await browser.get(page)).text, new RegExp(`value="${repository['id']}" checked>chosen`));
  const changed = await browser.change(page, 'repositories', 'all');
  assert.match(changed.headers.get('location')!, /setup_action=update/);
  await browser.change(page, 'suspend');
  assert.match((await browser.get(page)).text, /It is suspended/);
  await browser.change(page, 'unsuspend');
  assert.equal((await browser.change(page, 'uninstall')).status, 200);
  assert.equal((await browser.get(page)).status, 404);
});

test('a page of repositories changes only those that it shows', async () => {
  const many = await joinHost(server, 'many');
  const visitor = await AppBrowser.open(server, many.member);
  const numbers: number[] = [];
  for (let each = 100; each < 220; each++) numbers.push((await many.repository(`r${each}`))['id'] as number);
  const number = await visitor.install('pages', 'many', numbers);
  const { db } = server.app.kernel;
  const { accountId } = (await findInstallation(db, number))!;
  const selected = () =>
    countReached(db, { installation: number, accountId, selection: 'selected', only: null }, 1000);
  assert.equal(await selected(), 120);
  const page = `/settings/installations/${number}`;
  const first = checkedIn(await visitor.get(page));
  assert.deepEqual(first, numbers.slice(0, 100));
  await visitor.change(page, 'repositories', first);
  assert.equal(await selected(), 120);
  await visitor.change(page, 'repositories', first.slice(1));
  assert.equal(await selected(), 119);

  const second = `${page}?page=2`;
  assert.match((await visitor.get(page)).text, /\?page=2">Next page/);
  assert.deepEqual(checkedIn(await visitor.get(second)), numbers.slice(100));
  const saved = await visitor.change(second, 'repositories', numbers.slice(100, 110));
  assert.equal(saved.headers.get('location'), second);
  assert.equal(await selected(), 109);
  // Somebody else selects one after the page was shown.
  const shown = await visitor.get(page);
  await visitor.change(page, 'repositories', numbers.slice(0, 100));
  const stale = { action: 'repositories', selection: 'selected', shown: checkedIn(shown).map(String) };
  await visitor.post(page, { ...stale, token: tokenIn(shown), repository: stale.shown });
  assert.equal(await selected(), 110);

  assert.equal((await visitor.change(page, 'repositories', [])).status, 204);
  assert.equal(await selected(), 10);
  assert.equal((await visitor.change(second, 'repositories', [])).status, 422);
  assert.equal(await selected(), 10);
  assert.equal((await visitor.get(`${page}?page=x&page=3`)).status, 200);
  assert.equal((await visitor.get(`${page}?page=99999999999999999999`)).status, 200);
});

test('after the password one comes back to a page of this server, and never to another site', async () => {
  const { db, clock } = server.app.kernel;
  const form = { name: 'back', password: 'coming back' };
  const member = { username: 'back', email: 'back@example.com', role: 'reader' as const };
  await insertMember(db, member, await hashPassword(form.password), clock.now());
  const logIn = (fields: Record<string, string>) =>
    server.call('/session', {
      method: 'POST',
      token: null,
      headers: { ...FORM, origin: server.url },
      body: new URLSearchParams({ ...form, ...fields }).toString(),
    });
  const loginFor = (path: string) =>
    server.call(`/session?return=${encodeURIComponent(path)}`, { token: null });
  const path = '/settings/installations?a=%22&b';
  const field = /name="return" value="\/settings\/installations\?a=%22&#38;b"/;
  assert.match((await loginFor(path)).text, field);
  assert.match((await logIn({ password: 'wrong', return: path })).text, field);
  assert.match((await logIn({ return: path })).text, /data-next="\/settings\/installations\?a=%22&#38;b"/);
  for (const bad of ['//evil.example', '/\\evil.example', 'https://evil.example/', '/\t/evil.example']) {
    assert.doesNotMatch((await loginFor(bad)).text, /evil/);
    assert.match((await logIn({ return: bad })).text, /data-next="\/console"/, bad);
  }
});
