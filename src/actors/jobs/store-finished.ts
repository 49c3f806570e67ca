// Which builds and runs have finished.
import type { Db } from '../../kernel/storage/tables.ts';
import type { JobKind } from './job.ts';

/** Those of the ids that are finished or do not exist any more. */
export async function listFinished(db: Db, kind: JobKind, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom(kind === 'run' ? 'runs' : 'builds')
    .select('id')
    .where('id', 'in', ids)
    .where('finished_at', 'is', null)
    .execute();
  const unfinished = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !unfinished.has(id));
}
