// Segments by the real `launchdarkly-api-typescript`, pointed at a running server by its base path alone.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import type * as Ld from 'launchdarkly-api-typescript';
import { eventually } from '../eventually.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';

// Its modules are CommonJS whose names only `require` sees.
const { Configuration, ProjectsApi, SegmentsApi } = createRequire(import.meta.url)(
  'launchdarkly-api-typescript',
) as typeof Ld;

const SEMANTIC = { headers: { 'Content-Type': 'application/json; domain-model=launchdarkly.semanticpatch' } };

let server: TestServer;
let segments: Ld.SegmentsApi;
before(async () => {
  server = await startServer();
  const configuration = new Configuration({ basePath: server.url, apiKey: ADMIN_TOKEN });
  segments = new SegmentsApi(configuration);
  await new ProjectsApi(configuration).postProject({ key: 'shop', name: 'Shop' });
});
after(() => server.stop());

async function failureOf(call: Promise<unknown>): Promise<{ status: number; data: { code: string } }> {
  const error = await call.then(
    () => assert.fail('the call should have failed'),
    (reason: unknown) => reason as { response: { status: number; data: { code: string } } },
  );
  return error.response;
}

/** The client's types allow only JSON patches; it sends anything else unchanged. */
const semantic = (instructions: object[]) =>
  ({ environmentKey: 'test', comment: 'by the client', instructions }) as unknown as Ld.PatchWithComment;

test('a segment is made, listed, patched in each way, and deleted', async () => {
  const made = await segments.postSegment('shop', 'test', { key: 'beta', name: 'Beta', tags: ['people'] });
  assert.deepEqual([made.status, made.data.version, made.data.generation], [201, 1, 1]);
  const taken = await failureOf(segments.postSegment('shop', 'test', { key: 'beta', name: 'Again' }));
  assert.deepEqual([taken.status, taken.data.code], [409, 'key_exists']);

  const patched = await segments.patchSegment('shop', 'test', 'beta', {
    comment: 'those who asked',
    patch: [
      { op: 'test', path: '/version', value: 1 },
      { op: 'add', path: '/included/0', value: 'ada' },
      { op: 'replace', path: '/description', value: 'Early birds' },
    ],
  });
  assert.deepEqual([patched.data.included, patched.data.description], [['ada'], 'Early birds']);

  const clauses = [
    { contextKind: 'user', attribute: 'email', op: 'endsWith', negate: false, values: ['@example.com'] },
  ];
  const instructed = await segments.patchSegment(
    'shop',
    'test',
    'beta',
    semantic([
      { kind: 'addRule', clauses, description: 'Staff' },
      { kind: 'addExcludedTargets', contextKind: 'org', values: ['acme'] },
    ]),
    SEMANTIC,
  );
  assert.equal(instructed.data.rules[0]!.description, 'Staff');
  assert.deepEqual(instructed.data.excludedContexts, [{ contextKind: 'org', values: ['acme'] }]);

  await segments.postSegment('shop', 'test', { key: 'other', name: 'Other' });
  const found = await segments.getSegments(
    'shop',
    'test',
    10,
    0,
    '-name',
    'tags anyOf ["people"],query equals "bet"',
  );
  assert.deepEqual([found.data.totalCount, found.data.items.map(({ key }) => key)], [1, ['beta']]);
  const { included, excluded, includedContexts, excludedContexts } = found.data.items[0]!;
  assert.deepEqual(
    [included, excluded, includedContexts, excludedContexts],
    [['ada'], [], [], [{ contextKind: 'org', values: ['acme'] }]],
  );
  const both = await segments.getSegments('shop', 'test', undefined, undefined, '-name');
  assert.deepEqual(
    both.data.items.map(({ key }) => key),
    ['other', 'beta'],
  );

  const read = await segments.getSegment('shop', 'test', 'beta');
  assert.deepEqual([read.data.version, read.data._flags], [3, []]);
  assert.equal((await segments.deleteSegment('shop', 'test', 'beta')).status, 204);
  assert.equal((await failureOf(segments.getSegment('shop', 'test', 'beta'))).status, 404);
});

