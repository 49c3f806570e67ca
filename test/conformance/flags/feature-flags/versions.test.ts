// The versions of the flags API: what a call in an older one gets, and which are refused.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startServer, type Answer, type Json, type TestServer } from '../../../server.ts';

const OLD = '20220603';
const NEW = '20240415';
const MANY = 27;

let server: TestServer;

async function post(path: string, body: Json): Promise<Json> {
  const { status, json, text } = await server.call(`/api/v2/${path}`, { method: 'POST', body });
  assert.equal(status, 201, text);
  return json;
}

function read(path: string, version?: string, token?: string): Promise<Answer> {
  return server.call(`/api/v2/${path}`, {
    headers: version === undefined ? {} : { 'ld-api-version': version },
    ...(token !== undefined && { token }),
  });
}

const countOf = ({ json }: Answer) => (json['items'] as Json[]).length;

before(async () => {
  server = await startServer({ limits: 'off' });
  for (let number = 0; number < MANY; number += 1) {
    const named = { key: `n${number}`, name: `N${number}` };
    await post('flags/default', named);
    await post('segments/default/test', named);
    await post('roles', { ...named, policy: [] });
    await post('tokens', { name: `N${number}`, role: 'reader' });
  }
});
after(() => server.stop());

test('the versions that there are', async () => {
  const { json } = await read('versions');
  assert.deepEqual(json['validVersions'], [Number(OLD), Number(NEW)]);
  assert.deepEqual([json['latestVersion'], json['currentVersion']], [Number(NEW), Number(NEW)]);
});

test('the reply names the version that answered, also to a call that asks for none', async () => {
  for (const [asked, answered] of [
    [OLD, OLD],
    [NEW, NEW],
    ['beta', NEW],
    ['', NEW],
    [undefined, NEW],
  ]) {
    const { status, headers } = await read('projects', asked);
    assert.deepEqual([status, headers.get('ld-api-version')], [200, answered]);
  }
});

test('F33 a version that has ended, or that there never was, is a bad request that says which there are', async () => {
  for (const version of ['20160426', '20191212', '20210729']) {
    const { status, json } = await read('projects', version);
    assert.equal(status, 400);
    assert.equal(json['message'], `API version ${version} has ended. Supported: 20220603, 20240415, beta.`);
  }
  const { status, json } = await read('projects', '20240416');
  assert.equal(status, 400);
  assert.equal(
    json['message'],
    'API version 20240416 is not supported. Supported: 20220603, 20240415, beta.',
  );
});

for (const [path, usual] of [
  ['flags/default', 20],
  ['segments/default/test', 20],
  ['roles', 20],
  ['tokens', 25],
] as const) {
  test(`${path}: ${usual} on a page since ${NEW}, all of them before, unless limit says otherwise`, async () => {
    assert.equal(countOf(await read(path)), usual);
    assert.equal(countOf(await read(path, NEW)), usual);
    const whole = await read(path, OLD);
    assert.ok(countOf(whole) >= MANY);
    assert.equal(whole.json['totalCount'], countOf(whole));
    assert.equal(whole.json['_links'].next, undefined);
    assert.equal(countOf(await read(`${path}?limit=5`, OLD)), 5);
  });
}

test(`flags in a list have their environments before ${NEW}, and since then those that are asked for`, async () => {
  const environmentsOf = ({ json }: Answer) => Object.keys(json['items'][0].environments ?? {}).toSorted();
  assert.deepEqual(environmentsOf(await read('flags/default')), []);
  const old = await read('flags/default', OLD);
  assert.deepEqual(environmentsOf(old), ['production', 'test']);
  assert.equal(old.json['items'][0].environments.test.rules, undefined);
  assert.deepEqual(environmentsOf(await read('flags/default?env=test', OLD)), ['test']);
});

test('a token has a version of its own for calls that name none', async () => {
  const { token } = await post('tokens', { name: 'old', role: 'reader', defaultApiVersion: Number(OLD) });
  const unnamed = await read('flags/default', undefined, token as string);
  assert.equal(unnamed.headers.get('ld-api-version'), OLD);
  assert.equal(countOf(unnamed), MANY);
  const named = await read('flags/default', NEW, token as string);
  assert.equal(named.headers.get('ld-api-version'), NEW);
  assert.equal(countOf(named), 20);
  const { json } = await read('versions', undefined, token as string);
  assert.equal(json['currentVersion'], Number(OLD));
});

test('a token cannot have a version that has ended; one that was made before calls in the newest', async () => {
  const refused = await server.call('/api/v2/tokens', {
    method: 'POST',
    body: { name: 'older', defaultApiVersion: 20_191_212 },
  });
  assert.equal(refused.status, 400, refused.text);
  const { token, _id } = await post('tokens', { name: 'older', role: 'reader' });
  await server.app.kernel.db
    .updateTable('tokens')
    .set({ default_api_version: 20_160_426 })
    .where('id', '=', _id as string)
    .execute();
  const answer = await read('flags/default', undefined, token as string);
  assert.deepEqual([answer.status, answer.headers.get('ld-api-version')], [200, NEW]);
  assert.equal(countOf(answer), 20);
});
