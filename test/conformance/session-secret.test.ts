// The second secret of a session: where it is demanded, what stands for it, and who cannot have it. Rule F28.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Member } from '../../src/kernel/identity/store-members.ts';
import { insertSession } from '../../src/kernel/identity/sessions/store-sessions.ts';
import { browserHeadersOf, FORM, join, openBrowser, type BrowserHeaders } from '../people.ts';
import { startServer, type Answer, type CallInit, type TestServer } from '../server.ts';

const MINUTE = 60_000;
/** What a browser sends when somebody types an address. */
const TYPED = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
/** One call of each API that needs a caller. */
const CALLS = ['/api/v2/caller-identity', '/v2/users/me', '/user'];

let server: TestServer;
let isRequired = true;
let ada: Member;
let browser: BrowserHeaders;

/** A call of a browser: no token. */
function browse(path: string, headers: Record<string, string>, init: CallInit = {}): Promise<Answer> {
  return server.call(path, { ...init, token: null, headers: { ...headers, ...init.headers } });
}

function askLink(path: string, headers: Record<string, string> = browser): Promise<Answer> {
  const body = new URLSearchParams({ path }).toString();
  return browse('/session/links', { ...FORM, origin: server.url, ...headers }, { method: 'POST', body });
}

before(async () => {
  server = await startServer({ limits: 'off' }, { isPageSecretRequired: async () => isRequired });
  ada = await join(server, 'ada', { role: 'owner' });
  browser = await openBrowser(server, ada);
});
after(() => server.stop());

describe('where runs share the network of the machine', () => {
  test('F28 the cookie alone is refused by each API in its own words, which say what to do', async () => {
    for (const path of CALLS) {
      const { status, text } = await browse(path, { cookie: browser.cookie });
      assert.equal(status, 401, path);
      assert.match(text, /Log in again at http:\/\/[\d.:]+\/session\. Programs send an access token/);
      assert.ok(!text.includes('ada'));
      assert.equal((await browse(path, browser)).status, 200, path);
    }
  });

  test('F28 who replays the cookie outside of a browser makes no token of the owner', async () => {
    const thief = { cookie: browser.cookie, origin: server.url, 'sec-fetch-site': 'same-origin' };
    const make = { method: 'POST', body: { role: 'owner' } };
    assert.equal((await browse('/api/v2/tokens', thief, make)).status, 401);
    assert.equal((await browse('/api/v2/tokens', { ...browser, origin: server.url }, make)).status, 201);
  });

  test('F28 a wrong second secret, that of another session, and the cookie itself are refused', async () => {
    const other = await openBrowser(server, ada);
    const [, cookieSecret] = browser.cookie.split('=');
    for (const secret of ['', 'x', cookieSecret!, other['x-signalbox-session']]) {
      const { status } = await browse('/v2/users/me', { ...browser, 'x-signalbox-session': secret });
      assert.equal(status, 401, secret);
    }
    const alone = { 'x-signalbox-session': browser['x-signalbox-session'] };
    assert.equal((await browse('/v2/users/me', alone)).status, 401, 'nor is it good without the cookie');
  });

  test('F28 a session from before there was a second secret counts as logged out', async () => {
    const { db, clock } = server.app.kernel;
    const member = await join(server, 'old');
    const { secret, pageSecret } = await insertSession(db, member, clock.now());
    await db.updateTable('sessions').set({ page_hash: null }).where('member_id', '=', member.id).execute();
    for (const sent of [pageSecret, '', 'null']) {
      const headers = { cookie: `signalbox_session=${secret}`, 'x-signalbox-session': sent };
      assert.equal((await browse('/user', headers)).status, 401, sent);
    }
  });

  test('F28 calls that are for everybody do not mind', async () => {
    assert.equal((await browse('/api/v2/versions', { cookie: browser.cookie })).status, 200);
  });

  test('F28 the login with a password and that with a link make one each', async () => {
    const one = await openBrowser(server, ada);
    assert.notEqual(one['x-signalbox-session'], browser['x-signalbox-session']);
    const { headers } = await browse('/session', one);
    assert.equal(headers.get('cache-control'), 'no-store');
  });

  test('F28 the page that hands it over is kept by nobody, runs one script, and cannot be framed', async () => {
    const link = await server.app.kernel.db.selectFrom('login_links').selectAll().execute();
    assert.deepEqual(link, [], 'those above are spent');
    const made = await server.call('/api/v2/members', {
      method: 'POST',
      body: [{ email: 'bob@example.com', role: 'reader', password: 'open sesame' }],
    });
    assert.equal(made.status, 201, made.text);
    const login = await browse(
      '/session',
      { ...FORM, origin: server.url },
      { method: 'POST', body: 'name=bob%40example.com&password=open+sesame&return=%2Fsettings%2Fapps' },
    );
    const policy = login.headers.get('content-security-policy')!;
    assert.match(policy, /^default-src 'none'; script-src 'sha256-[\w+/]{43}='; connect-src 'self'; /);
    assert.match(policy, /frame-ancestors 'none'$/);
    assert.doesNotMatch(policy, /script-src[^;]*('self'|unsafe)/);
    assert.equal(login.headers.get('cache-control'), 'no-store');
    assert.equal(login.headers.get('referrer-policy'), 'same-origin');
    assert.equal(login.headers.get('access-control-allow-origin'), null);
    assert.match(login.text, /data-next="\/settings\/apps"/);
    assert.equal((await browse('/v2/users/me', browserHeadersOf(login))).status, 200);
    assert.match((await browse('/session', {})).text, /<noscript><p role="alert">Logging in needs scripts/);
  });

  test('F25 other origins cannot send it: no list of headers has it', async () => {
    for (const path of [...CALLS, '/session/links', '/v2/key-value-stores', '/standby/x']) {
      const asked = {
        origin: 'https://evil.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'x-signalbox-session',
      };
      const { headers } = await browse(path, asked, { method: 'OPTIONS' });
      const allowed = headers.get('access-control-allow-headers') ?? '';
      assert.ok(!allowed.includes('*') && !/signalbox/i.test(allowed), `${path}: ${allowed}`);
    }
  });

  test('F28 logging out ends both, with the cookie alone too', async () => {
    const other = await openBrowser(server, ada);
    const end = { ...FORM, cookie: other.cookie, origin: server.url };
    const { status, text } = await browse('/session/end', end, { method: 'POST', body: '' });
    assert.equal(status, 200);
    assert.match(text, /localStorage\.removeItem/);
    assert.ok(!text.includes('data-secret='));
    assert.equal((await browse('/v2/users/me', other)).status, 401);
  });
});

