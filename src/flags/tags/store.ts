// Lists tags in use, by the kind of resource.
import type { Db } from '../../kernel/storage/tables.ts';

/** Without tags of archived flags unless requested. */
export async function listFlagTags(db: Db, projectIds: string[], withArchived: boolean): Promise<string[]> {
  const rows = await db
    .selectFrom('flag_tags')
    .$if(!withArchived, (query) =>
      query.innerJoin('flags', 'flags.id', 'flag_tags.flag_id').where('flags.state', '!=', 'archived'),
    )
    .where('flag_tags.project_id', 'in', projectIds)
    .select('flag_tags.tag')
    .distinct()
    .execute();
  return rows.map(({ tag }) => tag);
}

export async function listEnvironmentTags(db: Db, projectIds: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('environments')
    .select('tags')
    .where('project_id', 'in', projectIds)
    .execute();
  return rows.flatMap(({ tags }) => JSON.parse(tags) as string[]);
}

export async function listSegmentTags(db: Db, projectIds: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('segments')
    .innerJoin('environments', 'environments.id', 'segments.environment_id')
    .select('segments.tags')
    .distinct()
    .where('environments.project_id', 'in', projectIds)
    .execute();
  return rows.flatMap(({ tags }) => JSON.parse(tags) as string[]);
}
