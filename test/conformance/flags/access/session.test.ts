// Browser sessions on the flags API, from the login link to logging out, on a running server: rule F28.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hashPassword } from '../../../../src/kernel/secrets/secret.ts';
import { insertMember, findMember, type Member } from '../../../../src/kernel/identity/store-members.ts';
import { insertLoginLink } from '../../../../src/kernel/identity/sessions/store-login-links.ts';
import { FORM, giveToken, join, openBrowser, browserHeadersOf } from '../../../people.ts';
import { ADMIN_TOKEN, startServer, type Answer, type CallInit, type TestServer } from '../../../server.ts';

const DAY = 24 * 60 * 60 * 1000;
let server: TestServer;
let admin: Member;
before(async () => {
  server = await startServer();
  admin = (await findMember(server.app.kernel.db, { username: 'admin' }))!;
});
after(() => server.stop());

/** A call by a browser: cookies, no token. */
function browse(path: string, headers: Record<string, string>, init: CallInit = {}): Promise<Answer> {
  return server.call(path, { ...init, token: null, headers: { ...headers, ...init.headers } });
}

function submit(body: string, headers: Record<string, string> = {}): Promise<Answer> {
  return server.call('/session', { method: 'POST', token: null, headers: { ...FORM, ...headers }, body });
}

