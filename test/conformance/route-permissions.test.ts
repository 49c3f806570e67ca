// Every route of all APIs, called with every permission except the one that it declares: the call is denied, and lists are empty.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { actorsApi } from '../../src/actors/api.ts';
import { requestIdOf } from '../../src/actors/request-queues/request.ts';
import { insertSchedule } from '../../src/actors/schedules/store.ts';
import { flagsApi } from '../../src/flags/api.ts';
import { hostApi } from '../../src/host/api.ts';
import { newId } from '../../src/kernel/id.ts';
import type { RouteShape } from '../../src/kernel/http/route.ts';
import { giveToken, join } from '../people.ts';
import { recordStatements } from '../query-plans.ts';
import { startServer, type CallInit, type Json, type TestServer } from '../server.ts';
import { giveActor, giveBuild, giveRun, giveTask, giveWebhook } from './actors/runs/run-rows.ts';
import { BETA, pathFor, createSampleResources, type SampleResources } from './flags/sample-resources.ts';
import { WRITES } from './flags/writes.ts';

const shapesOf = (api: typeof flagsApi) => api.routes.map(({ shape }) => shape);
const APIS = { flags: shapesOf(flagsApi), actors: shapesOf(actorsApi), host: shapesOf(hostApi) };

/** Routes that need no permission. */
const WITHOUT_PERMISSION = {
  anyone: [
    'getRoot',
    'getVersions',
    'getIps',
    'getOpenapiSpec',
    'openapi_get',
    'meta/get-openapi',
    'fireTrigger',
    'user_get',
    'tools_browser_info_get',
    'tools_browser_info_post',
    'tools_browser_info_put',
    'tools_browser_info_patch',
    'tools_browser_info_delete',
    'tools_decode_and_verify_post',
    'meta/root',
    'rate-limit/get',
    'meta/get-all-versions',
    'meta/get',
    'meta/get-zen',
    'meta/get-octocat',
    'activity/get-feeds',
    'users/list-followers-for-user',
    'users/list-following-for-user',
    'emojis/get',
    'emojis/get-picture',
    'gitignore/get-all-templates',
    'gitignore/get-template',
    'licenses/get-all-commonly-used',
    'licenses/get',
    'markdown/render',
    'markdown/render-raw',
    'apps/get-by-slug',
    'gists/list-for-user',
    'gists/list-public',
    'users/get-by-username',
    'users/get-by-id',
    'users/list',
    'users/list-public-keys-for-user',
    'activity/list-repos-starred-by-user',
    'activity/list-repos-watched-by-user',
    'activity/list-public-events',
    'activity/list-events-for-authenticated-user',
    'activity/list-public-events-for-user',
    'activity/list-received-events-for-user',
    'activity/list-received-public-events-for-user',
    'users/get-avatar',
    'search/users',
    'orgs/list',
    'orgs/list-for-user',
    'store_get',
    'apps/create-from-manifest',
    'repos/list-for-org',
    'repos/list-for-user',
    'repos/list-public',
  ],
  caller: [
    // The table of permissions of apps decides.
    'apps/create-installation-access-token',
    'apps/get-authenticated',
    'apps/get-installation',
    'apps/get-org-installation',
    'apps/get-repo-installation',
    'apps/get-user-installation',
    'apps/list-installation-repos-for-authenticated-user',
    'apps/list-installations',
    'apps/list-installations-for-authenticated-user',
    'apps/list-repos-accessible-to-installation',
    'apps/revoke-installation-access-token',
    'users/list-followers-for-authenticated-user',
    'users/list-followed-by-authenticated-user',
    'getCallerIdentity',
    'meta/get-version-impact',
    'getAccount',
    'users_me_get',
    'users_me_usage_monthly_get',
    'users_me_limits_get',
    'users/get-authenticated',
    // The lists have what the caller sees.
    'issues/list',
    'issues/list-for-authenticated-user',
    'issues/list-for-org',
    'graphql/query',
    'graphql/query-below-api',
    'apps/get-webhook-config-for-app',
    'apps/list-webhook-deliveries',
    'apps/get-webhook-delivery',
    'apps/redeliver-webhook-delivery',
    'repos/list-for-authenticated-user',
  ],
};

