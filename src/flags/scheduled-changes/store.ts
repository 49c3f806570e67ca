// Scheduled changes in the database, each with its due work.
import { schedule } from '../../kernel/jobs/due-store.ts';
import { newId } from '../../kernel/id.ts';
import type { Page, Slice } from '../../kernel/http/reply/page.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { FlagInEnvironmentRef } from '../planned-changes/flag-in-environment.ts';
import type { Plan, PlanConflict } from '../planned-changes/plan.ts';
import { findRow, pageRows, updateRow } from '../store-rows.ts';
import type { ScheduledChange } from './model.ts';
import type { ScheduledChangeRow } from './tables.ts';

/** The kind of the due work that applies a change. */
export const SCHEDULED_CHANGE_WORK = 'flags.scheduled-change';

export type NewScheduledChange = Omit<
  ScheduledChange,
  'id' | 'status' | 'conflicts' | 'version' | 'createdAt'
>;

/** Sorted by time, earliest first. */
export async function listScheduledChanges(
  db: Db,
  { flagId, environmentId }: FlagInEnvironmentRef,
  slice: Slice,
): Promise<Page<ScheduledChange>> {
  const found = db
    .selectFrom('scheduled_changes')
    .where('flag_id', '=', flagId)
    .where('environment_id', '=', environmentId);
  const page = await pageRows(found, slice, (all) => all.selectAll().orderBy('execution_at').orderBy('id'));
  return page.map(changeOf);
}

/** With `hold`, locks the row until the transaction ends. */
export async function findScheduledChange(
  db: Db,
  id: string,
  hold?: 'hold',
): Promise<ScheduledChange | undefined> {
  const row = await findRow(db, 'scheduled_changes', id, hold);
  return row && changeOf(row);
}

/** Like all writes here, belongs in a transaction. */
export async function insertScheduledChange(
  tx: Db,
  change: NewScheduledChange,
  now: number,
): Promise<ScheduledChange> {
  const made: ScheduledChange = {
    ...change,
    id: newId(now),
    status: 'pending',
    conflicts: [],
    version: 1,
    createdAt: now,
  };
  await tx.insertInto('scheduled_changes').values(rowOf(made)).execute();
  await wait(tx, made, now);
  return made;
}

/** Schedules a pending change again. Throws `conflict` when somebody else has changed it since it was read. */
export async function updateScheduledChange(
  tx: Db,
  before: ScheduledChange,
  after: ScheduledChange,
  now: number,
): Promise<void> {
  await updateRow(tx, 'scheduled_changes', before, rowOf(after), 'scheduled change');
  if (after.status === 'pending') await wait(tx, after, now);
}

/** The due work stays, and then finds no change. */
export async function deleteScheduledChange(tx: Db, { id }: Pick<ScheduledChange, 'id'>): Promise<void> {
  await tx.deleteFrom('scheduled_changes').where('id', '=', id).execute();
}

async function wait(tx: Db, { id, executionAt: dueAt }: ScheduledChange, now: number): Promise<void> {
  await schedule(
    tx,
    { id: `${SCHEDULED_CHANGE_WORK}:${id}`, kind: SCHEDULED_CHANGE_WORK, payload: id, dueAt },
    now,
    'move',
  );
}

function rowOf(change: ScheduledChange): ScheduledChangeRow {
  const plan: Plan = { instructions: change.instructions };
  return {
    id: change.id,
    flag_id: change.flagId,
    environment_id: change.environmentId,
    member_id: change.maintainer.memberId,
    service_token_id: change.maintainer.serviceTokenId ?? null,
    boundary_id: change.maintainer.boundary ?? null,
    execution_at: change.executionAt,
    status: change.status,
    version: change.version,
    created_at: change.createdAt,
    comment: change.comment ?? null,
    conflicts: JSON.stringify(change.conflicts),
    plan: JSON.stringify(plan),
  };
}

function changeOf(row: ScheduledChangeRow): ScheduledChange {
  return {
    id: row.id,
    flagId: row.flag_id,
    environmentId: row.environment_id,
    maintainer: {
      memberId: row.member_id,
      ...(row.service_token_id !== null && { serviceTokenId: row.service_token_id }),
      ...(row.boundary_id !== null && { boundary: row.boundary_id }),
    },
    executionAt: row.execution_at,
    status: row.status as ScheduledChange['status'],
    ...(row.comment !== null && { comment: row.comment }),
    conflicts: JSON.parse(row.conflicts) as PlanConflict[],
    instructions: (JSON.parse(row.plan) as Plan).instructions,
    version: row.version,
    createdAt: row.created_at,
  };
}
