// Reads what may need attention: each statement by an index, and no more rows than a bound.
import { sql } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';

/** The newest requests that a member was asked to review; their history is not read. */
const MAX_ASKED = 200;

interface AskedApproval {
  id: string;
  projectId: string;
  flagName: string;
  environmentName: string;
  createdAt: number;
  /** A JSON object, with the reviews. */
  doc: string;
}

export async function listAskedApprovals(db: Db, memberId: string): Promise<AskedApproval[]> {
  return await db
    .selectFrom('approval_reviewers')
    .innerJoin('approval_requests', 'approval_requests.id', 'approval_reviewers.request_id')
    .innerJoin('flags', 'flags.id', 'approval_requests.flag_id')
    .innerJoin('environments', 'environments.id', 'approval_requests.environment_id')
    .select([
      'approval_requests.id',
      'approval_requests.project_id as projectId',
      'flags.name as flagName',
      'environments.name as environmentName',
      'approval_requests.created_at as createdAt',
      'approval_requests.doc',
    ])
    .where('approval_reviewers.member_id', '=', memberId)
    .where('approval_requests.status', '=', 'pending')
    .where('approval_requests.review_status', '=', 'pending')
    // Ids begin with the time.
    .orderBy('approval_reviewers.request_id', 'desc')
    .limit(MAX_ASKED)
    .execute();
}

interface ComingChange {
  id: string;
  executionAt: number;
  projectId: string;
  flagKey: string;
  flagName: string;
  environmentKey: string;
  environmentName: string;
}

const MAX_COMING = 200;
/** A value would keep PostgreSQL from using the partial index. */
const isPending = sql<boolean>`scheduled_changes.status = 'pending'`;

export async function listComingChanges(db: Db, from: number, to: number): Promise<ComingChange[]> {
  return await db
    .selectFrom('scheduled_changes')
    .innerJoin('flags', 'flags.id', 'scheduled_changes.flag_id')
    .innerJoin('environments', 'environments.id', 'scheduled_changes.environment_id')
    .select([
      'scheduled_changes.id',
      'scheduled_changes.execution_at as executionAt',
      'flags.project_id as projectId',
      'flags.key as flagKey',
      'flags.name as flagName',
      'environments.key as environmentKey',
      'environments.name as environmentName',
    ])
    .where(isPending)
    .where('scheduled_changes.execution_at', '>=', from)
    .where('scheduled_changes.execution_at', '<', to)
    .orderBy('scheduled_changes.execution_at')
    .orderBy('scheduled_changes.id')
    .limit(MAX_COMING)
    .execute();
}

interface FailedRun {
  id: string;
  actorId: string;
  status: string;
  message: string | null;
  startedAt: number;
  finishedAt: number | null;
}

const MAX_FAILED = 500;
const FAILED_STATUSES = ['FAILED', 'TIMED-OUT'] as const;

/** Of each status the newest. */
export async function listFailedRuns(db: Db, userId: string, since: number): Promise<FailedRun[]> {
  const found: FailedRun[] = [];
  for (const status of FAILED_STATUSES)
    found.push(
      ...(await db
        .selectFrom('runs')
        .select([
          'id',
          'actor_id as actorId',
          'status',
          'status_message as message',
          'started_at as startedAt',
          'finished_at as finishedAt',
        ])
        .where('user_id', '=', userId)
        .where('status', '=', status)
        .where('started_at', '>=', since)
        .orderBy('started_at', 'desc')
        .orderBy('id', 'desc')
        .limit(MAX_FAILED)
        .execute()),
    );
  return found;
}

const MAX_HOOKS = 200;

export async function listFailedActorHooks(db: Db, userId: string, since: number) {
  return await db
    .selectFrom('actor_webhooks')
    .select([
      'id',
      'description',
      'target_kind',
      'target_id',
      'is_enabled',
      'last_dispatch_finished_at as at',
    ])
    .where('user_id', '=', userId)
    .where('is_ad_hoc', '=', 0)
    .where('last_dispatch_status', '=', 'FAILED')
    .where('last_dispatch_finished_at', '>=', since)
    .orderBy('created_at', 'desc')
    .limit(MAX_HOOKS)
    .execute();
}

/** Of the repositories of an account that were pushed to last. */
export async function listFailedHostHooks(db: Db, ownerId: string) {
  return await db
    .selectFrom((eb) =>
      eb
        .selectFrom('repositories')
        .select(['number', 'name'])
        .where('owner_id', '=', ownerId)
        .where('deleted_at', 'is', null)
        .orderBy('pushed_at', 'desc')
        .orderBy('number', 'desc')
        .limit(MAX_HOOKS)
        .as('own'),
    )
    .innerJoin('host_hooks', 'host_hooks.repository_number', 'own.number')
    .select(['host_hooks.number', 'own.name', 'host_hooks.is_active', 'host_hooks.last_message'])
    .where('host_hooks.repository_number', 'is not', null)
    .where('host_hooks.last_status', 'in', ['timeout', 'invalid'])
    .limit(MAX_HOOKS)
    .execute();
}