test('a big segment takes members by the thousand, and tells of each', async () => {
  await segments.postSegment('shop', 'test', {
    key: 'big',
    name: 'Big',
    unbounded: true,
    unboundedContextKind: 'org',
  });
  const add = Array.from({ length: 3000 }, (_, index) => `org-${index}`);
  const answer = await segments.updateBigSegmentContextTargets('shop', 'test', 'big', { included: { add } });
  assert.equal(answer.status, 204);
  await segments.updateBigSegmentTargets('shop', 'test', 'big', {
    included: { remove: ['org-0'] },
    excluded: { add: ['org-0'] },
  });
  const member = await segments.getSegmentMembershipForContext('shop', 'test', 'big', 'org-2999');
  assert.deepEqual(
    [member.data.userKey, member.data.included, member.data.excluded],
    ['org-2999', true, false],
  );
  const moved = await segments.getSegmentMembershipForUser('shop', 'test', 'big', 'org-0');
  assert.deepEqual([moved.data.included, moved.data.excluded], [false, true]);
  const { data } = await segments.getSegment('shop', 'test', 'big');
  assert.deepEqual(
    [data.unbounded, data._unboundedMetadata!.includedCount, data._unboundedMetadata!.excludedCount],
    [true, 2999, 1],
  );
});

test('a big segment is filled by a file, and written to one', async () => {
  await segments.postSegment('shop', 'test', { key: 'filled', name: 'Filled', unbounded: true });
  await segments.updateBigSegmentContextTargets('shop', 'test', 'filled', { included: { add: ['gone'] } });
  const file = new File(['ada\n"bob, the second"\n'], 'people.csv', { type: 'text/csv' });
  const begun = await segments.createBigSegmentImport('shop', 'test', 'filled', file, 'replace', false);
  assert.equal(begun.status, 204);
  const idOf = ({ headers }: { headers: object }) =>
    (headers as Record<string, string>)['location']!.split('/').at(-1)!;
  const read = () => segments.getBigSegmentImport('shop', 'test', 'filled', idOf(begun));
  await eventually(async () => (await read()).data.status === 'complete');
  const { data } = await read();
  assert.deepEqual(
    [data.segmentKey, data.mode, data.files],
    ['filled', 'replace', [{ filename: 'people.csv', status: 'complete' }]],
  );
  const segment = await segments.getSegment('shop', 'test', 'filled');
  assert.deepEqual(
    [segment.data._importInProgress, segment.data._unboundedMetadata!.includedCount],
    [false, 2],
  );

  const exporting = await segments.createBigSegmentExport('shop', 'test', 'filled');
  const look = () => segments.getBigSegmentExport('shop', 'test', 'filled', idOf(exporting));
  await eventually(async () => (await look()).data.status === 'complete');
  const { sizeBytes, size, initiator, _links } = (await look()).data;
  assert.deepEqual([sizeBytes, size, initiator.email], [22, '22 B', 'admin@signalbox.example']);
  assert.equal((await server.call(_links['file']!.href!)).text, 'ada\n"bob, the second"\n');

  const bad = new File(['ada\n,\n'], 'people.csv');
  const stopped = await segments.createBigSegmentImport('shop', 'test', 'filled', bad);
  const told = () => segments.getBigSegmentImport('shop', 'test', 'filled', idOf(stopped));
  await eventually(async () => (await told()).data.status === 'stopped');
  assert.equal((await failureOf(segments.createBigSegmentImport('shop', 'test', 'filled'))).status, 400);
});

test('targets expire when they are told to', async () => {
  await segments.postSegment('shop', 'test', { key: 'trial', name: 'Trial' });
  await segments.patchSegment('shop', 'test', 'trial', {
    patch: [{ op: 'add', path: '/included/0', value: 'ada' }],
  });
  const value = server.clock.now() + 3_600_000;
  const target = { contextKey: 'ada', contextKind: 'user', targetType: 'included' as const };
  const set = await segments.patchExpiringTargetsForSegment(
    'shop',
    'test',
    'trial',
    // As plain JSON, which is all that the client sends by itself.
    { instructions: [{ kind: 'addExpiringTarget', ...target, value }] },
  );
  assert.deepEqual([set.data.successfulInstructions, set.data.items[0]!.expirationDate], [1, value]);
  const { data } = await segments.getExpiringTargetsForSegment('shop', 'test', 'trial');
  assert.deepEqual(
    data.items.map(({ contextKey, targetType }) => [contextKey, targetType]),
    [['ada', 'included']],
  );
  const users = await segments.getExpiringUserTargetsForSegment('shop', 'test', 'trial');
  assert.equal(users.data.items[0]!.userKey, 'ada');
});
