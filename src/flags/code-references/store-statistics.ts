// How often the default branches of repositories name the flags of a project.
import type { Db } from '../../kernel/storage/tables.ts';

/** The ids of projects that a default branch names a flag of. */
export async function listReferencedProjects(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('projects')
    .select('id')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('code_references')
          .innerJoin('code_branches', 'code_branches.id', 'code_references.branch_id')
          .innerJoin('code_repositories', (join) =>
            join
              .onRef('code_repositories.id', '=', 'code_branches.repository_id')
              .onRef('code_repositories.default_branch', '=', 'code_branches.name'),
          )
          .select('code_references.position')
          .whereRef('code_references.project_id', '=', 'projects.id'),
      ),
    )
    .orderBy('created_at')
    .orderBy('key')
    .execute();
  return rows.map(({ id }) => id);
}

export interface FlagStatistic {
  flagKey: string;
  repositoryId: string;
  fileCount: number;
  hunkCount: number;
  commitTime?: number;
}

/** Of flags that exist, by key; at most `limit`. */
export async function listFlagStatistics(
  db: Db,
  { projectId, flagKeys }: { projectId: string; flagKeys?: readonly string[] | undefined },
  limit: number,
): Promise<FlagStatistic[]> {
  if (flagKeys?.length === 0) return [];
  const rows = await db
    .selectFrom('code_references')
    .innerJoin('flags', (join) =>
      join
        .onRef('flags.project_id', '=', 'code_references.project_id')
        .onRef('flags.key', '=', 'code_references.flag_key'),
    )
    .innerJoin('code_branches', 'code_branches.id', 'code_references.branch_id')
    .innerJoin('code_repositories', (join) =>
      join
        .onRef('code_repositories.id', '=', 'code_branches.repository_id')
        .onRef('code_repositories.default_branch', '=', 'code_branches.name'),
    )
    .select([
      'code_branches.repository_id',
      'code_references.flag_key',
      'code_references.file_count',
      'code_references.hunk_count',
      'code_branches.commit_time',
    ])
    .where('code_references.project_id', '=', projectId)
    .$if(flagKeys !== undefined, (query) => query.where('code_references.flag_key', 'in', flagKeys!))
    .orderBy('code_references.flag_key')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    flagKey: row.flag_key,
    repositoryId: row.repository_id,
    fileCount: row.file_count,
    hunkCount: row.hunk_count,
    ...(row.commit_time !== null && { commitTime: row.commit_time }),
  }));
}
