// The origin of content: what users have stored is served there without any session, nothing else is, and browsers are led there.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createStandby } from '../actors/standby/calls.ts';
import { findMember } from '../../../src/kernel/identity/store-members.ts';
import { fixedPort } from '../../fixed-port.ts';
import { FORM, openBrowser, type BrowserHeaders } from '../../people.ts';
import { ADMIN_TOKEN, startServer, type Answer, type CallInit, type TestServer } from '../../server.ts';

const HTML = '<p>shown</p>';
const BROWSER = { accept: 'text/html,application/xhtml+xml' };

let server: TestServer;
let content: string;
let session: BrowserHeaders;
let store: string;
const record = () => `/v2/key-value-stores/${store}/records/page`;

before(async () => {
  const port = await fixedPort();
  content = `http://localhost:${port}`;
  server = await startServer({ port, contentUrl: content, limits: 'off' });
  const admin = await findMember(server.app.kernel.db, { username: 'admin' });
  session = await openBrowser(server, admin!);
  store = String((await server.call('/v2/key-value-stores', { method: 'POST' })).json['data'].id);
  const headers = { 'content-type': 'text/html' };
  assert.equal((await server.call(record(), { method: 'PUT', body: HTML, headers })).status, 201);
});
after(() => server.stop());

/** A call to the origin of content, without a token unless the headers say otherwise. */
function atContent(path: string, { headers, ...init }: CallInit = {}): Promise<Answer> {
  const { host } = new URL(content);
  return server.call(path, { token: null, ...init, headers: { host, ...headers } });
}

async function linkTo(path: string, isDownload = false): Promise<string> {
  const { status, json } = await server.call('/signalbox/v1/links', {
    method: 'POST',
    token: null,
    headers: { ...session, origin: server.url },
    body: { path, isDownload },
  });
  assert.equal(status, 201);
  return String(json['url']);
}

const pathIn = (url: string) => url.slice(content.length);

test('a link to a record leads to the other origin, and shows it there without a cookie, for a minute', async () => {
  const link = await linkTo(record());
  assert.ok(link.startsWith(`${content}${record()}?`));
  const shown = await atContent(pathIn(link));
  assert.deepEqual([shown.status, shown.text], [200, HTML]);
  const policy = shown.headers.get('content-security-policy');
  assert.equal(policy, `sandbox allow-scripts, frame-ancestors ${server.url}`);
  assert.equal(shown.headers.get('referrer-policy'), 'no-referrer');
  assert.equal(shown.headers.get('content-disposition'), null);
  const part = await atContent(pathIn(link), { headers: { range: 'bytes=0-2' } });
  assert.deepEqual([part.status, part.text], [206, '<p>']);
  server.clock.ahead += 61_000;
  assert.equal((await atContent(pathIn(link))).status, 401);
});

test('a link is good for its path, its origin and for reading alone, and ends with its session', async () => {
  const link = pathIn(await linkTo(record()));
  const [, query] = link.split('?', 2);
  assert.equal((await atContent(`/v2/key-value-stores/${store}/records?${query}`)).status, 401);
  assert.equal((await atContent(`${record()}?attachment=1&${query}`)).status, 401);
  assert.equal((await atContent(link, { method: 'DELETE' })).status, 404);
  assert.equal((await server.call(link, { token: null })).status, 401);
  const other = await openBrowser(server, (await findMember(server.app.kernel.db, { username: 'admin' }))!);
  const { json } = await server.call('/signalbox/v1/links', {
    method: 'POST',
    token: null,
    headers: { ...other, origin: server.url },
    body: { path: record() },
  });
  assert.equal((await atContent(pathIn(String(json['url'])))).status, 200);
  const headers = { ...other, origin: server.url };
  await server.call('/signalbox/v1/session', { method: 'DELETE', token: null, headers });
  assert.equal((await atContent(pathIn(String(json['url'])))).status, 401);
});

test('a link for saving is sent as an attachment, and errors are not saved', async () => {
  const saved = await atContent(pathIn(await linkTo(record(), true)));
  assert.deepEqual([saved.status, saved.headers.get('content-disposition')], [200, 'attachment']);
  const missing = await atContent(pathIn(await linkTo(`${record()}s`, true)));
  assert.deepEqual([missing.status, missing.headers.get('content-disposition')], [404, null]);
});

