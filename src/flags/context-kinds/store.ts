// Context kinds in the database.
import { contested } from '../../kernel/storage/retry.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Project } from '../projects/project.ts';
import { defaultUserKind, type ProjectContextKind } from './model.ts';
import type { ContextKindRow } from './tables.ts';

type ProjectRef = Pick<Project, 'id' | 'createdAt'>;

/** Sorted by key. */
export async function listContextKinds(db: Db, project: ProjectRef): Promise<ProjectContextKind[]> {
  const rows = await db
    .selectFrom('context_kinds')
    .selectAll()
    .where('project_id', '=', project.id)
    .orderBy('key')
    .execute();
  const kept = rows.map(kindOf);
  const user = defaultUserKind(project);
  if (kept.some(({ key }) => key === user.key)) return kept;
  return [...kept, user].sort((one, other) => (one.key < other.key ? -1 : 1));
}

export async function findContextKind(
  db: Db,
  project: ProjectRef,
  key: string,
): Promise<ProjectContextKind | undefined> {
  const row = await db
    .selectFrom('context_kinds')
    .selectAll()
    .where('project_id', '=', project.id)
    .where('key', '=', key)
    .executeTakeFirst();
  if (row !== undefined) return kindOf(row);
  const user = defaultUserKind(project);
  return key === user.key ? user : undefined;
}

/** Fails with `conflict` if it no longer has the version that was read. */
export async function upsertContextKind(
  tx: Db,
  { id: projectId }: ProjectRef,
  before: ProjectContextKind | undefined,
  { key, name, description, isArchived, version, createdAt, modifiedAt }: ProjectContextKind,
): Promise<void> {
  const columns = {
    name,
    is_archived: Number(isArchived),
    version,
    modified_at: modifiedAt,
    description,
  };
  const kept = await tx
    .insertInto('context_kinds')
    .values({ project_id: projectId, key, created_at: createdAt, ...columns })
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'key'])
        .doUpdateSet(columns)
        .where('context_kinds.version', '=', before?.version ?? 0),
    )
    .returning('key')
    .executeTakeFirst();
  if (kept === undefined) throw contested('context kind');
}

function kindOf(row: ContextKindRow): ProjectContextKind {
  return {
    key: row.key,
    name: row.name,
    description: row.description,
    isArchived: row.is_archived === 1,
    version: row.version,
    createdAt: row.created_at,
    modifiedAt: row.modified_at,
  };
}
