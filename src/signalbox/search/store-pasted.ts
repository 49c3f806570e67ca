// Finds the ids of what a pasted text names by keys.
import type { Db } from '../../kernel/storage/tables.ts';

/** A segment may be in several environments. */
const MAX_SEGMENTS = 20;

export async function findFlagIds(
  db: Db,
  what: 'flag' | 'segment',
  projectKey: string,
  key: string,
): Promise<string[]> {
  const project = await db
    .selectFrom('projects')
    .select('id')
    .where('key', '=', projectKey)
    .executeTakeFirst();
  if (project === undefined) return [];
  const rows =
    what === 'flag'
      ? await db
          .selectFrom('flags')
          .select('id')
          .where('project_id', '=', project.id)
          .where('key', '=', key)
          .execute()
      : await db
          .selectFrom('environments')
          .innerJoin('segments', 'segments.environment_id', 'environments.id')
          .select('segments.id')
          .where('environments.project_id', '=', project.id)
          .where('segments.key', '=', key)
          .limit(MAX_SEGMENTS)
          .execute();
  return rows.map(({ id }) => id);
}