describe('pages for members', () => {
  const PAGES = ['/session', '/settings/apps', '/docs/host/versions/2026-03-10/impact'];

  test('F28 a cookie alone gets a shell without content, whose script is allowed by its hash', async () => {
    for (const path of PAGES) {
      const shell = await browse(path, { cookie: browser.cookie, accept: 'text/html' });
      assert.equal(shell.status, 200, path);
      assert.match(shell.headers.get('content-security-policy')!, /script-src 'sha256-[\w+/]{43}=';/);
      assert.equal(shell.headers.get('cache-control'), 'no-store');
      assert.match(shell.text, /<title>Signalbox · Signalbox|One moment/);
      assert.ok(!shell.text.includes('ada'), path);
      assert.match(shell.text, /<noscript>/);
      const page = await browse(path, { ...browser, accept: 'text/html' });
      assert.ok(!page.text.includes('One moment'), path);
    }
  });

  test('F28 the script of a shell that has no secret, or a wrong one, gets the login and no shell', async () => {
    for (const secret of ['', 'wrong']) {
      const headers = { cookie: browser.cookie, 'x-signalbox-session': secret, accept: 'text/html' };
      const { status, headers: sent } = await browse('/settings/apps', headers);
      assert.deepEqual([status, sent.get('location')], [303, '/session?return=%2Fsettings%2Fapps']);
      assert.match((await browse('/session?return=%2Fsettings%2Fapps', headers)).text, /type="password"/);
    }
  });

  test('F28 a form with the cookie alone changes nothing', async () => {
    const headers = { ...FORM, cookie: browser.cookie, origin: server.url, accept: 'text/html' };
    const { status, text } = await browse('/settings/apps', headers, { method: 'POST', body: 'token=x' });
    assert.equal(status, 401);
    assert.match(text, /You are not logged in any more/);
  });
});

