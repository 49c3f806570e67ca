// The members of big segments in the database: a row for each.
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { MembershipPlan, TargetTypes } from './membership.ts';
import type { TargetType } from './segment.ts';

/** As many rows as one statement can take on every engine. */
const BATCH_SIZE = 5000;

/** By key; keys that are no members are absent. */
export async function findTargetTypes(
  db: Db,
  segmentId: string,
  keys: readonly string[],
): Promise<TargetTypes> {
  const targetTypes = new Map<string, TargetType>();
  for (const batch of chunk(keys, BATCH_SIZE)) {
    const rows = await db
      .selectFrom('segment_members')
      .select(['context_key', 'is_included'])
      .where('segment_id', '=', segmentId)
      .where('context_key', 'in', batch)
      .execute();
    for (const row of rows) targetTypes.set(row.context_key, row.is_included === 1 ? 'included' : 'excluded');
  }
  return targetTypes;
}

/** Runs in the transaction that has locked the segment. `mark` is the number of an import. */
export async function updateMembership(
  tx: Db,
  segmentId: string,
  { upsert, remove }: MembershipPlan,
  mark = 0,
): Promise<void> {
  for (const batch of chunk(remove, BATCH_SIZE)) {
    await tx
      .deleteFrom('segment_members')
      .where('segment_id', '=', segmentId)
      .where('context_key', 'in', batch)
      .execute();
  }
  for (const batch of chunk(upsert, BATCH_SIZE)) {
    await tx
      .insertInto('segment_members')
      .values(
        batch.map(({ key, type }) => ({
          segment_id: segmentId,
          context_key: key,
          is_included: Number(type === 'included'),
          mark,
        })),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['segment_id', 'context_key'])
          .doUpdateSet(({ ref }) => ({ is_included: ref('excluded.is_included'), mark })),
      )
      .execute();
  }
}

/** Deletes the members of deleted segments in batches, so that other writes need not wait for millions of rows. */
export async function deleteOrphanedMembers(db: Db, signal?: AbortSignal): Promise<void> {
  for (let id = await nextOwner(db, ''); id !== undefined; id = await nextOwner(db, id)) {
    const owner = await db.selectFrom('segments').select('id').where('id', '=', id).executeTakeFirst();
    if (owner === undefined) await deleteMembers(db, id, signal);
    if (signal?.aborted === true) return;
  }
}

/** The next segment id after this one, by index. */
async function nextOwner(db: Db, after: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('segment_members')
    .select('segment_id')
    .where('segment_id', '>', after)
    .orderBy('segment_id')
    .limit(1)
    .executeTakeFirst();
  return row?.segment_id;
}

/** Deletes batches, each up to the key at which the next one starts. */
async function deleteMembers(db: Db, segmentId: string, signal?: AbortSignal): Promise<void> {
  for (let hasMore = true; hasMore && signal?.aborted !== true;) {
    const next = await db
      .selectFrom('segment_members')
      .select('context_key')
      .where('segment_id', '=', segmentId)
      .orderBy('context_key')
      .offset(BATCH_SIZE)
      .limit(1)
      .executeTakeFirst();
    hasMore = next !== undefined;
    await db
      .deleteFrom('segment_members')
      .where('segment_id', '=', segmentId)
      .$if(next !== undefined, (query) => query.where('context_key', '<', next!.context_key))
      .execute();
  }
}
