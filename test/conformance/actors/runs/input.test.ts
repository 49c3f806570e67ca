// Inputs of Actors: validation by the input schema of a build, against a running server.
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { after, before, test } from 'node:test';
import type { Actor } from '../../../../src/actors/actors/model.ts';
import { giveToken, join } from '../../../people.ts';
import { startServer, type CallInit, type TestServer } from '../../../server.ts';
import { giveActor, giveBuild } from './run-rows.ts';

let server: TestServer;
let actor: Actor;
before(async () => {
  server = await startServer({ limits: 'off' });
  actor = await giveActor(server, { name: 'with-schema' });
  await giveBuild(server, actor, { inputSchema: schemaOf({ name: { minLength: 2 } }, ['name']) });
  await giveBuild(server, actor, {
    inputSchema: schemaOf({ count: { type: 'integer', editor: 'number', maximum: 10 } }, []),
    number: '0.0.2',
    tag: 'beta',
  });
});
after(() => server.stop());

function schemaOf(fields: Record<string, object>, required: string[]) {
  const usual = { title: 'T', description: 'D', type: 'string', editor: 'textfield' };
  const properties = Object.entries(fields).map(([name, field]) => [name, { ...usual, ...field }]);
  return {
    title: 'Input',
    type: 'object',
    schemaVersion: 1,
    properties: Object.fromEntries(properties) as object,
    required,
  };
}

const validate = (init: CallInit, query = '', reference = actor.id) =>
  server.call(`/v2/actors/${reference}/validate-input${query}`, { method: 'POST', ...init });

test('a valid input is told so, outside of the envelope', async () => {
  for (const reference of [actor.id, '~with-schema', 'admin~with-schema']) {
    const { status, json, headers } = await validate({ body: { name: 'Ada' } }, '', reference);
    assert.deepEqual([status, json], [200, { valid: true }]);
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  }
});

test('an invalid input is refused with the names of its fields', async () => {
  const { status, json } = await validate({ body: { name: 'A' } });
  assert.equal(status, 400);
  assert.equal(json['error'].type, 'invalid-input');
  assert.match(
    json['error'].message,
    /^Input is not valid: Field input\.name must NOT have fewer than 2 characters\.$/,
  );
  const none = await validate({});
  assert.deepEqual(
    [none.status, none.json['error'].message],
    [400, 'Input is not valid: Field input.name is required.'],
  );
});

const BAD: [name: string, init: CallInit, status: number, type: string][] = [
  ['broken JSON', { body: '{"name":' }, 400, 'run-input-body-not-valid-json'],
  ['a list', { body: [] }, 400, 'input-json-not-object'],
  [
    'bytes that are no UTF-8',
    { body: Buffer.from([0x22, 0xff, 0x22]) },
    400,
    'input-json-invalid-characters',
  ],
  [
    'another content type',
    { body: 'x', headers: { 'content-type': 'text/plain' } },
    400,
    'invalid-content-type-header',
  ],
  [
    'an encoding that we do not know',
    { body: '{}', headers: { 'content-encoding': 'zstd' } },
    415,
    'unsupported-content-encoding',
  ],
  ['too many bytes', { body: Buffer.alloc(9_437_185, ' ') }, 413, 'request-too-large'],
];
for (const [name, init, status, type] of BAD) {
  test(`A28 ${name} is refused as ${type}`, async () => {
    const answer = await validate(init);
    assert.deepEqual([answer.status, answer.json['error'].type], [status, type]);
  });
}

test('a compressed input is read', async () => {
  const body = gzipSync(JSON.stringify({ name: 'Ada' }));
  assert.equal((await validate({ body, headers: { 'content-encoding': 'gzip' } })).status, 200);
});

test('the build is chosen by its tag or its number', async () => {
  for (const build of ['beta', '0.0.2']) {
    const { status, json } = await validate({ body: { count: 11 } }, `?build=${build}`);
    assert.deepEqual(
      [status, json['error'].message],
      [400, 'Input is not valid: Field input.count must be <= 10.'],
    );
    assert.equal((await validate({ body: { count: 10 } }, `?build=${build}`)).status, 200);
  }
  const { status, json } = await validate({ body: {} }, '?build=none');
  assert.deepEqual([status, json['error'].type], [400, 'unknown-build-tag']);
});

test('without a schema every input is valid', async () => {
  const other = await giveActor(server);
  await giveBuild(server, other, {});
  assert.equal((await validate({ body: { any: 1 } }, '', other.id)).status, 200);
});

test('a public Actor validates the inputs of others, and a private one is not found', async () => {
  const member = await join(server, 'visitor', { role: 'owner' });
  const { value: token } = await giveToken(server, member, { role: 'owner' });
  const open = await giveActor(server, { isPublic: true });
  await giveBuild(server, open, { inputSchema: schemaOf({ name: {} }, []) });
  assert.equal((await validate({ body: {}, token }, '', open.id)).status, 200);
  const hidden = await validate({ body: '{', token });
  assert.deepEqual([hidden.status, hidden.json['error'].type], [404, 'record-not-found']);
  const twice = await validate({ body: '{', token }, '?build=a&build=b');
  assert.deepEqual([twice.status, twice.json['error'].type], [404, 'record-not-found']);
  assert.equal((await validate({ body: {}, token: null })).status, 401);
});

test('a pattern that takes for ever is stopped, and other inputs are validated', async () => {
  const hostile = await giveActor(server);
  await giveBuild(server, hostile, { inputSchema: schemaOf({ name: { pattern: '^(a+)+$' } }, []) });
  const slow = validate({ body: { name: `${'a'.repeat(40)}!` } }, '', hostile.id);
  const begun = await server.call('/v2/users/me');
  assert.equal(begun.status, 200);
  const { status, json } = await slow;
  assert.equal(status, 400);
  assert.match(json['error'].message, /takes too long/);
  assert.equal((await validate({ body: { name: 'Ada' } })).status, 200);
});