describe('links of a session', () => {
  test('F28 a link opens one resource for reading, for a minute, with the cookie of its session', async () => {
    const { status, json } = await askLink('/v2/users/me?a=b');
    assert.equal(status, 201);
    const url = json['url'] as string;
    assert.match(url, /^\/v2\/users\/me\?a=b&signalbox_link=[\w.-]+$/);
    const { cookie } = browser;
    const signature = url.slice(url.indexOf('signalbox_link'));
    assert.equal((await browse(url, { cookie })).status, 200);
    assert.equal((await browse(url, { cookie })).json['data'].username, 'ada');
    assert.equal((await browse(url, {})).status, 401, 'without the cookie');
    const { cookie: others } = await openBrowser(server, ada);
    assert.equal((await browse(url, { cookie: others })).status, 401, 'with another session');
    assert.equal((await browse(url, { cookie, origin: 'https://evil.example' })).status, 403);
    for (const path of [
      `/v2/users/me?${signature}`,
      `/v2/users/me?a=c&${signature}`,
      `/v2/users/me?a=b&${signature}x`,
      `/v2/users/me?a=b&${signature}&c=d`,
      `/v2/acts?a=b&${signature}`,
    ])
      assert.equal((await browse(path, { cookie })).status, 401, path);
    const { url: stores } = (await askLink('/v2/key-value-stores')).json;
    const write = { method: 'POST', headers: { origin: server.url } };
    assert.equal((await browse(stores as string, { cookie }, write)).status, 401);
    server.clock.ahead += MINUTE;
    assert.equal((await browse(url, { cookie })).status, 401);
    server.clock.ahead -= MINUTE;
  });

  test('F28 only a whole session gets one, for a path of this server', async () => {
    assert.equal((await askLink('/v2/users/me', { cookie: browser.cookie })).status, 401);
    assert.equal((await askLink('/v2/users/me', { ...browser, origin: 'https://evil.example' })).status, 403);
    for (const path of ['', 'x', '//evil.example/', '/\\evil.example', 'https://evil.example/'])
      assert.equal((await askLink(path)).status, 400, path);
  });

  test('F28 no route sees the signature, and no log line has it', async () => {
    const { url } = (await askLink('/v2/browser-info?rawHeaders=1')).json;
    const { status, text } = await browse(url as string, { cookie: browser.cookie });
    assert.equal(status, 200);
    const signature = (url as string).split('signalbox_link=')[1]!;
    assert.ok(!text.includes(signature));
    assert.ok(!JSON.stringify(server.log).includes(signature));
  });

  test('F28 an address that is typed leads to a link; one that another site opens does not', async () => {
    for (const path of CALLS) {
      const typed = await browse(path, { cookie: browser.cookie, ...TYPED });
      assert.equal(typed.status, 401);
      assert.match(typed.headers.get('content-type')!, /^text\/html/);
      assert.match(typed.headers.get('content-security-policy')!, /script-src 'sha256-/);
      assert.match(typed.text, /<body data-resource/);
      for (const other of [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-dest': 'iframe' },
        { 'sec-fetch-mode': 'cors' },
      ]) {
        const { status, headers } = await browse(path, { cookie: browser.cookie, ...TYPED, ...other });
        assert.deepEqual([status, /json/.test(headers.get('content-type')!)], [401, true]);
      }
      assert.doesNotMatch((await browse(path, TYPED)).text, /data-resource/, 'nor one without a session');
    }
  });
});

describe('where every run has a network of its own', () => {
  before(() => {
    isRequired = false;
  });
  after(() => {
    isRequired = true;
  });

  test('F28 the cookie is enough, from this origin', async () => {
    const { cookie } = browser;
    for (const path of CALLS) assert.equal((await browse(path, { cookie })).status, 200, path);
    const make = { method: 'POST', body: {} };
    assert.equal((await browse('/api/v2/tokens', { cookie, origin: server.url }, make)).status, 201);
    assert.equal((await browse('/api/v2/tokens', { cookie }, make)).status, 403);
    assert.equal(
      (await browse('/api/v2/tokens', { cookie, origin: 'https://evil.example' }, make)).status,
      403,
    );
  });

  test('F28 pages come whole, and their forms are answered by redirects', async () => {
    const headers = { cookie: browser.cookie, accept: 'text/html' };
    const page = await browse('/settings/apps', headers);
    assert.match(page.text, /Apps of ada/);
    assert.ok(!page.text.includes('<script'));
    assert.match((await browse('/session', headers)).text, /Logged in as ada/);
  });
});

test('F28 the cookie is enough once every node that executes Actors has said that its runs have their own network', async () => {
  const api = await startServer({ limits: 'off', role: 'api' });
  try {
    const { db, services } = api.app.kernel;
    const { cookie } = await openBrowser(api, await join(api, 'bob'));
    const ask = async () => {
      services.networkSharing.forget();
      return (await api.call('/user', { token: null, headers: { cookie } })).status;
    };
    const add = (name: string, shares_network: 0 | 1) =>
      db
        .insertInto('actor_nodes')
        .values({ name, url: null, seen_at: api.clock.now(), shares_network })
        .execute();
    assert.equal(await ask(), 401, 'nothing is known of any node');
    await add('private', 0);
    assert.equal(await ask(), 200);
    await add('shared', 1);
    assert.equal(await ask(), 401);
  } finally {
    await api.stop();
  }
});
