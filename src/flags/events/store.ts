// Saves what payloads of events report, each payload once, in one transaction.
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { KnownFlag, KnownFlags, UsageGroup, UsageRows } from './merge.ts';
import type { EventPayload } from './payload.ts';
import { saveContextKinds } from './store-context-kinds.ts';
import type { FlagEventPayloadRow } from './tables.ts';

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
