// Triggers in the database.
import type { Page, Slice } from '../../kernel/http/reply/page.ts';
import type { Instruction } from '../patch/patch.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { FlagInEnvironmentRef } from '../planned-changes/flag-in-environment.ts';
import { findRow, pageRows, updateRow } from '../store-rows.ts';
import type { Trigger } from './model.ts';
import type { FlagTriggerRow } from './tables.ts';

/** In order of creation. */
export async function listTriggers(
  db: Db,
  { flagId, environmentId }: FlagInEnvironmentRef,
  slice: Slice,
): Promise<Page<Trigger>> {
  const found = db
    .selectFrom('flag_triggers')
    .where('flag_id', '=', flagId)
    .where('environment_id', '=', environmentId);
  const page = await pageRows(found, slice, (all) => all.selectAll().orderBy('created_at').orderBy('id'));
  return page.map(triggerOf);
}

/** With `hold`, locks the row until the transaction ends. */
export async function findTrigger(db: Db, id: string, hold?: 'hold'): Promise<Trigger | undefined> {
  const row = await findRow(db, 'flag_triggers', id, hold);
  return row && triggerOf(row);
}

export async function insertTrigger(tx: Db, trigger: Trigger): Promise<void> {
  await tx.insertInto('flag_triggers').values(rowOf(trigger)).execute();
}

/** Throws `conflict` when somebody else has changed the trigger since it was read. */
export async function updateTrigger(tx: Db, before: Trigger, after: Trigger): Promise<void> {
  const { fired_count: _count, fired_at: _at, ...row } = rowOf(after);
  await updateRow(tx, 'flag_triggers', before, row, 'trigger');
}

export async function deleteTrigger(tx: Db, { id }: Pick<Trigger, 'id'>): Promise<void> {
  await tx.deleteFrom('flag_triggers').where('id', '=', id).execute();
}

/** Counts a call of the trigger. */
export async function updateFiredCount(tx: Db, { id }: Pick<Trigger, 'id'>, now: number): Promise<void> {
  await tx
    .updateTable('flag_triggers')
    .set((eb) => ({ fired_count: eb('fired_count', '+', 1), fired_at: now }))
    .where('id', '=', id)
    .execute();
}

function rowOf(trigger: Trigger): FlagTriggerRow {
  return {
    id: trigger.id,
    flag_id: trigger.flagId,
    environment_id: trigger.environmentId,
    member_id: trigger.maintainerId,
    integration_key: trigger.integrationKey,
    is_on: trigger.isOn ? 1 : 0,
    hash: trigger.hash,
    fired_count: trigger.firedCount,
    fired_at: trigger.firedAt ?? null,
    version: trigger.version,
    created_at: trigger.createdAt,
    comment: trigger.comment ?? null,
    instructions: JSON.stringify(trigger.instructions),
  };
}

function triggerOf(row: FlagTriggerRow): Trigger {
  return {
    id: row.id,
    flagId: row.flag_id,
    environmentId: row.environment_id,
    maintainerId: row.member_id,
    integrationKey: row.integration_key,
    isOn: row.is_on === 1,
    hash: row.hash,
    firedCount: row.fired_count,
    ...(row.fired_at !== null && { firedAt: row.fired_at }),
    ...(row.comment !== null && { comment: row.comment }),
    instructions: JSON.parse(row.instructions) as Instruction[],
    version: row.version,
    createdAt: row.created_at,
  };
}