test('no session is valid at the origin of content, and nothing but content is served there', async () => {
  assert.equal((await atContent(record(), { headers: session })).status, 401);
  for (const path of [
    '/',
    '/console',
    '/session',
    '/docs',
    '/healthz',
    '/metrics',
    '/v2/users/me',
    '/v2/key-value-stores',
    '/api/v2/projects',
    '/user',
    '/signalbox/v1/me',
    '/nothing/at/all',
  ]) {
    const reply = await atContent(path, { headers: { ...session, ...BROWSER } });
    assert.equal(reply.status, 404, path);
    assert.match(reply.text, /serves only what users have stored/, path);
    assert.equal(reply.headers.get('set-cookie'), null, path);
    assert.match(reply.headers.get('content-security-policy') ?? '', /frame-ancestors/, path);
  }
  const login = { method: 'POST', headers: { ...FORM, origin: content }, body: 'name=admin&password=x' };
  assert.equal((await atContent('/session', login)).status, 404);
  const write = { method: 'PUT', token: ADMIN_TOKEN, body: 'x' };
  assert.equal((await atContent(record(), write)).status, 404);
});

test('clients get content at the address where they expect it, with a token or a signature', async () => {
  const keys = await server.call(`/v2/key-value-stores/${store}/keys`);
  const address = String(keys.json['data'].items[0].recordPublicUrl);
  assert.ok(address.startsWith(server.url));
  assert.equal((await server.call(record())).text, HTML);
  const signed = address.slice(server.url.length);
  assert.equal((await server.call(signed, { token: null })).text, HTML);
  // The same signature is good at the other origin.
  assert.equal((await atContent(signed)).text, HTML);
});

test('a browser that opens content at the origin of the console is sent on', async () => {
  const navigation = { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin' };
  const open = (path: string, headers: Record<string, string>) => server.call(path, { token: null, headers });
  const member = await open(record(), { ...session, ...navigation });
  assert.deepEqual([member.status, member.headers.get('cache-control')], [302, 'no-store']);
  const link = member.headers.get('location')!;
  assert.ok(link.startsWith(`${content}${record()}?signalbox_link=`));
  assert.equal((await atContent(pathIn(link))).text, HTML);
  const anonymous = await open(`${record()}?signature=x`, BROWSER);
  assert.equal(anonymous.headers.get('location'), `${content}${record()}?signature=x`);
  // What a page fetches stays, and so does what has no content.
  assert.equal((await open(record(), { ...session, 'sec-fetch-dest': 'empty' })).status, 200);
  assert.equal((await open('/v2/users/me', { ...session, ...navigation })).status, 200);
});

test('links to everything else stay at this origin', async () => {
  assert.match(await linkTo('/v2/users/me'), /^\/v2\/users\/me\?signalbox_link=/);
});

test('the console may show images, films and frames of the origin of content', async () => {
  // As if it were built.
  const page = () => Promise.resolve('<html lang="en"></html>');
  Object.assign(server.app.kernel.services.console, { readPage: page });
  const { headers } = await server.call('/console', { token: null, headers: session });
  const policy = headers.get('content-security-policy')!;
  for (const directive of ["img-src 'self' data:", "media-src 'self'", "frame-src 'self'"])
    assert.ok(policy.includes(`${directive} ${content};`), directive);
  assert.doesNotMatch(policy.replaceAll(/(?:img|media|frame)-src [^;]*/g, ''), /localhost/);
});

test('a program in standby mode is reached there by a link and with a token, and sets no cookie', async () => {
  const actor = await createStandby(server, {}, { name: 'shown' });
  const path = `/standby/${String(actor['id'])}/page`;
  assert.equal((await atContent(path)).status, 401);
  assert.equal((await atContent(path, { headers: session })).status, 401);
  const shown = await atContent(pathIn(await linkTo(path)));
  assert.equal(shown.status, 200);
  assert.match(shown.headers.get('content-security-policy')!, /sandbox allow-scripts, frame-ancestors/);
  const navigation = { 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none' };
  const opened = await server.call(path, { token: null, headers: { ...session, ...navigation } });
  assert.equal(opened.status, 302);
  assert.ok(opened.headers.get('location')!.startsWith(content + path));
  // An upgrade takes the same way: without a credential there is none.
  const socket = new WebSocket(`${content.replace('http', 'ws')}${path}`);
  await new Promise((resolve) => socket.addEventListener('error', resolve, { once: true }));
});

test('a content origin that keeps nothing apart from the console is refused at start', async () => {
  const start = (settings: { publicUrl?: string; contentUrl: string }) => startServer(settings);
  for (const contentUrl of [
    'http://box.example.org',
    'http://box.example.org:8443',
    'https://box.example.org',
  ])
    await assert.rejects(
      start({ publicUrl: 'http://box.example.org', contentUrl }),
      /has the host name of the console/,
    );
  await assert.rejects(start({ contentUrl: 'http://127.0.0.1:9' }), /has the host name of the console/);
  await assert.rejects(
    start({ publicUrl: 'https://box.example.org', contentUrl: 'http://content.example.org' }),
    /must begin with https/,
  );
});
