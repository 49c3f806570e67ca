// Code references through the real `launchdarkly-api-typescript`.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import type * as Ld from 'launchdarkly-api-typescript';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';

// Its modules are CommonJS whose names only `require` sees.
const client = createRequire(import.meta.url)('launchdarkly-api-typescript') as typeof Ld;

let server: TestServer;
let codeRefs: Ld.CodeReferencesApi;
before(async () => {
  server = await startServer({ limits: 'off' });
  const configuration = new client.Configuration({ basePath: server.url, apiKey: ADMIN_TOKEN });
  codeRefs = new client.CodeReferencesApi(configuration);
  await new client.ProjectsApi(configuration).postProject({ key: 'shop', name: 'Shop' });
  await new client.FeatureFlagsApi(configuration).postFeatureFlag('shop', { key: 'banner', name: 'Banner' });
});
after(() => server.stop());

async function statusOf(call: Promise<unknown>): Promise<number> {
  const error = await call.then(
    () => assert.fail('the call should have failed'),
    (reason: unknown) => reason as { response: { status: number } },
  );
  return error.response.status;
}

test('a repository is made, scanned, counted, changed and deleted', async () => {
  const made = await codeRefs.postRepository({ name: 'web', type: 'github', defaultBranch: 'main' });
  assert.equal(made.status, 200);
  const hunk: Ld.HunkRep = { startingLineNumber: 5, lines: 'banner', projKey: 'shop', flagKey: 'banner' };
  const scan: Ld.PutBranch = {
    name: 'feature/x',
    head: 'abc',
    syncTime: 1000,
    updateSequenceId: 1,
    references: [{ path: 'src/a.ts', hunks: [hunk] }],
  };
  for (const name of ['main', 'feature/x'])
    assert.equal((await codeRefs.putBranch('web', name, { ...scan, name })).status, 200);
  assert.equal(await statusOf(codeRefs.putBranch('web', 'main', { ...scan, name: 'main' })), 409);
  const { references } = (await codeRefs.getBranch('web', 'feature/x', 'shop', 'banner')).data;
  assert.deepEqual(references, scan.references);
  const branches = (await codeRefs.getBranches('web')).data.items;
  assert.deepEqual(
    branches.map(({ name }) => name),
    ['feature/x', 'main'],
  );
  const [listed] = (await codeRefs.getRepositories('true', 'true', 'shop', 'banner')).data.items;
  assert.deepEqual(
    listed!.branches!.map((branch) => branch.references?.length),
    [undefined, 1],
  );
  const counts = (await codeRefs.getStatistics('shop', 'banner')).data.flags['banner']!;
  assert.deepEqual([counts[0]!.name, counts[0]!.hunkCount, counts[0]!.fileCount], ['web', 1, 1]);
  const root = (await codeRefs.getRootStatistic()).data;
  assert.equal(root.projects![0]!.href, '/api/v2/code-refs/statistics/shop');
  const patch = [{ op: 'replace', path: '/defaultBranch', value: 'trunk' }];
  assert.equal((await codeRefs.patchRepository('web', patch)).data.defaultBranch, 'trunk');
  assert.equal((await codeRefs.getRepository('web')).data.version, 2);
  assert.equal((await codeRefs.deleteBranches('web', ['feature/x'])).status, 200);
  assert.equal(await statusOf(codeRefs.getBranch('web', 'feature/x')), 404);
  assert.equal((await codeRefs.deleteRepository('web')).status, 204);
  assert.equal(await statusOf(codeRefs.getRepository('web')), 404);
});

test('extinctions are recorded and found', async () => {
  await codeRefs.postRepository({ name: 'app' });
  await codeRefs.putBranch('app', 'main', { name: 'main', head: 'abc', syncTime: 1000 });
  const extinction = { revision: 'abc', message: 'no banner', time: 500, flagKey: 'banner', projKey: 'shop' };
  assert.equal((await codeRefs.postExtinction('app', 'main', [extinction])).status, 200);
  const found = await codeRefs.getExtinctions('app', 'main', 'shop', 'banner', 0, 1000);
  // The client's type of the list is an object of lists by flag, not an array.
  const [{ _links: links, ...shown }] = found.data.items['banner'] as [
    typeof extinction & { _links: unknown },
  ];
  assert.deepEqual([shown, Object.keys(links as object)], [extinction, ['self']]);
});
