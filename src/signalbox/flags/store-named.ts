// Flags by their keys alone, in the database.
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Db } from '../../kernel/storage/tables.ts';

export interface NamedFlag {
  id: string;
  projectId: string;
  key: string;
  name: string;
  isArchived: boolean;
  isReadyToRemove: boolean;
}

/** Each project is asked for each key, so that few projects go into a statement. */
const PROJECTS_AT_ONCE = 50;

/** Sorted by key in each batch of projects, which come in their order. */
export async function listFlagsNamed(
  db: Db,
  projectIds: readonly string[],
  keys: readonly string[],
  limit: number,
): Promise<NamedFlag[]> {
  const found: NamedFlag[] = [];
  if (keys.length === 0) return found;
  for (const some of chunk(projectIds, PROJECTS_AT_ONCE)) {
    const rows = await db
      .selectFrom('flags')
      .leftJoin('removable_flags', 'removable_flags.flag_id', 'flags.id')
      .where('flags.project_id', 'in', some)
      .where('flags.key', 'in', keys)
      .select([
        'flags.id',
        'flags.project_id as projectId',
        'flags.key',
        'flags.name',
        'flags.state',
        'removable_flags.since',
      ])
      .orderBy('flags.key')
      .orderBy('flags.project_id')
      .limit(limit - found.length)
      .execute();
    for (const { state, since, ...row } of rows)
      found.push({ ...row, isArchived: state === 'archived', isReadyToRemove: since !== null });
    if (found.length >= limit) break;
  }
  return found;
}
