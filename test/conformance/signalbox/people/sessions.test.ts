// Sessions of browsers over the Signalbox API: logging in and out by a call, which are open, and links to one resource.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findMember, type Member } from '../../../../src/kernel/identity/store-members.ts';
import { insertLoginLink } from '../../../../src/kernel/identity/sessions/store-login-links.ts';
import { giveToken, join, openBrowser } from '../../../people.ts';
import { startServer, type Answer, type CallInit, type Json, type TestServer } from '../../../server.ts';

const BASE = '/signalbox/v1';
const PASSWORD = 'correct horse battery';

let server: TestServer;
let ada: Member;

before(async () => {
  server = await startServer({ limits: 'off' }, { isPageSecretRequired: () => true });
  const made = await server.call('/api/v2/members', {
    method: 'POST',
    body: [{ email: 'ada@example.com', role: 'reader', password: PASSWORD }],
  });
  assert.equal(made.status, 201, made.text);
  ada = (await findMember(server.app.kernel.db, { username: 'ada' }))!;
});
after(() => server.stop());

function browse(path: string, headers: Record<string, string>, init: CallInit = {}): Promise<Answer> {
  const own = { origin: server.url, 'user-agent': 'Tester/1.0', ...headers };
  return server.call(BASE + path, { ...init, token: null, headers: own });
}

function logIn(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return browse('/session', headers, { method: 'POST', body });
}

function headersOf({ headers, json }: Answer): Record<string, string> {
  const [cookie = ''] = headers.getSetCookie()[0]!.split(';');
  return { cookie, 'x-signalbox-session': json['secret'] as string };
}

test('a browser logs in by a call with a password, and its two secrets work on every API', async () => {
  const answer = await logIn({ name: 'ada@example.com', password: PASSWORD });
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.match(answer.headers.getSetCookie()[0]!, /; Path=\/; HttpOnly; SameSite=Lax; Max-Age=1209600$/);
  for (const path of ['/signalbox/v1/me', '/api/v2/caller-identity', '/v2/users/me', '/user']) {
    const { status, text } = await server.call(path, { token: null, headers: headersOf(answer) });
    assert.equal(status, 200, `${path}: ${text}`);
  }
  const { json: me } = await browse('/me', headersOf(answer));
  assert.equal(me['member'].email, 'ada@example.com');
  assert.equal(me['authentication'].kind, 'session');
  assert.equal(me['authentication'].session.expiresAt, answer.json['expiresAt']);
});

test('a login link works once', async () => {
  const { db, clock } = server.app.kernel;
  const link = await insertLoginLink(db, ada, clock.now());
  assert.equal((await logIn({ link })).status, 201);
  const again = await logIn({ link });
  assert.equal(again.status, 401);
  assert.match(again.json['detail'] as string, /has been used, or its time is over/);
});

test('a wrong password, another origin and a call without one are refused, and no cookie is set', async () => {
  const right = { name: 'ada@example.com', password: PASSWORD };
  const wrong = await logIn({ ...right, password: 'x' });
  assert.equal(wrong.status, 401);
  assert.equal(wrong.headers.get('content-type'), 'application/problem+json');
  assert.equal(wrong.json['code'], 'wrong-password');
  const foreign = await logIn(right, { origin: 'https://evil.example' });
  assert.equal(foreign.status, 403);
  const bare = await server.call(`${BASE}/session`, { method: 'POST', token: null, body: right });
  assert.equal(bare.status, 403);
  for (const { headers } of [wrong, foreign, bare]) assert.deepEqual(headers.getSetCookie(), []);
});

test('bodies that are no login are refused with the field', async () => {
  for (const body of [{}, { name: 'ada' }, { link: 7 }, [], 'x']) {
    const { status, json } = await logIn(body);
    assert.ok([400, 422].includes(status), JSON.stringify(body));
    assert.ok((json['detail'] as string).length > 0);
  }
});

test('logging out ends the session everywhere, and removes the cookie', async () => {
  const headers = headersOf(await logIn({ name: 'ada@example.com', password: PASSWORD }));
  const out = await browse('/session', headers, { method: 'DELETE' });
  assert.equal(out.status, 204);
  assert.match(out.headers.getSetCookie()[0]!, /^signalbox_session=; .*Max-Age=0/);
  assert.equal((await browse('/me', headers)).status, 401);
  assert.equal((await server.call('/user', { token: null, headers })).status, 401);
});