test('all routes but these declare a permission', () => {
  const shapes = Object.values(APIS).flat();
  for (const access of ['anyone', 'caller'] as const) {
    assert.deepEqual(
      shapes
        .filter((shape) => shape.access === access)
        .map(({ id }) => id)
        .sort(),
      WITHOUT_PERMISSION[access].toSorted(),
      access,
    );
  }
});

let server: TestServer;
let statements: ReturnType<typeof recordStatements>;
before(async () => {
  server = await startServer({ limits: 'off' });
  statements = recordStatements(server.app.kernel.engine);
});
after(() => server.stop());

const tokens = new Map<string, Promise<string>>();

/** A policy that allows everything except these actions. */
async function tokenWithout(action: string, { access }: RouteShape): Promise<string> {
  const others = typeof access === 'object' && action.startsWith('view') ? (access.others ?? []) : [];
  const known = tokens.get(action);
  if (known !== undefined) return await known;
  const made = join(server, `but-${tokens.size}`, { role: 'owner' }).then(async (member) => {
    const inlinePolicy = [
      { effect: 'allow' as const, actions: ['*'], resources: ['*'] },
      { effect: 'deny' as const, actions: [action, ...others], resources: ['*'] },
    ];
    return (await giveToken(server, member, { inlinePolicy })).value;
  });
  tokens.set(action, made);
  return await made;
}

const actionOf = ({ access }: RouteShape) => (typeof access === 'object' ? access.action : undefined);
const lastEntry = () =>
  server.app.kernel.db.selectFrom('events').select('seq').orderBy('seq', 'desc').limit(1).execute();

/** How many items a list contains or counts. */
function shownBy({ items, buckets, data }: Json): number | undefined {
  if (buckets !== undefined)
    return (buckets as { count: number }[]).reduce((sum, { count }) => sum + count, 0);
  return ((items ?? data?.items) as unknown[] | undefined)?.length;
}

/** What background work writes, independent of calls: it never changes the state of a job, only who executes it. */
const BEHIND =
  /"due"|"deliver|last_used_at|"token_(hours|operations|refusals)"|"limit_peaks"|"search_|last_seen_at|"actor_nodes"|"disk_samples"|update "jobs" set ("owner" = .*|"node" = .) where "(owner|node)" is not null/;

/** A denied call writes nothing, not even in a transaction that is rolled back: it would hold locks and disclose that something exists. */
async function assertRefused(path: string, init: CallInit, told: string): Promise<void> {
  const known = await lastEntry();
  statements.clear();
  const { status, text, json } = await server.call(path, init);
  const isEmpty = status === 200 && shownBy(json) === 0;
  assert.ok(isEmpty || status === 401 || status === 403, `${told}: ${status} ${text.slice(0, 300)}`);
  const written = [...statements.keys()].filter(
    (sql) => /^(insert|update|delete)/i.test(sql) && !BEHIND.test(sql),
  );
  assert.deepEqual(written, [], told);
  assert.deepEqual(await lastEntry(), known, told);
}

describe('the flag service', () => {
  let samples: SampleResources;
  before(async () => {
    samples = await createSampleResources(server, 'but');
    samples.parameters['deliveryId'] = '0'.repeat(24);
  });

  for (const shape of APIS.flags) {
    const action = actionOf(shape);
    if (action === undefined) continue;
    test(`F31 ${shape.id} takes ${action}`, async () => {
      const write = WRITES[shape.id];
      const init = write?.init(samples, 'but') ?? {};
      await assertRefused(
        pathFor(samples, shape)! + (write?.query ?? ''),
        {
          ...init,
          method: shape.method,
          headers: { ...BETA, ...init.headers },
          token: await tokenWithout(action, shape),
        },
        shape.id,
      );
    });
  }
});

