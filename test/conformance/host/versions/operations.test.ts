// Changes of operations, on a running server: the status and the content type of replies by version, whatever makes the reply.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { diffContracts } from '../../../../tools/contract/diff.ts';
import { hostApi } from '../../../../src/host/api.ts';
import { versions } from '../../../../src/host/versions/index.ts';
import { versionSelection } from '../../../../src/host/versions/select-version.ts';
import type { Api } from '../../../../src/kernel/http/protocol.ts';
import { versionPage } from '../../../../src/kernel/openapi/docs-version-page.ts';
import { Failure } from '../../../../src/kernel/failure.ts';
import { describeApi } from '../../../../src/kernel/openapi/document.ts';
import { Bytes, reply, route, Stream, Text } from '../../../../src/kernel/http/route.ts';
import { Type } from '../../../../src/kernel/schema/schema.ts';
import { operationChange, type VersionTable } from '../../../../src/kernel/versions/version.ts';
import { mount } from '../../../mount.ts';
import { startServer, type TestServer } from '../../../server.ts';

const OLD = '2022-11-28';
const NEW = '2026-03-10';
const NOW = 'application/report+json';
const BEFORE = 'application/json+report';

const inBackground = operationChange({
  version: NEW,
  title: 'Things are deleted in the background',
  advice: 'Accept the status 202.',
  operations: ['things/delete'],
  status: { now: 202, before: 204 },
});
const renamedType = operationChange({
  version: NEW,
  title: 'Reports have the type `application/report+json`',
  advice: 'Accept both types.',
  operations: ['reports/get'],
  contentType: { now: NOW, before: BEFORE },
});
const table: VersionTable = {
  ...versions,
  changes: [],
  operationChanges: [inBackground, renamedType],
};

const OWN_LINK = '<https://example.com/reports?page=2>; rel="next"';
const open = { summary: 'For a test', access: 'anyone' } as const;
const params = Type.Object({ form: Type.String() });
const bytes = (text: string) => new TextEncoder().encode(text);
const text = '{"a":1}';
async function* source() {
  yield bytes(text);
}

const deleteThing = route(
  {
    ...open,
    id: 'things/delete',
    method: 'DELETE',
    path: '/things/{form}',
    params,
    reply: { 202: Type.Object({}) },
  },
  ({ params: { form } }) => {
    if (form === 'bytes') return new Bytes(bytes(text), { 'content-type': NOW }, 202);
    if (form === 'stream') return new Stream(source(), { 'content-type': NOW }, 202);
    if (form === 'unknown') throw new Failure('not-found', 'There is no such thing');
    return form === 'plain' ? {} : reply(202, {}, { 'x-thing': form });
  },
);
const getReport = route(
  {
    ...open,
    id: 'reports/get',
    method: 'GET',
    path: '/reports/{form}',
    params,
    reply: { 200: Type.Object({}) },
  },
  ({ params: { form } }) => {
    const type = `${NOW}; charset=utf-8`;
    if (form === 'text') return new Text(type, text);
    if (form === 'bytes') return new Bytes(bytes(text), { 'content-type': type });
    if (form === 'stream') return new Stream(source(), { 'content-type': type });
    if (form === 'linked-bytes') return new Bytes(bytes(text), { 'content-type': type, link: OWN_LINK });
    if (form === 'linked-stream') return new Stream(source(), { 'content-type': type, link: OWN_LINK });
    if (form === 'linked-reply') return reply(200, { a: 1 }, { link: OWN_LINK });
    return form === 'reply' ? reply(200, { a: 1 }, { 'content-type': type }) : { a: 1 };
  },
);
const getOther = route(
  { ...open, id: 'others/get', method: 'GET', path: '/others', reply: { 200: Type.Object({}) } },
  () => ({}),
);

const api: Api = {
  protocol: { ...hostApi.protocol, ...versionSelection(table) },
  routes: [deleteThing, getReport, getOther],
};

let server: TestServer;
let fixture: Awaited<ReturnType<typeof mount>>;
before(async () => {
  server = await startServer({ limits: 'off' });
  fixture = await mount(server, api);
});
after(async () => {
  await fixture.close();
  await server.stop();
});