test('people see their sessions with place and browser, and end one or all others', async () => {
  const member = await join(server, 'bob');
  const [one, two, three] = await Promise.all([1, 2, 3].map(() => openBrowser(server, member)));
  const list = async () => (await browse('/sessions', one!)).json['items'] as Json[];
  const sessions = await list();
  assert.equal(sessions.length, 3);
  assert.deepEqual(sessions.map(({ isCurrent }) => isCurrent).filter(Boolean), [true]);
  assert.equal(sessions[0]!['address'], '127.0.0.1');
  const other = sessions.find(({ isCurrent }) => isCurrent !== true)!;
  assert.equal((await browse(`/sessions/${other['id']}`, one!, { method: 'DELETE' })).status, 204);
  assert.equal((await browse(`/sessions/${other['id']}`, one!, { method: 'DELETE' })).status, 404);
  assert.equal((await list()).length, 2);
  const others = await browse('/sessions', one!, { method: 'DELETE' });
  assert.deepEqual(others.json, { ended: 1 });
  assert.equal((await list()).length, 1);
  const statuses = await Promise.all(
    [one!, two!, three!].map(async (browser) => (await browse('/me', browser)).status),
  );
  assert.deepEqual(statuses, [200, 401, 401]);
});

test('nobody ends the sessions of another, and tokens without the permission end none', async () => {
  const eve = await join(server, 'eve');
  const browser = await openBrowser(server, eve);
  const [{ id }] = (await browse('/sessions', browser)).json['items'] as [{ id: string }];
  const method = 'DELETE';
  const { value: reader } = await giveToken(server, ada, { role: 'reader' });
  assert.equal((await server.call(`${BASE}/sessions/${id}`, { method, token: reader })).status, 404);
  const narrow = [{ effect: 'allow' as const, actions: ['viewProject'], resources: ['proj/*'] }];
  const { value: weak } = await giveToken(server, eve, { inlinePolicy: narrow });
  const refused = await server.call(`${BASE}/sessions`, { method, token: weak });
  assert.equal(refused.status, 403);
  assert.deepEqual(refused.json['access'], { action: 'deleteSession', resource: 'member/me:session/*' });
  const { value: service } = await giveToken(server, eve, { isService: true, role: 'admin' });
  assert.equal((await server.call(`${BASE}/sessions`, { token: service })).status, 403);
  assert.equal((await browse('/me', browser)).status, 200);
});

test('a link opens one resource for a minute, for reading, together with the cookie', async () => {
  const browser = await openBrowser(server, ada);
  const { cookie } = browser;
  const made = await browse('/links', browser, { method: 'POST', body: { path: `${BASE}/sessions?x=1` } });
  assert.equal(made.status, 201, made.text);
  const url = made.json['url'] as string;
  const open = (path: string, headers: Record<string, string>, method = 'GET') =>
    server.call(path, { token: null, headers, method });
  assert.equal((await open(url, { cookie })).status, 200);
  assert.equal((await open(url, {})).status, 401);
  assert.equal((await open(url, { cookie, origin: server.url }, 'DELETE')).status, 401);
  assert.equal((await open(url.replace('/sessions', '/me'), { cookie })).status, 401);
  server.clock.ahead += 61_000;
  assert.equal((await open(url, { cookie })).status, 401);
  for (const path of ['https://evil.example/', '//evil.example', 'x', '/\\x'])
    assert.equal((await browse('/links', browser, { method: 'POST', body: { path } })).status, 422, path);
  const { value } = await giveToken(server, ada, { role: 'reader' });
  const byToken = await server.call(`${BASE}/links`, { method: 'POST', token: value, body: { path: '/' } });
  assert.equal(byToken.status, 403);
});

test('other origins cannot send the second secret', async () => {
  const { headers } = await server.call(`${BASE}/me`, {
    method: 'OPTIONS',
    token: null,
    headers: {
      origin: 'https://evil.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'x-signalbox-session',
    },
  });
  assert.doesNotMatch(headers.get('access-control-allow-headers') ?? '', /x-signalbox-session/i);
});
