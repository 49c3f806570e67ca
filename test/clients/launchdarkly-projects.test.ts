// Projects and environments through the real `launchdarkly-api-typescript`, pointed at a running server by its base path.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import type * as Ld from 'launchdarkly-api-typescript';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';

// Its modules are CommonJS whose names only `require` sees.
const { Configuration, EnvironmentsApi, ProjectsApi } = createRequire(import.meta.url)(
  'launchdarkly-api-typescript',
) as typeof Ld;

let server: TestServer;
let projects: Ld.ProjectsApi;
let environments: Ld.EnvironmentsApi;
before(async () => {
  server = await startServer({ limits: 'off' });
  const configuration = new Configuration({ basePath: server.url, apiKey: ADMIN_TOKEN });
  projects = new ProjectsApi(configuration);
  environments = new EnvironmentsApi(configuration);
});
after(() => server.stop());

async function statusOf(call: Promise<unknown>): Promise<number> {
  const error = await call.then(
    () => assert.fail('the call should have failed'),
    (reason: unknown) => reason as { response: { status: number } },
  );
  return error.response.status;
}

test('a project is made, listed, read, changed and deleted', async () => {
  const made = await projects.postProject({ key: 'shop', name: 'Shop', tags: ['core'] });
  assert.equal(made.status, 201);
  assert.deepEqual(
    made.data.environments.map(({ key }) => key),
    ['production', 'test'],
  );
  assert.equal(await statusOf(projects.postProject({ key: 'shop', name: 'Again' })), 409);

  const listed = await projects.getProjects(10, 0, 'query:sho,tags:core', 'name', 'environments');
  assert.deepEqual([listed.data.totalCount, listed.data.items[0]!.environments!.totalCount], [1, 2]);

  const patched = await projects.patchProject('shop', [
    { op: 'test', path: '/name', value: 'Shop' },
    { op: 'replace', path: '/name', value: 'Store' },
    { op: 'add', path: '/tags/-', value: 'new' },
  ]);
  assert.deepEqual([patched.data.name, patched.data.tags], ['Store', ['core', 'new']]);
  const stale = projects.patchProject('shop', [{ op: 'test', path: '/name', value: 'Shop' }]);
  assert.equal(await statusOf(stale), 409);

  const read = await projects.getProject('shop', 'environments');
  assert.match(read.data.environments!.items[0]!.apiKey, /^sdk-/);

  assert.equal((await projects.deleteProject('shop')).status, 204);
  assert.equal(await statusOf(projects.getProject('shop')), 404);
  assert.equal(await statusOf(projects.deleteProject('default')), 409);
});

test('flag defaults are read, replaced and patched both ways', async () => {
  const { data } = await projects.getFlagDefaultsByProject('default');
  assert.equal(data.temporary, true);
  const put = await projects.putFlagDefaultsByProject('default', {
    tags: ['a'],
    temporary: false,
    booleanDefaults: {
      trueDisplayName: 'Yes',
      falseDisplayName: 'No',
      trueDescription: '',
      falseDescription: '',
      onVariation: 0,
      offVariation: 1,
    },
    defaultClientSideAvailability: { usingEnvironmentId: true, usingMobileKey: true },
  });
  assert.equal(put.data.booleanDefaults.trueDisplayName, 'Yes');
  const patched = await projects.patchFlagDefaultsByProject('default', [
    { op: 'replace', path: '/temporary', value: true },
  ]);
  assert.equal(patched.data.temporary, true);
});

test('an environment is made, listed, read, changed, given new keys and deleted', async () => {
  const post = { key: 'dev', name: 'Dev', color: 'aabbcc', source: { key: 'test' } };
  const made = await environments.postEnvironment('default', post);
  assert.equal(made.status, 201);
  const { apiKey, mobileKey, _id: id } = made.data;

  const listed = await environments.getEnvironmentsByProject('default', 1, 1, undefined, 'name');
  assert.deepEqual([listed.data.totalCount, listed.data.items[0]!.key], [3, 'production']);

  const patched = await environments.patchEnvironment('default', 'dev', [
    { op: 'replace', path: '/requireComments', value: true },
    { op: 'replace', path: '/approvalSettings/required', value: true },
  ]);
  assert.deepEqual([patched.data.requireComments, patched.data.approvalSettings!.required], [true, true]);
  const both = [{ op: 'replace', path: '/approvalSettings/requiredApprovalTags', value: ['a'] }];
  assert.equal(await statusOf(environments.patchEnvironment('default', 'dev', both)), 400);

  const sdk = await environments.resetEnvironmentSDKKey('default', 'dev', Date.now() + 60_000);
  const mobile = await environments.resetEnvironmentMobileKey('default', 'dev');
  assert.notEqual(sdk.data.apiKey, apiKey);
  assert.notEqual(mobile.data.mobileKey, mobileKey);

  const read = await environments.getEnvironment('default', 'dev');
  assert.deepEqual(
    [read.data._id, read.data.apiKey, read.data.mobileKey],
    [id, sdk.data.apiKey, mobile.data.mobileKey],
  );
  assert.equal((await environments.deleteEnvironment('default', 'dev')).status, 204);
  assert.equal(await statusOf(environments.getEnvironment('default', 'dev')), 404);
});
