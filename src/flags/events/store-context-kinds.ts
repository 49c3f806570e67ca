// The context kinds that flags were evaluated for, in the database.
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { MAX_CONTEXT_KINDS } from './payload.ts';
import type { FlagContextKindRow } from './tables.ts';

/** Flags whose kinds are read or written by one statement. */
const BATCH_SIZE = 100;

/** A kind is forgotten when its flag was not evaluated for it in this time. */
export const KEPT_KINDS_MS = 30 * 24 * 60 * 60 * 1000;

/** A flag that has as many kinds as it may have gets no new ones. */
export async function saveContextKinds(tx: Db, rows: readonly FlagContextKindRow[]): Promise<void> {
  const byEnvironment = Map.groupBy(rows, (row) => row.environment_id);
  for (const [environmentId, own] of byEnvironment) {
    const byFlag = [...Map.groupBy(own, (row) => row.flag_id)];
    for (const batch of chunk(byFlag, BATCH_SIZE)) {
      const known = await listKinds(
        tx,
        environmentId,
        batch.map(([flagId]) => flagId),
      );
      await upsertKinds(
        tx,
        batch.flatMap(([flagId, some]) => withRoom(some, known.get(flagId) ?? new Set())),
      );
    }
  }
}

async function listKinds(
  tx: Db,
  environmentId: string,
  flagIds: readonly string[],
): Promise<Map<string, Set<string>>> {
  const rows = await tx
    .selectFrom('flag_context_kinds')
    .select(['flag_id', 'kind'])
    .where('environment_id', '=', environmentId)
    .where('flag_id', 'in', flagIds)
    .execute();
  const kinds = new Map<string, Set<string>>();
  for (const { flag_id, kind } of rows) kinds.set(flag_id, (kinds.get(flag_id) ?? new Set()).add(kind));
  return kinds;
}

function withRoom(rows: readonly FlagContextKindRow[], known: Set<string>): FlagContextKindRow[] {
  return rows.filter(({ kind }) => {
    if (known.size < MAX_CONTEXT_KINDS) known.add(kind);
    return known.has(kind);
  });
}

async function upsertKinds(tx: Db, rows: readonly FlagContextKindRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insertInto('flag_context_kinds')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['environment_id', 'flag_id', 'kind']).doUpdateSet(({ eb, ref }) => ({
        // Another node may have saved a later evaluation before.
        seen_at: eb
          .case()
          .when('flag_context_kinds.seen_at', '>', ref('excluded.seen_at'))
          .then(ref('flag_context_kinds.seen_at'))
          .else(ref('excluded.seen_at'))
          .end(),
      })),
    )
    .execute();
}

/** Sorted, by flag and environment. */
export async function listContextKindsOf(
  db: Db,
  flagIds: readonly string[],
  environmentIds: readonly string[],
  now: number,
): Promise<Map<string, Map<string, string[]>>> {
  const found = new Map<string, Map<string, string[]>>();
  if (environmentIds.length === 0) return found;
  for (const ids of chunk(flagIds, BATCH_SIZE)) {
    const rows = await db
      .selectFrom('flag_context_kinds')
      .select(['flag_id', 'environment_id', 'kind'])
      .where('flag_id', 'in', ids)
      .where('environment_id', 'in', environmentIds)
      .where('seen_at', '>', now - KEPT_KINDS_MS)
      .orderBy('kind')
      .execute();
    for (const { flag_id, environment_id, kind } of rows) {
      const byEnvironment = found.get(flag_id) ?? new Map<string, string[]>();
      found.set(flag_id, byEnvironment);
      byEnvironment.set(environment_id, [...(byEnvironment.get(environment_id) ?? []), kind]);
    }
  }
  return found;
}

export async function deleteContextKinds(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('flag_context_kinds')
    .where('seen_at', '<=', now - KEPT_KINDS_MS)
    .execute();
}
