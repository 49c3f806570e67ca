// Expiring targets in the database, each with its due work.
import { schedule } from '../../kernel/jobs/due-store.ts';
import { contested } from '../../kernel/storage/retry.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { ExpiringTarget, Owner, ResourceKind } from './model.ts';
import type { ExpiringTargetRow } from './tables.ts';

/** The kind of the due work that removes an expired target of a flag or a segment. */
export function expiryWork(kind: ResourceKind): string {
  return `flags.expire-${kind}-target`;
}

/** Sorted by time, earliest first. */
export async function listExpiringTargets(
  db: Db,
  { resourceId, environmentId }: Pick<Owner, 'resourceId' | 'environmentId'>,
): Promise<ExpiringTarget[]> {
  const rows = await db
    .selectFrom('expiring_targets')
    .selectAll()
    .where('resource_id', '=', resourceId)
    .where('environment_id', '=', environmentId)
    .orderBy('expires_at')
    .orderBy('id')
    .execute();
  return rows.map(targetOf);
}

export async function findExpiringTarget(db: Db, id: string): Promise<ExpiringTarget | undefined> {
  const row = await db.selectFrom('expiring_targets').selectAll().where('id', '=', id).executeTakeFirst();
  return row && targetOf(row);
}

/**
 * Writes the rows that differ, and schedules the due work of each.
 * Throws `conflict` when somebody else has changed one of them since it was read.
 */
export async function updateExpiringTargets(
  tx: Db,
  before: readonly ExpiringTarget[],
  after: readonly ExpiringTarget[],
  now: number,
): Promise<void> {
  const known = new Map(before.map((target) => [target.id, target]));
  const kept = new Set(after.map(({ id }) => id));
  // Deletes first, because a context may have moved to another list.
  for (const target of before) if (!kept.has(target.id)) await deleteExpiringTarget(tx, target);
  for (const target of after) {
    const old = known.get(target.id);
    if (old === target) continue;
    if (old === undefined) await tx.insertInto('expiring_targets').values(rowOf(target)).execute();
    else await updateExpiringTarget(tx, old, target);
    const kind = expiryWork(target.resourceKind);
    const work = { id: `${kind}:${target.id}`, kind, payload: target.id, dueAt: target.expiresAt };
    await schedule(tx, work, now, 'move');
  }
}

/** The due work stays, and then finds no expiry. */
export async function deleteExpiringTarget(tx: Db, { id, version }: ExpiringTarget): Promise<void> {
  const { numDeletedRows } = await tx
    .deleteFrom('expiring_targets')
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw contested('expiring target');
}

/** Deletes all expiries of a flag or segment that is deleted. */
export async function deleteExpiringTargetsOf(tx: Db, resourceId: string): Promise<void> {
  await tx.deleteFrom('expiring_targets').where('resource_id', '=', resourceId).execute();
}

async function updateExpiringTarget(tx: Db, old: ExpiringTarget, target: ExpiringTarget): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('expiring_targets')
    .set({ expires_at: target.expiresAt, version: target.version })
    .where('id', '=', old.id)
    .where('version', '=', old.version)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw contested('expiring target');
}

function rowOf(target: ExpiringTarget): ExpiringTargetRow {
  return {
    id: target.id,
    resource_kind: target.resourceKind,
    resource_id: target.resourceId,
    environment_id: target.environmentId,
    place: target.place,
    context_kind: target.contextKind,
    context_key: target.contextKey,
    expires_at: target.expiresAt,
    version: target.version,
  };
}

function targetOf(row: ExpiringTargetRow): ExpiringTarget {
  return {
    id: row.id,
    resourceKind: row.resource_kind as ResourceKind,
    resourceId: row.resource_id,
    environmentId: row.environment_id,
    place: row.place,
    contextKind: row.context_kind,
    contextKey: row.context_key,
    expiresAt: row.expires_at,
    version: row.version,
  };
}
