// The OpenFeature SDK for servers with the OFREP provider, both unmodified, against a running server.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { ErrorCode, OpenFeature, type Client, type EvaluationContext } from '@openfeature/server-sdk';
import { openProject, seenBy, type KeyProject } from '../conformance/flags/delivery/keys-calls.ts';
import { fixedPort } from '../fixed-port.ts';
import { startServer, type TestServer } from '../server.ts';

const ADA = { targetingKey: 'ada', email: 'ada@example.com' };

const data = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
let server: TestServer;
let home: KeyProject;
before(async () => {
  server = await startServer({ limits: 'off', data, port: await fixedPort() });
  home = await openProject(server);
  const flags: [key: string, first: unknown, second: unknown][] = [
    ['boolean', true, false],
    ['string', 'new', 'old'],
    ['number', 1.5, 0],
    ['object', { a: [1] }, {}],
  ];
  for (const [key, first, second] of flags) {
    const { variations } = await home.flags.make(key, {
      variations: [{ value: first }, { value: second }],
      ...seenBy(false, key !== 'string'),
    });
    await home.instruct(key, [
      { kind: 'turnFlagOn' },
      { kind: 'updateFallthroughVariationOrRollout', variationId: variations[1]._id },
      {
        kind: 'addRule',
        variationId: variations[0]._id,
        clauses: [{ attribute: 'email', op: 'endsWith', values: ['@example.com'] }],
      },
    ]);
  }
});
after(async () => {
  await OpenFeature.clearProviders();
  await server.stop();
  rmSync(data, { recursive: true });
});

/** Each test has a domain, and so a provider, of its own. */
async function open(domain: string, key: string): Promise<Client> {
  const headers: [string, string][] = [['Authorization', `Bearer ${key}`]];
  await OpenFeature.setProviderAndWait(domain, new OFREPProvider({ baseUrl: server.url, headers }));
  return OpenFeature.getClient(domain);
}

test('the server provider evaluates every type, for the context of each call', async () => {
  const client = await open('types', home.keys.sdk);
  assert.equal(await client.getBooleanValue('boolean', false, ADA), true);
  assert.equal(await client.getStringValue('string', 'none', ADA), 'new');
  assert.equal(await client.getNumberValue('number', -1, ADA), 1.5);
  assert.deepEqual(await client.getObjectValue('object', {}, ADA), { a: [1] });
  const { value, variant, reason, flagMetadata } = await client.getStringDetails('string', 'none', {
    targetingKey: 'bob',
  });
  assert.deepEqual([value, variant, reason], ['old', '1', 'DEFAULT']);
  assert.deepEqual(flagMetadata, { flagVersion: 2, reasonKind: 'FALLTHROUGH' });
  assert.equal((await client.getStringDetails('string', 'none', ADA)).reason, 'TARGETING_MATCH');
});

test('the server provider understands the errors', async () => {
  const client = await open('errors', home.keys.sdk);
  const codeOf = async (key: string, context: EvaluationContext) =>
    (await client.getBooleanDetails(key, true, context)).errorCode;
  assert.equal(await codeOf('unknown', ADA), ErrorCode.FLAG_NOT_FOUND);
  assert.equal(await codeOf('boolean', {}), ErrorCode.TARGETING_KEY_MISSING);
  assert.equal(await codeOf('boolean', { ...ADA, kind: 'a b' }), ErrorCode.INVALID_CONTEXT);
  assert.equal(await codeOf('string', ADA), ErrorCode.TYPE_MISMATCH);
  const browser = await open('browser', home.keys.client);
  assert.equal((await browser.getStringDetails('string', '', ADA)).errorCode, ErrorCode.FLAG_NOT_FOUND);
  assert.equal((await browser.getNumberDetails('number', 0, ADA)).value, 1.5);
  const stranger = await open('stranger', 'sdk-wrong');
  const { value, errorCode, errorMessage } = await stranger.getBooleanDetails('boolean', false, ADA);
  assert.deepEqual([value, errorCode], [false, ErrorCode.GENERAL], errorMessage);
});

test('the server provider goes on after a restart, with what has changed meanwhile', async () => {
  const client = await open('restart', home.keys.sdk);
  assert.equal(await client.getBooleanValue('boolean', false, ADA), true);
  await home.instruct('boolean', [{ kind: 'turnFlagOff' }]);
  assert.equal(await client.getBooleanValue('boolean', true, ADA), false, 'at once');
  const { port } = new URL(server.url);
  await server.stop();
  const { value, errorCode } = await client.getBooleanDetails('boolean', true, ADA);
  assert.deepEqual([value, errorCode], [true, ErrorCode.GENERAL], 'the default in the code');
  server = await startServer({ limits: 'off', data, port: Number(port) });
  assert.equal(await client.getBooleanValue('boolean', true, ADA), false);
});