async function call(version: string, path: string, method = 'GET', headers: Record<string, string> = {}) {
  const response = await fetch(fixture.url + path, {
    method,
    headers: { 'x-host-api-version': version, ...headers },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test('H6 a status is that of the version, and where the old one has no body none is sent', async () => {
  for (const form of ['plain', 'reply', 'bytes', 'stream']) {
    const old = await call(OLD, `/things/${form}`, 'DELETE');
    assert.deepEqual([old.status, old.text, old.headers.get('content-length')], [204, '', null], form);
    assert.equal(old.headers.get('x-thing'), form === 'reply' ? form : null);
    const fresh = await call(NEW, `/things/${form}`, 'DELETE');
    assert.deepEqual([fresh.status, fresh.text === ''], [202, false], form);
  }
});

test('H6 errors of a changed operation have the same status in every version', async () => {
  for (const version of [OLD, NEW]) {
    const { status, headers } = await call(version, '/things/unknown', 'DELETE');
    assert.equal(status, 404);
    assert.match(headers.get('content-type')!, /^application\/json;/);
    assert.equal(headers.get('deprecation') !== null, version === OLD);
  }
});

test('H6 a content type is that of the version, with its parameters, and other types stay', async () => {
  for (const form of ['text', 'bytes', 'stream', 'reply']) {
    for (const [version, type] of [
      [OLD, BEFORE],
      [NEW, NOW],
    ] as const) {
      const { status, headers, text: body } = await call(version, `/reports/${form}`);
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), `${type}; charset=utf-8`, form);
      assert.equal(body, text, form);
      const head = await call(version, `/reports/${form}`, 'HEAD');
      assert.equal(head.headers.get('content-type'), `${type}; charset=utf-8`, form);
    }
  }
  for (const version of [OLD, NEW]) {
    const { headers } = await call(version, '/reports/json');
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    const etag = headers.get('etag')!;
    assert.equal((await call(version, '/reports/json', 'GET', { 'if-none-match': etag })).status, 304);
  }
});

test('H7 changed operations warn under the old version, and lead to the change', async () => {
  const { headers } = await call(OLD, '/things/plain', 'DELETE');
  assert.equal(headers.get('deprecation'), 'Tue, 10 Mar 2026 00:00:00 GMT');
  assert.match(headers.get('link')!, /versions\/2026-03-10#things-are-deleted-in-the-background>/);
  assert.equal((await call(NEW, '/things/plain', 'DELETE')).headers.get('deprecation'), null);
  assert.equal((await call(OLD, '/others')).headers.get('deprecation'), null);
});

test('H7 the Link of a reply itself stays beside the one that warns, whatever makes the reply', async () => {
  for (const form of ['linked-bytes', 'linked-stream', 'linked-reply']) {
    const link = (await call(OLD, `/reports/${form}`)).headers.get('link')!;
    assert.ok(link.startsWith(`${OWN_LINK}, <`), `${form}: ${link}`);
    assert.match(link, /versions\/2026-03-10#[^>]+>; rel="deprecation"/, form);
    assert.equal((await call(NEW, `/reports/${form}`)).headers.get('link'), OWN_LINK, form);
  }
});

test('H8 descriptions differ by the changes alone, and the comparison names both as breaking', () => {
  const [old, fresh] = [OLD, NEW].map((version) => describeApi(api, version, {}));
  const differences = diffContracts(old, fresh);
  const breaking = differences.filter(({ severity }) => severity === 'breaking');
  assert.equal(breaking.length, 2, JSON.stringify(differences, null, 1));
  assert.ok(breaking.some(({ where }) => where.includes('DELETE /things/{form}') && where.includes('204')));
  assert.ok(breaking.some(({ where, message }) => `${where} ${message}`.includes(BEFORE)));
  assert.deepEqual(diffContracts(fresh, fresh), []);
});

test('H23 the page says what became of the status and of the type', () => {
  const { body: page } = versionPage(api, NEW);
  assert.match(page, /Status <code>204<\/code> is <code>202<\/code>/);
  assert.match(
    page,
    /Content type <code>application\/json\+report<\/code> is <code>application\/report\+json/,
  );
  assert.match(page, /<code>DELETE \/things\/\{form\}<\/code> \(reply\)/);
});
