// Copies the segments of an environment to a new one.
import { newId } from '../../kernel/id.ts';
import type { Db } from '../../kernel/storage/tables.ts';

const BATCH_SIZE = 100;

/** Copies members, too; uses by flags are copied with the flags. Runs in the transaction that creates the environment. */
export async function copySegments(tx: Db, sourceId: string, targetId: string, now: number): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined;)
    after = await copyBatch(tx, sourceId, targetId, after, now);
}

/** Returns the key to continue after, if there may be more. */
async function copyBatch(
  tx: Db,
  sourceId: string,
  targetId: string,
  after: string,
  now: number,
): Promise<string | undefined> {
  const rows = await tx
    .selectFrom('segments')
    .selectAll()
    .where('environment_id', '=', sourceId)
    .where('key', '>', after)
    .orderBy('key')
    .limit(BATCH_SIZE)
    .execute();
  for (const row of rows) {
    const id = newId(now);
    const fresh = { importing: null, version: 1, generation: 1, created_at: now, modified_at: now };
    await tx
      .insertInto('segments')
      .values({ ...row, ...fresh, id, environment_id: targetId })
      .execute();
    if (row.is_unbounded === 1) await copyMembers(tx, row.id, id);
  }
  return rows.length === BATCH_SIZE ? rows.at(-1)!.key : undefined;
}

async function copyMembers(tx: Db, from: string, to: string): Promise<void> {
  await tx
    .insertInto('segment_members')
    .columns(['segment_id', 'context_key', 'is_included'])
    .expression((eb) =>
      eb
        .selectFrom('segment_members')
        .where('segment_id', '=', from)
        .select(({ val, cast }) => [
          cast<string>(val(to), 'text').as('segment_id'),
          'context_key',
          'is_included',
        ]),
    )
    .execute();
}
