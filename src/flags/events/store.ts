// What payloads of events report, in the database: each payload is saved once, in one transaction, with the context kinds that flags were evaluated for.
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { KnownFlag, KnownFlags, UsageGroup, UsageRows } from './merge.ts';
import { type EventPayload, MAX_CONTEXT_KINDS } from './payload.ts';
import type { FlagEventPayloadRow, FlagContextKindRow } from './tables.ts';

/** Building a larger statement would block other calls for too long. */
const BATCH_ROWS = 200;

type PayloadKey = Pick<EventPayload, 'environmentId' | 'id'>;

/** Nothing was saved, because these payloads have been saved before, by this node or another. */
export class DuplicatePayloads extends Error {
  readonly duplicates: ReadonlySet<string>;

  constructor(duplicates: ReadonlySet<string>) {
    super(`${duplicates.size} payloads have been saved before.`);
    this.duplicates = duplicates;
  }
}

export function payloadName({ environmentId, id }: PayloadKey): string {
  return `${environmentId} ${id}`;
}

/**
 * All payloads or none; throws `DuplicatePayloads` where one is not new. `rows` is what they add, made beforehand, because
 * other writers wait for the transaction.
 */
export async function savePayloads(
  db: Db,
  payloads: readonly EventPayload[],
  rows: UsageRows,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const duplicates = await insertPayloads(tx, payloads);
    if (duplicates.size > 0) throw new DuplicatePayloads(duplicates);
    await addRows(tx, rows);
  });
}

/**
 * Returns those that were there before. Where another node is inserting the same one, the database waits for the end of its
 * transaction.
 */
async function insertPayloads(tx: Db, payloads: readonly EventPayload[]): Promise<Set<string>> {
  // Sorted, so that two nodes never deadlock.
  const names = new Map(payloads.map((payload) => [payloadName(payload), payload]));
  const rows = [...names]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { environmentId, id, receivedAt }]): FlagEventPayloadRow => ({
      environment_id: environmentId,
      payload_id: id,
      received_at: receivedAt,
    }));
  const before = new Set(names.keys());
  for (const batch of chunk(rows, BATCH_ROWS)) {
    const inserted = await tx
      .insertInto('flag_event_payloads')
      .values(batch)
      .onConflict((conflict) => conflict.columns(['environment_id', 'payload_id']).doNothing())
      .returning(['environment_id', 'payload_id'])
      .execute();
    for (const row of inserted)
      before.delete(payloadName({ environmentId: row.environment_id, id: row.payload_id }));
  }
  return before;
}

/** Environments and flags may have been deleted since the events arrived. */
export async function findKnownFlags(db: Db, groups: readonly UsageGroup[]): Promise<KnownFlags> {
  const environments = new Set<string>();
  for (const ids of chunk([...new Set(groups.map(({ environmentId }) => environmentId))])) {
    const rows = await db.selectFrom('environments').select('id').where('id', 'in', ids).execute();
    for (const { id } of rows) environments.add(id);
  }
  const flags = new Map<string, Map<string, KnownFlag>>();
  for (const [projectId, some] of Map.groupBy(groups, (group) => group.projectId)) {
    const found = new Map<string, KnownFlag>();
    const keys = [...new Set(some.flatMap((group) => [...group.flags.keys()]))];
    for (const batch of chunk(keys)) {
      const rows = await db
        .selectFrom('flags')
        .select(['id', 'key', 'availability'])
        .where('project_id', '=', projectId)
        .where('key', 'in', batch)
        .execute();
      for (const { key, id, availability } of rows) found.set(key, { id, availability });
    }
    flags.set(projectId, found);
  }
  return { environments, flags };
}

async function addRows(tx: Db, { evaluations, usage, contextKinds }: UsageRows): Promise<void> {
  for (const batch of chunk(evaluations, BATCH_ROWS)) {
    await tx
      .insertInto('flag_evaluations')
      .values(batch)
      .onConflict((conflict) =>
        conflict
          .columns(['environment_id', 'flag_key', 'hour', 'variation', 'version', 'sdk'])
          .doUpdateSet(({ eb, ref }) => ({
            count: eb('flag_evaluations.count', '+', ref('excluded.count')),
          })),
      )
      .execute();
  }
  for (const batch of chunk(usage, BATCH_ROWS)) {
    await tx
      .insertInto('flag_usage')
      .values(batch)
      .onConflict((conflict) =>
        conflict.columns(['environment_id', 'flag_id']).doUpdateSet(({ eb, ref, fn }) => ({
          // Another node may have saved a later request before.
          last_requested_at: eb
            .case()
            .when('flag_usage.last_requested_at', '>', ref('excluded.last_requested_at'))
            .then(ref('flag_usage.last_requested_at'))
            .else(ref('excluded.last_requested_at'))
            .end(),
          last_default: fn.coalesce('excluded.last_default', 'flag_usage.last_default'),
        })),
      )
      .execute();
  }
  await saveContextKinds(tx, contextKinds);
}

/** Flags whose kinds are read or written by one statement. */
const BATCH_FLAGS = 100;

/** A kind is forgotten when its flag was not evaluated for it in this time. */
export const KEPT_KINDS_MS = 30 * 24 * 60 * 60 * 1000;

/** A flag that has as many kinds as it may have gets no new ones. */
async function saveContextKinds(tx: Db, rows: readonly FlagContextKindRow[]): Promise<void> {
  const byEnvironment = Map.groupBy(rows, (row) => row.environment_id);
  for (const [environmentId, own] of byEnvironment) {
    const byFlag = [...Map.groupBy(own, (row) => row.flag_id)];
    for (const batch of chunk(byFlag, BATCH_FLAGS)) {
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
  for (const ids of chunk(flagIds, BATCH_FLAGS)) {
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
