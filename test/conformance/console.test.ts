// How the console is served: the way to it from the root, its page with a policy of its own, its files.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { insertMember } from '../../src/kernel/identity/store-members.ts';
import { openBrowser } from '../people.ts';
import { startServer, type TestServer } from '../server.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('the console', () => {
  let server: TestServer;
  let cookie: string;
  const open = (path: string, headers: Record<string, string> = {}) =>
    fetch(server.url + path, { headers: { accept: BROWSER, ...headers }, redirect: 'manual' });

  before(async () => {
    server = await startServer();
    const { db, clock } = server.app.kernel;
    const ada = await insertMember(
      db,
      { username: 'ada', email: 'ada@example.com', role: 'owner' },
      null,
      clock.now(),
    );
    ({ cookie } = await openBrowser(server, ada));
  });
  after(() => server.stop());

  test('the root leads a browser to it, and everybody else gets the API', async () => {
    const browser = await open('/');
    assert.equal(browser.status, 303);
    assert.equal(browser.headers.get('location'), '/console');
    assert.equal(browser.headers.get('vary'), 'accept');
    for (const headers of [
      { accept: '*/*' },
      { accept: 'application/json, text/html' },
      { authorization: 'Bearer api-test-administrator-token' },
    ]) {
      const api = await open('/', headers);
      assert.notEqual(api.status, 303, JSON.stringify(headers));
      assert.match(api.headers.get('vary')!, /accept/i);
    }
    const post = await fetch(server.url, {
      method: 'POST',
      headers: { accept: BROWSER },
      redirect: 'manual',
    });
    assert.notEqual(post.status, 303);
  });

  test('without a session every page of it leads to the login and back', async () => {
    for (const path of ['/console', '/console/account/tokens?q=a%26b', '/console/flags/default/a.b']) {
      const reply = await open(path);
      assert.equal(reply.status, 303);
      const login = new URL(reply.headers.get('location')!, server.url);
      assert.equal(login.pathname, '/session');
      assert.equal(login.searchParams.get('return'), path);
    }
  });

  test('its page has a new nonce each time, runs nothing else, and is kept by nobody', async () => {
    const nonces = new Set<string>();
    for (const path of ['/console', '/console/flags/default/a.js']) {
      const reply = await open(path, { cookie });
      assert.equal(reply.status, 200);
      assert.equal(reply.headers.get('cache-control'), 'no-store');
      assert.equal(reply.headers.get('etag'), null);
      const policy = reply.headers.get('content-security-policy')!;
      const [, nonce = ''] = /script-src 'nonce-([\w+/=]+)' 'strict-dynamic';/.exec(policy) ?? [];
      assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/);
      assert.ok(!policy.includes('unsafe'));
      const page = await reply.text();
      assert.ok(page.includes(`nonce="${nonce}"`) && !page.includes('NONCE'));
      assert.ok(page.includes('<base href="/console/"'));
      nonces.add(nonce);
    }
    assert.equal(nonces.size, 2);
  });

  test('its page has the chosen theme, and nothing else of the cookie', async () => {
    const page = async (theme: string) =>
      (await open('/console', { cookie: `${cookie}; signalbox_theme=${theme}` })).text();
    assert.match(await page('dark'), /<html lang="en" data-theme="dark">/);
    assert.match(await page('"><script>'), /<html lang="en">/);
  });

  test('its files are sent compressed and for a year, and nothing else is found there', async () => {
    const text = await (await open('/console', { cookie })).text();
    const [, script = ''] = /src="\.\/(assets\/[\w.-]+\.js)"/.exec(text) ?? [];
    for (const encoding of ['br', 'gzip', 'identity']) {
      const reply = await open(`/console/${script}`, { 'accept-encoding': encoding });
      assert.equal(reply.status, 200);
      assert.equal(reply.headers.get('content-type'), 'text/javascript; charset=utf-8');
      assert.equal(reply.headers.get('content-encoding'), encoding === 'identity' ? null : encoding);
      assert.match(reply.headers.get('cache-control')!, /immutable/);
      assert.ok((await reply.text()).length > 1000);
    }
    for (const path of [
      'none.js',
      '..%2Findex.html',
      '..%2F..%2Fpackage.json',
      'index.html',
      '.env',
      '%00.js',
    ]) {
      const reply = await open(`/console/assets/${path}`);
      assert.equal(reply.status, 404, path);
    }
  });

  test('where it is not built, the page says so and the APIs work', async () => {
    const { console: built } = server.app.kernel.services;
    const { readPage } = built;
    built.readPage = async () => undefined;
    try {
      built.state = { kind: 'building' };
      const building = await open('/console', { cookie });
      assert.equal(building.status, 503);
      assert.equal(building.headers.get('refresh'), '2');
      built.state = { kind: 'failed', reason: 'There is no <npm>.' };
      const failed = await open('/console', { cookie });
      assert.equal(failed.status, 503);
      assert.equal(failed.headers.get('refresh'), null);
      assert.match(await failed.text(), /There is no &#60;npm&#62;\./);
      assert.equal((await server.call('/v2/users/me')).status, 200);
    } finally {
      built.readPage = readPage;
      built.state = { kind: 'idle' };
    }
  });
});
