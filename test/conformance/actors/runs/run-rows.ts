// Inserts Actors, builds and runs directly, for tests that need rows and no programs.
import { newId } from '../../../../src/kernel/id.ts';
import { findActorById } from '../../../../src/actors/actors/store.ts';
import type { Actor } from '../../../../src/actors/actors/model.ts';
import { type RunOrigin } from '../../../../src/actors/jobs/job-meta.ts';
import { NEW_STATS, type Run } from '../../../../src/actors/runs/model.ts';
import { insertRun } from '../../../../src/actors/runs/store.ts';
import { insertTask } from '../../../../src/actors/tasks/store.ts';
import { blankTask } from '../../../../src/actors/tasks/model.ts';
import { newFields, type WebhookFields } from '../../../../src/actors/webhooks/model.ts';
import { insertActorWebhooks } from '../../../../src/actors/webhooks/store.ts';
import type { TestServer } from '../../../server.ts';

/** An Actor of the account whose token it is. */
export async function giveActor(
  { app: { kernel }, call, clock }: TestServer,
  { token, name = `actor-${newId(clock.now()).slice(-8)}`, isPublic = false }: GivenActor = {},
): Promise<Actor> {
  const { json } = await call('/v2/users/me', { ...(token !== undefined && { token }) });
  const id = newId(clock.now());
  const row = {
    id,
    user_id: json['data'].id as string,
    name,
    title: null,
    description: null,
    is_public: Number(isPublic),
    permission_level: 'LIMITED_PERMISSIONS',
    run_options: JSON.stringify({ build: 'latest', timeoutSecs: 3600, memoryMbytes: 1024 }),
    details: '{}',
    total_builds: 0,
    total_runs: 0,
    total_metamorphs: 0,
    last_run_started_at: 0,
    created_at: clock.now(),
    modified_at: clock.now(),
  };
  await kernel.db.insertInto('actors').values(row).execute();
  return (await findActorById(kernel.db, id))!;
}

interface GivenActor {
  token?: string;
  name?: string;
  isPublic?: boolean;
}

/** The id of a new task of the Actor, in the account whose token it is. */
export async function giveTask(
  { app: { kernel }, call, clock }: TestServer,
  { id: actorId, name: actorName }: Actor,
  { token, name = `${actorName}-task` }: { token?: string; name?: string } = {},
): Promise<string> {
  const { json } = await call('/v2/users/me', { ...(token !== undefined && { token }) });
  const owner = { userId: json['data'].id as string, actorId };
  return (await insertTask(kernel.db, owner, blankTask(name), '{}', clock.now())).id;
}

/** A succeeded build with this input schema, which has the tag `latest`. */
export async function giveBuild(
  { app: { kernel }, clock }: TestServer,
  { id: actorId, userId }: Actor,
  { inputSchema, definition = {}, number = '0.0.1', tag = 'latest', readme = null }: GivenBuild,
): Promise<string> {
  const id = newId(clock.now());
  await kernel.db
    .insertInto('builds')
    .values({
      id,
      actor_id: actorId,
      user_id: userId,
      version_number: '0.0',
      build_number: number,
      source_type: 'SOURCE_FILES',
      tag,
      status: 'SUCCEEDED',
      status_message: null,
      exit_code: 0,
      meta: '{"origin":"API"}',
      options: '{}',
      stats: '{}',
      started_at: clock.now(),
      finished_at: clock.now(),
      sources: null,
      dependencies: null,
      runtime: null,
      definition: JSON.stringify(definition),
      input_schema: inputSchema === undefined ? null : JSON.stringify(inputSchema),
      readme,
      changelog: null,
    })
    .execute();
  await kernel.db.insertInto('actor_tags').values({ actor_id: actorId, tag, build_id: id }).execute();
  return id;
}

interface GivenBuild {
  inputSchema?: unknown;
  definition?: Record<string, unknown>;
  number?: string;
  tag?: string;
  readme?: string | null;
}

/** A run of the Actor in the account whose token it is, with new storages. */
export async function giveRun(
  server: TestServer,
  actor: Actor,
  { token, origin = 'API', ...changes }: GivenRun = {},
): Promise<Run> {
  const { call, clock, app } = server;
  const as = token === undefined ? {} : { token };
  const { json } = await call('/v2/users/me', as);
  const storage = async (kind: string) =>
    (await call(`/v2/${kind}`, { method: 'POST', ...as })).json['data'].id as string;
  const userId = json['data'].id as string;
  const run: Run = {
    id: newId(clock.now()),
    actorId: actor.id,
    userId,
    taskId: null,
    buildId: newId(clock.now()),
    buildNumber: '0.0.1',
    status: 'SUCCEEDED',
    statusMessage: null,
    isMessageTerminal: false,
    meta: { origin, initiator: { memberId: userId } },
    options: {
      build: 'latest',
      timeoutSecs: 3600,
      memoryMbytes: 1024,
      diskMbytes: 2048,
      maxItems: null,
      maxTotalChargeUsd: null,
      restartOnError: false,
    },
    stats: NEW_STATS,
    exitCode: 0,
    startedAt: clock.now(),
    finishedAt: clock.now(),
    timeoutAt: null,
    datasetId: await storage('datasets'),
    storeId: await storage('key-value-stores'),
    queueId: await storage('request-queues'),
    inputKey: 'INPUT',
    generalAccess: 'FOLLOW_USER_SETTING',
    permissionLevel: 'LIMITED_PERMISSIONS',
    chargedEvents: {},
    metamorphs: [],
    ...changes,
  };
  await insertRun(app.kernel.db, run);
  return run;
}

/** A webhook on the Actor, in the account of its owner. Returns its id. */
export async function giveWebhook(
  { app: { kernel }, clock }: TestServer,
  { id, userId }: Actor,
  fields: Partial<WebhookFields> = {},
): Promise<string> {
  const usual = { eventTypes: ['TEST' as const], requestUrl: 'https://a.test' };
  const [webhook] = await insertActorWebhooks(
    kernel.db,
    [
      {
        userId,
        fields: { ...newFields(usual), ...fields },
        target: { kind: 'actor', id },
        parentRunId: null,
        isAdHoc: false,
        idempotencyKey: null,
        maker: { initiator: { memberId: userId } },
      },
    ],
    clock.now(),
  );
  return webhook!.id;
}

interface GivenRun extends Partial<
  Pick<Run, 'status' | 'statusMessage' | 'startedAt' | 'finishedAt' | 'taskId' | 'buildNumber'>
> {
  token?: string;
  origin?: RunOrigin;
}