const REQUEST = requestIdOf('a');

/** Bodies of calls about one storage that change something. */
const BODIES: Record<string, unknown> = {
  act_version_envVars_post: { name: 'A', value: '' },
  actorRun_charge_post: { eventName: 'page' },
  actorTasks_post: { actId: 'somebody~something' },
  webhooks_post: {
    eventTypes: ['TEST'],
    requestUrl: 'https://a.test',
    condition: { actorId: 'somebody~something' },
  },
  dataset_items_post: [{ a: 1 }],
  requestQueue_requests_post: { url: 'https://a.test', uniqueKey: 'a' },
  requestQueue_request_put: { id: REQUEST, url: 'https://a.test', uniqueKey: 'a' },
  requestQueue_requests_batch_post: [{ url: 'https://a.test', uniqueKey: 'a' }],
  requestQueue_requests_batch_delete: [{ uniqueKey: 'a' }],
};
const QUERIES: Record<string, string> = {
  act_builds_post: '?version=0.0',
  actorRun_metamorph_post: '?targetActorId=somebody~something',
  requestQueue_head_lock_post: '?lockSecs=10',
  requestQueue_request_lock_put: '?lockSecs=10',
};

describe('the scraping platform', () => {
  for (const shape of APIS.actors) {
    const action = actionOf(shape);
    // `actors-run-storages.test.ts` has the aliases.
    if (action === undefined || shape.aliasOf !== undefined) continue;
    test(`A2 ${shape.id} takes ${action}`, async () => {
      const token = await tokenWithout(action, shape);
      const path = await fillPath(shape.path, token);
      const hasBody = shape.method !== 'GET' && shape.method !== 'DELETE';
      const body = BODIES[shape.id] ?? (hasBody ? {} : undefined);
      await assertRefused(
        `/v2${path}${QUERIES[shape.id] ?? ''}`,
        { method: shape.method, token, ...(body !== undefined && { body }) },
        shape.id,
      );
    });
  }

  /** Inserted directly: the token may lack the permission to create one. */
  async function giveSchedule(token: string): Promise<string> {
    const { json } = await server.call('/v2/users/me', { token });
    const { kernel } = server.app;
    const fields = {
      name: `schedule-${newId(kernel.clock.now())}`,
      title: null,
      description: null,
      cronExpression: '@daily',
      timezone: 'UTC',
      isEnabled: false,
      isExclusive: true,
      sendsEmail: true,
      initiator: { memberId: 'nobody' },
      nextRunAt: null,
    };
    return (await insertSchedule(kernel.db, json['data'].id as string, fields, kernel.clock.now())).id;
  }

  /** With resources of the caller's own: those of others need more than a permission. */
  async function fillPath(path: string, token: string): Promise<string> {
    const values: Record<string, () => Promise<string> | string> = {
      recordKey: () => 'key',
      versionNumber: () => '0.0',
      envVarName: () => 'A',
      requestId: () => REQUEST,
      async storageId() {
        const { json } = await server.call(`/v2/${path.split('/')[1]!}`, { method: 'POST', token });
        return json['data'].id as string;
      },
      actorId: async () => (await giveActor(server, { token })).id,
      scheduleId: async () => await giveSchedule(token),
      buildId: async () => await giveBuild(server, await giveActor(server, { token }), {}),
      buildOrRunId: async () => (await giveRun(server, await giveActor(server, { token }), { token })).id,
      actorTaskId: async () => await giveTask(server, await giveActor(server, { token }), { token }),
      webhookId: async () => await giveWebhook(server, await giveActor(server, { token })),
      dispatchId: () => '0'.repeat(24),
      runId: async () => (await giveRun(server, await giveActor(server, { token }), { token })).id,
    };
    const words = path
      .split('/')
      .map(async (word) => await (values[/^\{(\w+)\}$/.exec(word)?.[1] ?? '']?.() ?? word));
    return (await Promise.all(words)).join('/');
  }
});