describe('logging in', () => {
  test('F28 the one-time link logs in, with a cookie that scripts cannot read', async () => {
    const { db, clock } = server.app.kernel;
    const link = await insertLoginLink(db, admin, clock.now());
    const page = await browse(`/session/${link}`, {});
    assert.equal(page.status, 200);
    assert.match(page.text, new RegExp(`name="link" value="${link}"`));
    const login = await submit(`link=${link}`, { origin: server.url });
    const { status, headers, text } = login;
    assert.equal(status, 200);
    assert.match(text, /data-secret="\w{43}" data-next="\/console"/);
    const [cookie, ...others] = headers.getSetCookie();
    assert.equal(others.length, 1);
    assert.match(others[0]!, /^signalbox_known=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=15552000$/);
    assert.match(cookie!, /^signalbox_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=1209600$/);
    assert.doesNotMatch(cookie!, new RegExp(link));
    const own = await browse('/session', browserHeadersOf(login));
    assert.match(own.text, /Logged in as admin/);
  });

  test('F28 looking at the link does not spend it, using it does', async () => {
    const { db, clock } = server.app.kernel;
    const link = await insertLoginLink(db, admin, clock.now());
    for (let look = 0; look < 3; look += 1) assert.equal((await browse(`/session/${link}`, {})).status, 200);
    assert.equal((await submit(`link=${link}`)).status, 200);
    const again = await submit(`link=${link}`);
    assert.deepEqual([again.status, again.headers.getSetCookie()], [401, []]);
    assert.match(again.text, /role="alert">This link has been used/);
  });

  test('F28 two who use one link at the same moment do not both get in', async () => {
    const { db, clock } = server.app.kernel;
    const link = await insertLoginLink(db, admin, clock.now());
    const answers = await Promise.all(Array.from({ length: 8 }, () => submit(`link=${link}`)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  });

  test('F28 a link is good for a quarter of an hour', async () => {
    const { db, clock } = server.app.kernel;
    const link = await insertLoginLink(db, admin, clock.now() - 15 * 60 * 1000);
    assert.equal((await submit(`link=${link}`)).status, 401);
  });

  test("F28 another site's form logs nobody in", async () => {
    const { db, clock } = server.app.kernel;
    const link = await insertLoginLink(db, admin, clock.now());
    for (const origin of ['https://evil.example', 'null']) {
      assert.equal((await submit(`link=${link}`, { origin })).status, 403);
    }
    assert.equal(
      (await submit(`link=${link}`, { origin: server.url })).status,
      200,
      'and the link is not spent',
    );
  });

  test('F28 pages that hold a form let the browser say where it is sent from', async () => {
    for (const path of ['/session', '/session/some-link']) {
      const { headers } = await browse(path, {});
      assert.equal(headers.get('referrer-policy'), 'same-origin');
      assert.match(headers.get('content-security-policy')!, /default-src 'none'.*form-action 'self'/);
      assert.equal(headers.get('cache-control'), 'no-store');
    }
  });

  test('F28 a password logs in by username or e-mail; a wrong one says no more than that', async () => {
    const { db, clock } = server.app.kernel;
    const ada = { username: 'ada', email: 'ada@example.com', role: 'reader' as const };
    await insertMember(db, ada, await hashPassword('correct horse'), clock.now());
    assert.equal((await submit('name=ada&password=correct+horse')).status, 200);
    assert.equal((await submit('name=ada%40example.com&password=correct+horse')).status, 200);
    const wrong = await submit('name=ada&password=wrong');
    const unknown = await submit('name=eva&password=wrong');
    assert.deepEqual([wrong.status, unknown.status], [401, 401]);
    assert.equal(wrong.text.replaceAll('ada', 'eva'), unknown.text);
    assert.match(wrong.text, /role="alert" id="problem"[^>]*>The name or the password is wrong\./);
    assert.match(wrong.text, /value="ada"/);
    assert.equal((await submit('name=admin&password=')).status, 401, 'nobody has the empty password');
  });

  test('F28 guessing passwords is stopped', async () => {
    server.clock.ahead += 10 * 60 * 1000;
    const tries = [];
    for (let index = 0; index < 11; index += 1)
      tries.push((await submit(`name=ada&password=${index}`)).status);
    assert.deepEqual(tries, [...Array<number>(10).fill(401), 429]);
    const { status, headers } = await submit('name=ada&password=correct+horse');
    assert.equal(status, 429);
    assert.ok(Number(headers.get('retry-after')) <= 61);
    server.clock.ahead += 61_000;
    assert.equal((await submit('name=ada&password=correct+horse')).status, 200);
  });
});

describe('calling with a session', () => {
  test('F28 it acts as its member', async () => {
    const browser = await openBrowser(server, admin);
    const { status, json } = await browse('/api/v2/caller-identity', browser);
    assert.equal(status, 200);
    assert.deepEqual([json['authKind'], json['memberId'], json['tokenId']], ['session', admin.id, undefined]);
  });

  test("F28 it may do what the member's role allows, and no more", async () => {
    const reader = await join(server, 'rita');
    const service = await giveToken(server, admin, { isService: true, role: 'reader' });
    const browser = await openBrowser(server, reader);
    const origin = { origin: server.url };
    const path = `/api/v2/tokens/${service.id}`;
    assert.equal((await browse(path, browser)).status, 200);
    const { status, json } = await browse(path, { ...browser, ...origin }, { method: 'DELETE' });
    assert.deepEqual(
      [status, json['access']],
      [401, { action: 'deleteAccessToken', resource: `service-token/${service.id}` }],
    );
    const owner = await openBrowser(server, admin);
    assert.equal((await browse(path, { ...owner, ...origin }, { method: 'DELETE' })).status, 204);
  });

  test('F28 its origin must be this server; on reading it may be absent', async () => {
    const browser = await openBrowser(server, admin);
    const evil = { ...browser, origin: 'https://evil.example' };
    for (const [label, status, headers, init] of [
      ['reading, no origin', 200, browser, {}],
      ['reading, own origin', 200, { ...browser, origin: server.url }, {}],
      ['reading, other origin', 403, evil, {}],
      ['reading, null origin', 403, { ...browser, origin: 'null' }, {}],
      ['reading, other port', 403, { ...browser, origin: `${server.url}0` }, {}],
      ['writing, no origin', 403, browser, { method: 'POST', body: {} }],
      ['writing, own origin', 201, { ...browser, origin: server.url }, { method: 'POST', body: {} }],
      ['writing, other origin', 403, evil, { method: 'POST', body: {} }],
    ] as const) {
      const answer = await browse('/api/v2/tokens', headers, init);
      assert.equal(answer.status, status, label);
      if (status === 403) assert.equal(answer.json['code'], 'forbidden', label);
    }
  });

  test('F28 a refused write changes nothing', async () => {
    const browser = await openBrowser(server, admin);
    const token = await giveToken(server, admin, { role: 'reader' });
    const path = `/api/v2/tokens/${token.id}`;
    for (const method of ['DELETE', 'PATCH']) {
      await browse(path, browser, { method, ...(method === 'PATCH' && { body: [] }) });
      await browse(path, { ...browser, origin: 'https://evil.example' }, { method });
    }
    await browse(`${path}/reset`, browser, { method: 'POST' });
    assert.equal((await server.call('/api/v2/caller-identity', { token: token.value })).status, 200);
  });

  test('F28 a token beats a cookie and never has its origin checked', async () => {
    const reader = await join(server, 'rory');
    const browser = await openBrowser(server, reader);
    const headers = { ...browser, origin: 'https://evil.example' };
    const { json } = await server.call('/api/v2/caller-identity', { headers });
    assert.deepEqual([json['authKind'], json['memberId']], ['token', admin.id]);
    assert.equal((await server.call('/api/v2/tokens', { method: 'POST', headers, body: {} })).status, 201);
    const wrong = await server.call('/api/v2/caller-identity', { token: 'api-wrong', headers: browser });
    assert.equal(wrong.status, 401, 'a wrong token is not saved by a good cookie');
  });

  test('F28 an empty cookie header, and cookies of others, harm nobody', async () => {
    for (const cookie of ['', ';', 'signalbox_session=', 'theme=dark; other=1']) {
      assert.equal(
        (await server.call('/api/v2/caller-identity', { headers: { cookie } })).status,
        200,
        cookie,
      );
      assert.equal((await browse('/api/v2/caller-identity', { cookie })).status, 401, cookie);
      assert.equal(
        (await browse('/api/v2/versions', { cookie, origin: 'https://evil.example' })).status,
        200,
      );
    }
    const browser = await openBrowser(server, admin);
    const cookie = `theme=dark; ${browser.cookie}; a=b`;
    assert.equal((await browse('/api/v2/caller-identity', { ...browser, cookie })).status, 200);
  });

  test('F28 a session ends after fourteen days, and at once when its member logs out', async () => {
    const browser = await openBrowser(server, admin);
    const ask = async () => (await browse('/api/v2/caller-identity', browser)).status;
    server.clock.ahead += 14 * DAY - 60_000;
    assert.equal(await ask(), 200);
    server.clock.ahead += 60_000;
    assert.equal(await ask(), 401);
    const other = await openBrowser(server, admin);
    assert.equal((await browse('/api/v2/caller-identity', other)).status, 200);
    const end = (headers: Record<string, string>) => browse('/session/end', headers, { method: 'POST' });
    assert.equal((await end({ ...other, origin: 'https://evil.example' })).status, 403);
    assert.equal((await browse('/api/v2/caller-identity', other)).status, 200);
    const { status, headers, text } = await end({ ...other, origin: server.url });
    assert.equal(status, 200);
    assert.match(text, /localStorage\.removeItem/);
    assert.match(headers.getSetCookie()[0]!, /^signalbox_session=; .*Max-Age=0/);
    assert.equal((await browse('/api/v2/caller-identity', other)).status, 401);
  });

  test('F28 behind a proxy, the own origin is the public one, and the cookie is for HTTPS only', async () => {
    const behind = await startServer({ publicUrl: 'https://signalbox.example' });
    const { db, clock } = behind.app.kernel;
    const owner = (await findMember(db, { username: 'admin' }))!;
    const link = await insertLoginLink(db, owner, clock.now());
    const origin = 'https://signalbox.example';
    const init = { method: 'POST', token: null };
    const login = await behind.call('/session', {
      ...init,
      headers: { ...FORM, origin },
      body: `link=${link}`,
    });
    const [cookie] = login.headers.getSetCookie();
    assert.match(cookie!, /^__Host-signalbox_session=\w{43}; Path=\/; HttpOnly; .*; Secure$/);
    const post = (from: string) =>
      behind.call('/api/v2/tokens', {
        ...init,
        headers: { ...browserHeadersOf(login), origin: from },
        body: {},
      });
    assert.deepEqual([(await post(origin)).status, (await post(behind.url)).status], [201, 403]);
    await behind.stop();
  });

  test('F28 a session secret is no token, and a token is no session', async () => {
    const { cookie } = await openBrowser(server, admin);
    const secret = cookie.split('=')[1]!;
    assert.equal((await server.call('/api/v2/caller-identity', { token: secret })).status, 401);
    assert.equal(
      (await browse('/api/v2/caller-identity', { cookie: `signalbox_session=${ADMIN_TOKEN}` })).status,
      401,
    );
  });
});
