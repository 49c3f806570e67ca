// What `--demo` creates, looked at through the API.
import assert from 'node:assert/strict';
import { eventually } from './eventually.ts';
import type { Json, TestServer } from './server.ts';

/** The alerts are there some time after the start. */
export async function checkHost({ call }: TestServer): Promise<void> {
  const listOf = async (path: string) => (await call(path)).json as unknown as Json[];
  const { text: source } = await call('/repos/admin/demo-shop/contents/src/checkout.ts', {
    headers: { accept: 'application/vnd.github.raw+json' },
  });
  const { json: references } = await call('/api/v2/code-refs/repositories/demo-shop/branches/main');
  const [{ hunks }] = references['references'] as [
    { hunks: [{ startingLineNumber: number; lines: string }] },
  ];
  assert.equal(source.split('\n')[hunks[0].startingLineNumber - 1]!.trim(), hunks[0].lines);
  await eventually(async () => {
    const alerts = await listOf('/repos/admin/demo-shop/code-scanning/alerts');
    const states = alerts.map(({ rule, state }) => `${rule.id} ${state}`).toSorted();
    return states.join() === 'js/html-injection open,js/sql-injection fixed';
  });
  const [secret, open] = await listOf('/gists');
  assert.deepEqual([secret!['public'], open!['public'], open!['comments']], [false, true, 1]);
  assert.equal((await listOf(`/gists/${open!['id']}/commits`)).length, 2);
  assert.deepEqual(
    (await listOf('/gists/starred')).map(({ id }) => id),
    [open!['id']],
  );
  const { json: installed } = await call('/user/installations');
  const [installation] = installed['installations'] as [Json];
  assert.equal(installation['app_slug'], 'demo-deployer');
  const { json: reached } = await call(`/user/installations/${installation['id']}/repositories`);
  assert.deepEqual(
    reached['repositories'].map((one: Json) => one['full_name']),
    ['admin/demo-shop'],
  );
}

/** The runs have ended some time after the start. */
export async function checkActors({ call }: TestServer): Promise<void> {
  const dataOf = async (path: string) => (await call(`/v2${path}`)).json['data'] as Json;
  const runsOf = async () => (await dataOf('/actors/admin~demo-price-check/runs'))['items'] as Json[];
  await eventually(async () => {
    const runs = await runsOf();
    return (
      runs.length === 2 && runs.every(({ finishedAt }) => finishedAt !== null && finishedAt !== undefined)
    );
  }, 'the end of both runs');
  const [good, bad] = (await runsOf()).toSorted((a, b) => (a['startedAt'] < b['startedAt'] ? -1 : 1));
  const logs = await Promise.all([good!, bad!].map(async ({ id }) => (await call(`/v2/logs/${id}`)).text));
  assert.deepEqual([good!['status'], bad!['status']], ['SUCCEEDED', 'FAILED'], logs.join('\n'));
  assert.match(logs[0]!, /Product 7 costs 37 EUR\.[^]*Looked up 4 prices\./);
  assert.match(logs[1]!, /There is no product P-404\./);
  const { defaultDatasetId, defaultKeyValueStoreId, defaultRequestQueueId } = good!;
  const { json: items } = await call(`/v2/datasets/${defaultDatasetId}/items`);
  assert.deepEqual(
    (items as unknown as Json[]).map(({ sku }) => sku),
    ['P-001', 'P-002', 'P-003', 'P-007'],
  );
  const { json: output } = await call(`/v2/key-value-stores/${defaultKeyValueStoreId}/records/OUTPUT`);
  assert.equal(output['products'], 4);
  const queue = await dataOf(`/request-queues/${defaultRequestQueueId}`);
  assert.deepEqual([queue['totalRequestCount'], queue['handledRequestCount']], [4, 4]);

  const task = await dataOf('/actor-tasks/admin~demo-bestsellers');
  const [{ id }] = (await dataOf('/schedules'))['items'] as [Json];
  const schedule = await dataOf(`/schedules/${id}`);
  assert.equal(schedule['name'], 'demo-every-morning');
  assert.equal(schedule['actions'][0].actorTaskId, task['id']);
  assert.ok(schedule['isEnabled'] && typeof schedule['nextRunAt'] === 'string');
}

/** Branches, tags and what else a repository shows. */
export async function checkRepository({ call }: TestServer): Promise<void> {
  const namesOf = async (path: string) =>
    ((await call(`/repos/admin/demo-shop${path}`)).json as unknown as Json[])
      .map(({ name }) => name as string)
      .toSorted();
  await eventually(async () => (await namesOf('/tags')).includes('v0.2.0'), 'the last of the examples');
  assert.deepEqual(await namesOf('/branches'), ['main', 'round-prices']);
  assert.deepEqual(await namesOf('/tags'), ['v0.1.0', 'v0.2.0']);
  const { json: comparison } = await call('/repos/admin/demo-shop/compare/v0.2.0...round-prices');
  assert.equal(comparison['ahead_by'], 2);
  const { json: status } = await call('/repos/admin/demo-shop/commits/main/status');
  assert.deepEqual([status['state'], status['total_count']], ['success', 1]);
  const listOf = async (path: string) =>
    (await call(`/repos/admin/demo-shop${path}`)).json as unknown as Json[];
  const [merged] = await listOf('/pulls?state=closed');
  assert.ok(merged!['merged_at'], 'one is merged');
  const [open] = await listOf('/pulls');
  const issues = await listOf('/issues?state=all&direction=asc');
  assert.deepEqual(
    issues.map(({ number, state, comments }) => [number, state, comments]),
    [
      [1, 'open', 0],
      [2, 'open', 1],
      [3, 'open', 0],
      [4, 'closed', 0],
      [5, 'open', 0],
    ],
  );
  assert.deepEqual(
    (await listOf('/issues/1/sub_issues')).map(({ number }) => number),
    [2],
  );
  assert.equal(issues[1]!['milestone'].open_issues, 2);
  const [review] = await listOf(`/pulls/${open!['number']}/reviews`);
  const [question] = await listOf(`/pulls/${open!['number']}/comments`);
  assert.deepEqual(
    [review!['state'], question!['path'], question!['line']],
    ['COMMENTED', 'src/prices.ts', 4],
  );
}

export const countsOf = async ({ call }: TestServer) => [
  (await call('/api/v2/flags/demo')).json['totalCount'],
  Object.keys((await call('/api/v2/code-refs/statistics/demo')).json['flags']).length,
  (await call('/v2/datasets/admin~demo-products')).json['data'].itemCount,
  (await call('/v2/request-queues/admin~demo-pages')).json['data'].totalRequestCount,
  (await call('/v2/actors?my=1')).json['data'].total,
  (await call('/v2/actor-tasks')).json['data'].total,
  (await call('/v2/schedules')).json['data'].total,
  (await call('/repos/admin/demo-shop/commits')).json['length'],
  (await call('/gists')).json['length'],
];
export const WHOLE = [3, 1, 100, 20, 1, 1, 1, 4, 2];

export const hasOneToken = async ({ call }: TestServer) =>
  (await call('/api/v2/tokens?showAll=true')).json['totalCount'] === 1;
