// Segments of one environment, made anew in another that begins as its copy.
import { newId } from '../../kernel/id.ts';
import type { Db } from '../../kernel/storage/tables.ts';

const BATCH_SIZE = 100;

/** With their members; which flags use them is copied with the flags. In the transaction that makes the environment. */
export async function copySegments(tx: Db, sourceId: string, targetId: string, now: number): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined;)
    after = await copyBatch(tx, sourceId, targetId, after, now);
}

/** The key of the last one, where there may be more. */
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
