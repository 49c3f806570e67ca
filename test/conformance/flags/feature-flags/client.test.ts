// The flag service's own npm client, unmodified, on feature flags: create, list, get, every kind of patch, copy, delete.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Configuration, FeatureFlagsApi, FeatureFlagsBetaApi } from 'launchdarkly-api-typescript';
import { ADMIN_TOKEN, startServer, type TestServer } from '../../../server.ts';

let server: TestServer;
let flags: FeatureFlagsApi;

before(async () => {
  server = await startServer();
  flags = new FeatureFlagsApi(new Configuration({ basePath: server.url, apiKey: ADMIN_TOKEN }));
});
after(() => server.stop());

const SEMANTIC = { headers: { 'Content-Type': 'application/json; domain-model=launchdarkly.semanticpatch' } };

test('a flag lives from its making to its end', async () => {
  for (const key of ['first', 'second', 'third']) {
    const { status, data } = await flags.postFeatureFlag('default', { key, name: key, tags: ['client'] });
    assert.equal(status, 201);
    assert.equal(data.kind, 'boolean');
  }
  const { data: page } = await flags.getFeatureFlags('default', 'test', undefined, 2);
  assert.equal(page.items.length, 2);
  assert.equal(page.totalCount, 3);
  assert.ok(page._links['next']);

  const patch = [{ op: 'replace', path: '/environments/test/on', value: true }];
  const { data: on } = await flags.patchFeatureFlag('default', 'first', { comment: 'on', patch });
  assert.equal(on.environments?.['test']?.on, true);
  const semantic = { environmentKey: 'production', instructions: [{ kind: 'turnFlagOn' }] };
  const { data: both } = await flags.patchFeatureFlag(
    'default',
    'first',
    semantic as never,
    undefined,
    SEMANTIC,
  );
  assert.equal(both.environments?.['production']?.on, true);
  assert.equal(both._version, 3);

  const { data: one } = await flags.getFeatureFlag('default', 'first', 'test');
  assert.deepEqual(Object.keys(one.environments ?? {}), ['test']);
  const copy = { source: { key: 'test' }, target: { key: 'production' } };
  assert.equal((await flags.copyFeatureFlag('default', 'second', copy)).status, 201);
  const { data: status } = await flags.getFeatureFlagStatus('default', 'test', 'first');
  assert.equal(status.name, 'new');
  const { data: statuses } = await flags.getFeatureFlagStatuses('default', 'test');
  assert.equal(statuses.items?.length, 3);
  const { data: across } = await flags.getFeatureFlagStatusAcrossEnvironments('default', 'first');
  assert.equal(across.environments['production']?.name, 'new');
  assert.equal((await flags.deleteFeatureFlag('default', 'third')).status, 204);
});

test('dependents are asked for in beta', async () => {
  const headers = { 'LD-API-Version': 'beta' };
  const beta = new FeatureFlagsBetaApi(
    new Configuration({ basePath: server.url, apiKey: ADMIN_TOKEN, baseOptions: { headers } }),
  );
  const { data } = await beta.getDependentFlags('default', 'first');
  assert.deepEqual(data.items, []);
});
