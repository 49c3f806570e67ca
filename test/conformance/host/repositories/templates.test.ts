// What the host offers to everybody without a repository: licences, templates of ignored files, emojis and a picture.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startServer, type Answer, type CallInit, type Json, type TestServer } from '../../../server.ts';

const VERSIONS = ['2022-11-28', '2026-03-10'];

let server: TestServer;
before(async () => {
  server = await startServer({ limits: 'off' });
});
after(() => server.stop());

const get = (path: string, init: CallInit = {}) => server.call(path, { token: null, ...init });
const itemsOf = ({ json }: Answer) => json as unknown as Json[];
const keysOf = (answer: Answer) => itemsOf(answer).map(({ key }) => key as string);

/** In both versions, at both addresses, with a token and without. */
async function sameEverywhere(path: string): Promise<Answer> {
  const first = await get(path);
  assert.equal(first.status, 200, first.text);
  for (const version of VERSIONS)
    assert.equal((await get(path, { headers: { 'x-host-api-version': version } })).text, first.text);
  assert.equal((await server.call(path)).text, first.text);
  const below = await get(`/api/v3${path}`);
  assert.equal(below.text.replaceAll(`${server.url}/api/v3/`, `${server.url}/`), first.text);
  return first;
}

async function assertUnknown(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const { status, json } = await get(path);
    assert.deepEqual([status, json['status']], [404, '404'], path);
  }
}

async function assertOnlyRead(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      assert.equal((await server.call(path, { method })).status, 404, `${method} ${path}`);
    assert.equal((await get(path, { method: 'HEAD' })).status, 200, path);
    assert.equal((await get(path, { token: 'api-nobody-has-this-token' })).status, 401, path);
    const etag = (await get(path)).headers.get('etag')!;
    assert.equal((await get(path, { headers: { 'if-none-match': etag } })).status, 304, path);
  }
}

test('the licences that most people use are listed, in pages, and the featured ones alone', async () => {
  const all = await sameEverywhere('/licenses');
  assert.equal(keysOf(all).length, 13);
  assert.deepEqual(keysOf(all), keysOf(all).toSorted());
  assert.deepEqual(keysOf(await get('/licenses?featured=true')), ['apache-2.0', 'gpl-3.0', 'mit']);
  assert.equal(keysOf(await get('/licenses?featured=false')).length, 10);
  const second = await get('/licenses?per_page=5&page=2');
  assert.deepEqual(keysOf(second), keysOf(all).slice(5, 10));
  assert.match(second.headers.get('link') ?? '', /page=3>; rel="next".*page=3>; rel="last"/);
  assert.deepEqual(keysOf(await get('/licenses?page=9')), []);
  for (const query of ['featured=maybe', 'page=0', 'per_page=x'])
    assert.equal((await get(`/licenses?${query}`)).status, 422, query);
  for (const license of itemsOf(all)) {
    const { json } = await get(new URL(license['url'] as string).pathname);
    assert.equal(json['spdx_id'], license['spdx_id']);
    assert.ok((json['permissions'] as string[]).includes('commercial-use'));
    assert.ok((json['limitations'] as string[]).includes('liability'));
  }
  await assertOnlyRead(['/licenses', '/licenses/mit']);
});

test('each licence of the SPDX list has its text, by its name in any case', async () => {
  const { json: mit } = await sameEverywhere('/licenses/mit');
  assert.deepEqual([mit['key'], mit['spdx_id'], mit['featured']], ['mit', 'MIT', true]);
  assert.match(mit['body'] as string, /Permission is hereby granted/);
  assert.deepEqual((await get('/licenses/MIT')).json, mit);
  const { json: rare } = await get('/licenses/zlib');
  assert.deepEqual([rare['permissions'], rare['featured']], [[], false]);
  await assertUnknown([
    '/licenses/none',
    '/licenses/other',
    '/licenses/__proto__',
    '/licenses/constructor',
    '/licenses/..%2F..%2Fpackage',
    '/licenses/mit/text',
    `/licenses/${'x'.repeat(500)}`,
  ]);
});

test('the templates of ignored files are those that a repository can begin with', async () => {
  const { json } = await sameEverywhere('/gitignore/templates');
  const names = json as unknown as string[];
  assert.ok(names.includes('Node') && names.includes('C++'));
  for (const name of names) {
    const path = `/gitignore/templates/${encodeURIComponent(name)}`;
    const { json: template } = await sameEverywhere(path);
    assert.equal(template['name'], name);
    const raw = await get(path, { headers: { accept: 'application/vnd.github.raw+json' } });
    assert.equal(raw.text, template['source']);
    assert.equal(raw.headers.get('content-type'), 'application/vnd.github.raw+json; charset=utf-8');
  }
  await assertUnknown([
    '/gitignore',
    '/gitignore/templates/',
    '/gitignore/templates/None',
    '/gitignore/templates/node',
    '/gitignore/templates/__proto__',
    '/gitignore/templates/Node/x',
  ]);
  await assertOnlyRead(['/gitignore/templates', '/gitignore/templates/Node']);
});

test('each emoji has a picture on this server, which holds nothing but its character', async () => {
  const { json } = await sameEverywhere('/emojis');
  const urls = Object.entries<string>(json);
  assert.ok(urls.length > 1800);
  assert.deepEqual(
    urls.filter(([, url]) => !/^\/emojis\/unicode\/[0-9a-f-]+\.svg$/.test(url.slice(server.url.length))),
    [],
  );
  assert.equal(json['+1'], json['thumbsup']);
  assert.equal(json['+1'], `${server.url}/emojis/unicode/1f44d.svg`);
  for (const [name, character] of [
    ['+1', '👍'],
    ['heart', '❤️'],
    ['de', '🇩🇪'],
    ['one', '1️⃣'],
    ['technologist', '🧑‍💻'],
  ] as const) {
    const { status, text, headers } = await get(new URL(json[name] as string).pathname);
    assert.equal(status, 200, name);
    assert.ok(text.includes(`>${character}</text>`), text);
    assert.equal(headers.get('content-type'), 'image/svg+xml');
    assert.equal(headers.get('content-security-policy'), "default-src 'none'");
  }
  await assertUnknown([
    '/emojis/none',
    '/emojis/unicode',
    '/emojis/unicode/1f44d',
    '/emojis/unicode/1f44d.png',
    '/emojis/unicode/%3Cscript%3E.svg',
    '/emojis/unicode/.svg',
    '/emojis/unicode/41.svg',
  ]);
  await assertOnlyRead(['/emojis', '/emojis/unicode/1f44d.svg']);
});

test('the picture says what it is told, in one line and without control characters', async () => {
  for (const version of VERSIONS) {
    const headers = { 'x-host-api-version': version };
    const { status, text, headers: sent } = await get('/octocat?s=Line%20clear', { headers });
    assert.equal(status, 200);
    assert.ok(text.includes('| Line clear |'), text);
    assert.equal(sent.get('content-type'), 'application/octocat-stream; charset=utf-8');
    assert.equal(sent.get('x-content-type-options'), 'nosniff');
  }
  const { text } = await get(`/octocat?s=${encodeURIComponent('a\u001B[2J\r\nb\u009B\u202Ec\u2028d')}`);
  assert.ok(text.includes('| a [2J  b  c d |'), text);
  assert.match((await get('/octocat')).text, /\| .+ \|/);
  assert.match((await get('/octocat?s=')).text, /\| {2}\|/);
  assert.equal((await get(`/octocat?s=${'x'.repeat(201)}`)).status, 422);
  for (const method of ['POST', 'DELETE'])
    assert.equal((await server.call('/octocat', { method })).status, 404);
});
