// Approval requests in the database, and the due work that applies scheduled ones.
import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely';
import { schedule } from '../../kernel/jobs/due-store.ts';
import type { Page, Slice } from '../../kernel/http/reply/page.ts';
import type { Db, Tables } from '../../kernel/storage/tables.ts';
import type { FlagInEnvironmentRef } from '../planned-changes/flag-in-environment.ts';
import type { Plan } from '../planned-changes/plan.ts';
import { findRow, pageRows, updateRow } from '../store-rows.ts';
import type { ApprovalRequest } from './model.ts';
import type { ApprovalRequestRow } from './tables.ts';

/** The kind of the due work that applies a request. */
export const APPROVAL_WORK = 'flags.approval-request';

type Eb = ExpressionBuilder<Tables, 'approval_requests'>;
export type Condition = ExpressionWrapper<Tables, 'approval_requests', SqlBool>;

export interface ApprovalQuery {
  /** Only requests of these projects. */
  projectIds?: readonly string[];
  /** Only requests of this flag in this environment. */
  at?: FlagInEnvironmentRef;
  filter?: ((eb: Eb) => Condition) | undefined;
  slice: Slice;
}

/** Newest first. */
export async function listApprovalRequests(
  db: Db,
  { projectIds, at, filter, slice }: ApprovalQuery,
): Promise<Page<ApprovalRequest>> {
  const found = db
    .selectFrom('approval_requests')
    .$if(projectIds !== undefined, (query) => query.where('project_id', 'in', ['', ...projectIds!]))
    .$if(at !== undefined, (query) =>
      query.where('flag_id', '=', at!.flagId).where('environment_id', '=', at!.environmentId),
    )
    .$if(filter !== undefined, (query) => query.where((eb) => filter!(eb)));
  const page = await pageRows(found, slice, (all) =>
    all.selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc'),
  );
  return page.map(requestOf);
}

/** Counts requests that are pending or scheduled. */
export async function countOpenRequests(
  db: Db,
  { flagId, environmentId }: FlagInEnvironmentRef,
): Promise<number> {
  const { total } = await db
    .selectFrom('approval_requests')
    .where('flag_id', '=', flagId)
    .where('environment_id', '=', environmentId)
    .where('status', 'in', ['pending', 'scheduled'])
    .select(({ fn }) => fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** With `hold`, locks the row until the transaction ends. */
export async function findApprovalRequest(
  db: Db,
  id: string,
  hold?: 'hold',
): Promise<ApprovalRequest | undefined> {
  const row = await findRow(db, 'approval_requests', id, hold);
  return row && requestOf(row);
}

export async function insertApprovalRequest(tx: Db, request: ApprovalRequest): Promise<void> {
  await tx.insertInto('approval_requests').values(rowOf(request)).execute();
  await insertReviewers(tx, request.id, request.notifyMemberIds);
}

/** Throws `conflict` when somebody else has changed the request since it was read. */
export async function updateApprovalRequest(
  tx: Db,
  before: ApprovalRequest,
  after: ApprovalRequest,
): Promise<void> {
  await updateRow(tx, 'approval_requests', before, rowOf(after), 'approval request');
  const fresh = after.notifyMemberIds.filter((id) => !before.notifyMemberIds.includes(id));
  await insertReviewers(tx, after.id, fresh);
}

async function insertReviewers(tx: Db, requestId: string, memberIds: readonly string[]): Promise<void> {
  const rows = memberIds.map((memberId) => ({ request_id: requestId, member_id: memberId }));
  if (rows.length > 0) await tx.insertInto('approval_reviewers').values(rows).execute();
}

export async function scheduleApproval(tx: Db, id: string, dueAt: number, now: number): Promise<void> {
  await schedule(tx, { id: `${APPROVAL_WORK}:${id}`, kind: APPROVAL_WORK, payload: id, dueAt }, now, 'move');
}

export async function deleteApprovalRequest(tx: Db, { id }: Pick<ApprovalRequest, 'id'>): Promise<void> {
  await tx.deleteFrom('approval_requests').where('id', '=', id).execute();
}

function rowOf(request: ApprovalRequest): ApprovalRequestRow {
  const { id, projectId, flagId, environmentId, status, reviewStatus, version, createdAt, plan, ...doc } =
    request;
  return {
    id,
    project_id: projectId,
    flag_id: flagId,
    environment_id: environmentId,
    requestor_id: request.requestor.memberId,
    status,
    review_status: reviewStatus,
    version,
    created_at: createdAt,
    boundary_id: request.appliedBy?.boundary ?? null,
    plan: JSON.stringify(plan),
    doc: JSON.stringify(doc),
  };
}

type ApprovalDoc = Omit<
  ApprovalRequest,
  | 'id'
  | 'projectId'
  | 'flagId'
  | 'environmentId'
  | 'status'
  | 'reviewStatus'
  | 'version'
  | 'createdAt'
  | 'plan'
>;

function requestOf(row: ApprovalRequestRow): ApprovalRequest {
  return {
    ...(JSON.parse(row.doc) as ApprovalDoc),
    id: row.id,
    projectId: row.project_id,
    flagId: row.flag_id,
    environmentId: row.environment_id,
    status: row.status as ApprovalRequest['status'],
    reviewStatus: row.review_status as ApprovalRequest['reviewStatus'],
    version: row.version,
    createdAt: row.created_at,
    plan: JSON.parse(row.plan) as Plan,
  };
}
