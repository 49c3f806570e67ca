// Contexts, their kinds and their settings by the real `launchdarkly-api-typescript`, pointed at a running server by its
// base path alone.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import type * as Ld from 'launchdarkly-api-typescript';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';

// Its modules are CommonJS whose names only `require` sees.
const { Configuration, ContextsApi, ContextSettingsApi, FeatureFlagsApi, ProjectsApi, SegmentsApi } =
  createRequire(import.meta.url)('launchdarkly-api-typescript') as typeof Ld;

let server: TestServer;
let contexts: Ld.ContextsApi;
let settings: Ld.ContextSettingsApi;
let flags: Ld.FeatureFlagsApi;
let segments: Ld.SegmentsApi;
before(async () => {
  server = await startServer();
  const configuration = new Configuration({ basePath: server.url, apiKey: ADMIN_TOKEN });
  contexts = new ContextsApi(configuration);
  settings = new ContextSettingsApi(configuration);
  flags = new FeatureFlagsApi(configuration);
  segments = new SegmentsApi(configuration);
  await new ProjectsApi(configuration).postProject({ key: 'shop', name: 'Shop' });
  await flags.postFeatureFlag('shop', { key: 'sort.order', name: 'SortOrder', tags: ['beta'] });
  const on = [{ op: 'replace', path: '/environments/production/on', value: true }];
  await flags.patchFeatureFlag('shop', 'sort.order', { patch: on });
  await flags.postFeatureFlag('shop', {
    key: 'page',
    name: 'Page',
    variations: [{ value: 'old' }, { value: 'new' }],
  });
});
after(() => server.stop());

const ACME = { kind: 'multi', user: { key: 'ada' }, organization: { key: 'acme', size: 5 } };

async function statusOf(call: Promise<unknown>): Promise<{ status: number; data: { code: string } }> {
  const error = await call.then(
    () => assert.fail('the call should have failed'),
    (reason: unknown) => reason as { response: { status: number; data: { code: string } } },
  );
  return error.response;
}

test('a kind is made and changed by its version', async () => {
  const body = {
    name: 'organization',
    description: 'Firms',
    hideInTargeting: false,
    archived: false,
    version: 1,
  };
  const made = await contexts.putContextKind('shop', 'organization', body);
  assert.deepEqual([made.status, made.data.status], [200, 'success']);
  await contexts.putContextKind('shop', 'organization', { name: 'Organization', version: 1 });
  const late = await statusOf(contexts.putContextKind('shop', 'organization', { name: 'Late', version: 1 }));
  assert.deepEqual([late.status, late.data.code], [409, 'optimistic_locking_error']);
  const { data } = await contexts.getContextKindsByProjectKey('shop');
  assert.deepEqual(
    data.items.map(({ key, name, description, version }) => [key, name, description, version]),
    [
      ['organization', 'Organization', 'Firms', 2],
      ['user', 'User', '', 1],
    ],
  );
});

test('flags are evaluated for a context', async () => {
  const { data } = await contexts.evaluateContextInstance('shop', 'production', ACME);
  assert.equal(data.totalCount, 2);
  assert.deepEqual(
    data.items.map(({ key, name, _value, reason }) => [key, name, _value, reason!.kind]),
    [
      ['page', 'Page', 'new', 'OFF'],
      ['sort.order', 'SortOrder', true, 'FALLTHROUGH'],
    ],
  );
  const some = await contexts.evaluateContextInstance(
    'shop',
    'production',
    ACME,
    1,
    0,
    '-name',
    'query equals SORT, tags contains ["beta"]',
  );
  assert.deepEqual([some.data.items.length, some.data.items[0]!.key], [1, 'sort.order']);
  const bad = await statusOf(contexts.evaluateContextInstance('shop', 'production', { kind: 'user' }));
  assert.deepEqual([bad.status, bad.data.code], [400, 'invalid_request']);
});

test('a context gets a setting of its own, until it is erased', async () => {
  const setting = (value: Ld.ValuePut) =>
    settings.putContextFlagSetting('shop', 'production', 'organization', 'acme', 'sort.order', value);
  const evaluate = async () => {
    const { data } = await contexts.evaluateContextInstance('shop', 'production', ACME, 1, 1);
    return [data.items[0]!._value, data.items[0]!.reason!.kind] as unknown[];
  };
  assert.equal((await setting({ setting: false, comment: 'they asked' })).status, 204);
  assert.deepEqual(await evaluate(), [false, 'TARGET_MATCH']);
  const { data } = await flags.getFeatureFlag('shop', 'sort.order', 'production');
  const [target] = data.environments!['production']!.contextTargets!;
  assert.deepEqual([target!.contextKind, target!.values], ['organization', ['acme']]);
  await setting({});
  assert.deepEqual(await evaluate(), [true, 'FALLTHROUGH']);
  assert.equal((await statusOf(setting({ setting: 'purple' }))).status, 400);
});

test('a context is told the segments it is in', async () => {
  for (const key of ['firms', 'others'])
    await segments.postSegment('shop', 'production', { key, name: key, description: key });
  const value = [{ contextKind: 'organization', values: ['acme'] }];
  await segments.patchSegment('shop', 'production', 'firms', {
    patch: [{ op: 'replace', path: '/includedContexts', value }],
  });
  const { data } = await segments.getContextInstanceSegmentsMembershipByEnv('shop', 'production', ACME);
  assert.deepEqual(
    data.items.map(({ key, isMember, isIndividuallyTargeted }) => [key, isMember, isIndividuallyTargeted]),
    [
      ['firms', true, true],
      ['others', false, false],
    ],
  );
});
