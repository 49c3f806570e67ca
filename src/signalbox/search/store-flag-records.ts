// Reads flags, segments, projects and environments for the search, without their documents.
import type { Db } from '../../kernel/storage/tables.ts';
import type { SearchRecord } from './terms.ts';

export interface ProjectRecord extends SearchRecord {
  key: string;
  projectId: string;
  /** Of a segment. */
  environmentKey?: string;
  at: number;
}

interface NamedRow {
  id: string;
  key: string;
  name: string;
  tags: string;
  project_id: string;
  at: number;
}

function recordOf(kind: ProjectRecord['kind'], row: NamedRow): ProjectRecord {
  const { id, key, name, tags, project_id: projectId, at } = row;
  return { kind, id, key, name, texts: JSON.parse(tags) as string[], scopes: [projectId], projectId, at };
}

export async function readFlagRecords(db: Db, ids: readonly string[]): Promise<ProjectRecord[]> {
  const rows = await db
    .selectFrom('flags')
    .select(['id', 'key', 'name', 'tags', 'project_id', 'created_at as at'])
    .where('id', 'in', ids)
    .execute();
  return rows.map((row) => recordOf('flag', row));
}

export async function readSegmentRecords(db: Db, ids: readonly string[]): Promise<ProjectRecord[]> {
  const rows = await db
    .selectFrom('segments')
    .innerJoin('environments', 'environments.id', 'segments.environment_id')
    .select([
      'segments.id',
      'segments.key',
      'segments.name',
      'segments.tags',
      'segments.modified_at as at',
      'environments.project_id',
      'environments.key as environment_key',
    ])
    .where('segments.id', 'in', ids)
    .execute();
  return rows.map(({ environment_key: environmentKey, ...row }) => ({
    ...recordOf('segment', row),
    environmentKey,
  }));
}

export async function readProjectRecords(db: Db, ids: readonly string[]): Promise<ProjectRecord[]> {
  const rows = await db
    .selectFrom('projects')
    .select(['id', 'key', 'name', 'tags', 'id as project_id', 'created_at as at'])
    .where('id', 'in', ids)
    .execute();
  return rows.map((row) => recordOf('project', row));
}

export async function readEnvironmentRecords(db: Db, ids: readonly string[]): Promise<ProjectRecord[]> {
  const rows = await db
    .selectFrom('environments')
    .select(['id', 'key', 'name', 'tags', 'project_id', 'created_at as at'])
    .where('id', 'in', ids)
    .execute();
  return rows.map((row) => recordOf('environment', row));
}
