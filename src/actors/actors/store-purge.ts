// Finds what is left of a deleted Actor: its runs, of whatever account, and its builds.
import type { Db } from '../../kernel/storage/tables.ts';

/** The place of a row in the order of the list. */
export interface StartedRow {
  id: string;
  startedAt: number;
}

/** The next ones after a row, oldest first. */
export async function listLeftovers(
  db: Db,
  table: 'runs' | 'builds',
  actorId: string,
  after: StartedRow | undefined,
  limit: number,
): Promise<StartedRow[]> {
  const rows = await db
    .selectFrom(table)
    .select(['id', 'started_at'])
    .where('actor_id', '=', actorId)
    .$if(after !== undefined, (query) =>
      query
        .where('started_at', '>=', after!.startedAt)
        .where((eb) => eb.or([eb('started_at', '>', after!.startedAt), eb('id', '>', after!.id)])),
    )
    .orderBy('started_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id, started_at: startedAt }) => ({ id, startedAt }));
}
