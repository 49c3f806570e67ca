// The real `launchdarkly-api-typescript`, pointed at a running server by its base path alone.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import type * as Ld from 'launchdarkly-api-typescript';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';

// Its modules are CommonJS whose names only `require` sees.
const { AccessTokensApi, Configuration, OtherApi } = createRequire(import.meta.url)(
  'launchdarkly-api-typescript',
) as typeof Ld;

let server: TestServer;
let tokens: Ld.AccessTokensApi;
let other: Ld.OtherApi;
before(async () => {
  server = await startServer();
  const configuration = new Configuration({ basePath: server.url, apiKey: ADMIN_TOKEN });
  tokens = new AccessTokensApi(configuration);
  other = new OtherApi(configuration);
});
after(() => server.stop());

interface HttpError {
  response: { status: number; data: { code: string; message: string; id: string } };
}

async function failureOf(call: Promise<unknown>): Promise<HttpError['response']> {
  const error = await call.then(
    () => assert.fail('the call should have failed'),
    (reason: unknown) => reason as HttpError,
  );
  return error.response;
}

test('a token is made, read, changed, reset and deleted', async () => {
  const made = await tokens.postToken({ name: 'ci', role: 'writer', serviceToken: true });
  assert.equal(made.status, 201);
  const { _id: id, token: secret } = made.data;
  assert.match(secret!, /^api-/);
  assert.ok(Math.abs(made.data.creationDate - Date.now()) < 60_000);

  const read = await tokens.getToken(id);
  assert.deepEqual([read.data.name, read.data.role, read.data.serviceToken], ['ci', 'writer', true]);
  assert.equal(read.data.token, secret!.slice(-4));

  const patched = await tokens.patchToken(id, [
    { op: 'test', path: '/name', value: 'ci' },
    { op: 'replace', path: '/name', value: 'deploy' },
    { op: 'add', path: '/role', value: 'reader' },
  ]);
  assert.deepEqual([patched.data.name, patched.data.role], ['deploy', 'reader']);

  const reset = await tokens.resetToken(id);
  assert.notEqual(reset.data.token, secret);
  const renewed = new OtherApi(new Configuration({ basePath: server.url, apiKey: reset.data.token! }));
  assert.equal((await renewed.getCallerIdentity()).data.tokenId, id);
  const old = new OtherApi(new Configuration({ basePath: server.url, apiKey: secret! }));
  assert.equal((await failureOf(old.getCallerIdentity())).status, 401);

  assert.equal((await tokens.deleteToken(id)).status, 204);
  const gone = await failureOf(tokens.getToken(id));
  assert.deepEqual([gone.status, gone.data.code], [404, 'not_found']);
});

test('a reset with a grace time leaves the old secret to work until then', async () => {
  const { data } = await tokens.postToken({ name: 'slow' });
  const expiry = server.clock.now() + 60_000;
  await tokens.resetToken(data._id, expiry);
  const old = new OtherApi(new Configuration({ basePath: server.url, apiKey: data.token! }));
  assert.equal((await old.getCallerIdentity()).data.tokenName, 'slow');
  server.clock.goTo(expiry);
  assert.equal((await failureOf(old.getCallerIdentity())).status, 401);
});

test('a list is paged by limit and offset, and by its links', async () => {
  for (let index = 0; index < 30; index += 1) await tokens.postToken({ name: `listed ${index}` });
  const first = await tokens.getTokens();
  assert.equal(first.data.items!.length, 25);
  const { totalCount } = first.data;
  const rest = await tokens.getTokens(undefined, 25, 25);
  assert.equal(rest.data.items!.length, totalCount! - 25);
  assert.equal(rest.data._links!['next'], undefined);
  const ids = new Set([...first.data.items!, ...rest.data.items!].map(({ _id }) => _id));
  assert.equal(ids.size, totalCount);
  assert.match(first.data._links!['next']!.href!, /^\/api\/v2\/tokens\?/);
  assert.equal((await tokens.getTokens(true, 1)).data.items!.length, 1);
});

test('statements of a policy go there and back', async () => {
  const inlineRole = [
    { effect: 'allow' as const, actions: ['view*'], resources: ['proj/*:env/production:flag/*'] },
  ];
  const { data } = await tokens.postToken({ name: 'narrow', inlineRole });
  assert.deepEqual((await tokens.getToken(data._id)).data.inlineRole, inlineRole);
});

test('the root, the caller, the versions and the description are there', async () => {
  const root = await other.getRoot();
  const { links } = root.data as unknown as { links: Record<string, { href: string }> };
  assert.equal(links['tokens']!.href, '/api/v2/tokens');
  const caller = (await other.getCallerIdentity()).data;
  assert.deepEqual([caller.authKind, caller.tokenName, caller.serviceToken], ['token', 'admin', false]);
  const versions = (await other.getVersions()).data;
  assert.equal(versions.currentVersion, 20_240_415);
  assert.deepEqual(versions.validVersions, [20_220_603, 20_240_415]);
  const { addresses, outboundAddresses } = (await other.getIps()).data;
  assert.deepEqual([addresses, Array.isArray(outboundAddresses)], [['127.0.0.1'], true]);
  const { data: description } = (await other.getOpenapiSpec()) as { data: unknown };
  assert.equal((description as { openapi: string }).openapi, '3.1.0');
});

test('errors come with code, message and id', async () => {
  const wrong = new AccessTokensApi(new Configuration({ basePath: server.url, apiKey: 'api-wrong' }));
  const unknown = await failureOf(wrong.getTokens());
  assert.deepEqual([unknown.status, unknown.data.code], [401, 'unauthorized']);
  assert.match(unknown.data.id, /^[0-9a-f-]{36}$/);
  const bad = await failureOf(tokens.postToken({ role: 'king' as 'reader' }));
  assert.deepEqual([bad.status, bad.data.code], [400, 'invalid_request']);
  const { data } = await tokens.postToken({ name: 'tested' });
  const change = [{ op: 'test', path: '/name', value: 'other' }];
  assert.equal((await failureOf(tokens.patchToken(data._id, change))).status, 409);
});