export interface LastDelivery {
  state: string;
  attempts: number;
  error: string | null;
  status: number | null;
  at: number;
}

/** The newest one of a hook that was tried. */
export async function findLastDelivery(
  db: Db,
  api: string,
  hookId: string,
): Promise<LastDelivery | undefined> {
  const rows = await db
    .selectFrom('deliveries')
    .select(['state', 'attempts', 'last_error as error', 'last_status as status', 'created_at as at'])
    .where('api', '=', api)
    .where('hook_id', '=', hookId)
    .orderBy('seq', 'desc')
    .limit(10)
    .execute();
  return rows.find(({ attempts }) => attempts > 0);
}

const MAX_TOKENS = 50;
/** A token that was made for no longer than this is meant to expire. */
const SHORT_LIFE_MS = 24 * 60 * 60 * 1000;

export async function listExpiringTokens(db: Db, memberId: string, from: number, to: number) {
  return await db
    .selectFrom('tokens')
    .select(['id', 'name', 'ending', 'is_service', 'member_id', 'expires_at'])
    .where('member_id', '=', memberId)
    .where('expires_at', '>', from)
    .where('expires_at', '<', to)
    .where((eb) => eb('expires_at', '>', eb('created_at', '+', SHORT_LIFE_MS)))
    .orderBy('expires_at')
    .limit(MAX_TOKENS)
    .execute();
}

/** Pull requests that an account was asked to review, the newest first. */
export async function listAskedReviews(db: Db, accountId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('requested_reviewers')
    .innerJoin('issues', 'issues.id', 'requested_reviewers.issue_id')
    .select('requested_reviewers.issue_id as id')
    .where('requested_reviewers.kind', '=', 'user')
    .where('requested_reviewers.reviewer', '=', accountId)
    .where('issues.state', '=', 'open')
    .orderBy('requested_reviewers.issue_id', 'desc')
    .limit(MAX_ASKED)
    .execute();
  return rows.map(({ id }) => `${id}`);
}

const MAX_LATE = 1000;

/** Due work that no worker has claimed, up to a bound, and since when the oldest waits. */
export async function findLateWork(
  db: Db,
  before: number,
): Promise<{ count: number; since: number } | undefined> {
  const rows = await db
    .selectFrom('due')
    .select('due_at')
    .where('due_at', '<', before)
    .orderBy('due_at')
    .limit(MAX_LATE)
    .execute();
  return rows[0] && { count: rows.length, since: rows[0].due_at };
}

/** Rows that are added up at most. */
const MAX_EVALUATION_ROWS = 20_000;

/** Undefined where there are too many rows. */
export async function sumEvaluations(
  db: Db,
  projectIds: readonly string[],
  since: number,
): Promise<number | undefined> {
  if (projectIds.length === 0) return 0;
  const { rows, total } = await db
    .selectFrom((eb) =>
      eb
        .selectFrom('environments')
        .innerJoin('flag_evaluations', 'flag_evaluations.environment_id', 'environments.id')
        .select('flag_evaluations.count')
        .where('environments.project_id', 'in', projectIds)
        .where('flag_evaluations.hour', '>=', since)
        .limit(MAX_EVALUATION_ROWS)
        .as('some'),
    )
    .select(({ fn }) => [
      fn.countAll<number | string>().as('rows'),
      fn.coalesce(fn.sum<number | string>('some.count'), sql<number>`0`).as('total'),
    ])
    .executeTakeFirstOrThrow();
  return Number(rows) >= MAX_EVALUATION_ROWS ? undefined : Number(total);
}

export async function countRunsSince(db: Db, userId: string, since: number): Promise<number> {
  const { total } = await db
    .selectFrom('runs')
    .select(({ fn }) => fn.countAll<number | string>().as('total'))
    .where('user_id', '=', userId)
    .where('started_at', '>=', since)
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** Calls with the tokens of a member in the hours since then. */
export async function sumTokenCalls(db: Db, memberId: string, since: number): Promise<number> {
  const { total } = await db
    .selectFrom('tokens')
    .innerJoin('token_hours', 'token_hours.token_id', 'tokens.id')
    .select(({ fn }) => fn.sum<number | string | null>('token_hours.calls').as('total'))
    .where('tokens.member_id', '=', memberId)
    .where('token_hours.hour', '>=', since)
    .executeTakeFirstOrThrow();
  return Number(total ?? 0);
}
