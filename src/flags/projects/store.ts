// Projects in the database.
import type { Selectable } from 'kysely';
import { newId } from '../../kernel/id.ts';
import { buildOnce } from '../../kernel/storage/build-once.ts';
import { lockRows } from '../../kernel/storage/locks.ts';
import { contested } from '../../kernel/storage/retry.ts';
import type { Db, Tables } from '../../kernel/storage/tables.ts';
import { couldBeKey } from '../fields.ts';
import type { NewProject, Project } from './project.ts';

/** The fields by which lists are searched and sorted. */
export type ProjectName = Pick<Project, 'id' | 'key' | 'name' | 'tags' | 'createdAt'>;

const selectByKey = buildOnce((db, key: string) =>
  db.selectFrom('projects').selectAll().where('key', '=', key),
);

export async function findProject(db: Db, key: string): Promise<Project | undefined> {
  if (!couldBeKey(key)) return undefined;
  const { rows } = await db.executeQuery(selectByKey(db, key));
  return rows[0] && projectOf(rows[0]);
}

/** In the order of the ids. */
export async function findProjects(db: Db, ids: readonly string[]): Promise<Project[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('projects').selectAll().where('id', 'in', ids).execute();
  const byId = new Map(rows.map((row) => [row.id, projectOf(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** All projects by creation. Policies, not SQL, decide which of them a caller may see. */
export async function listProjectNames(db: Db): Promise<ProjectName[]> {
  const rows = await db
    .selectFrom('projects')
    .select(['id', 'key', 'name', 'tags', 'created_at'])
    .orderBy('created_at')
    .orderBy('key')
    .execute();
  return rows.map(({ tags, created_at: createdAt, ...name }) => ({
    ...name,
    tags: JSON.parse(tags) as string[],
    createdAt,
  }));
}

/**
 * Locks the project until the transaction ends: nobody else changes or deletes it, or adds environments or flags,
 * because these take the same lock. Read the project afterwards.
 */
export async function lockProject(tx: Db, key: string): Promise<void> {
  if (!couldBeKey(key)) return;
  await lockRows(tx, tx.selectFrom('projects').select('id').where('key', '=', key).forNoKeyUpdate());
}

export async function isOnlyProject(db: Db): Promise<boolean> {
  return (await db.selectFrom('projects').select('id').limit(2).execute()).length < 2;
}

export async function hasProjects(db: Db): Promise<boolean> {
  return (await db.selectFrom('projects').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Undefined when the key is taken. */
export async function insertProject(db: Db, project: NewProject, now: number): Promise<Project | undefined> {
  const row = await db
    .insertInto('projects')
    .values({ id: newId(now), key: project.key, ...columnsOf(project), version: 1, created_at: now })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returningAll()
    .executeTakeFirst();
  return row && projectOf(row);
}

/** Fails with `conflict` if it no longer has the version that was read. */
export async function updateProject(db: Db, after: Project): Promise<Project> {
  const row = await db
    .updateTable('projects')
    .set({ ...columnsOf(after), version: after.version + 1 })
    .where('id', '=', after.id)
    .where('version', '=', after.version)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw contested('project');
  return projectOf(row);
}

/** Cascades to everything in it. */
export async function deleteProject(db: Db, id: string): Promise<void> {
  const { numDeletedRows } = await db.deleteFrom('projects').where('id', '=', id).executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw contested('project'); // another one may have its key by now
}

function columnsOf({ name, tags, ...project }: NewProject) {
  const { includeInSnippetByDefault, defaultClientSideAvailability, flagDefaults, namingConvention } =
    project;
  const doc = { includeInSnippetByDefault, defaultClientSideAvailability, flagDefaults, namingConvention };
  return { name, tags: JSON.stringify(tags), doc: JSON.stringify(doc) };
}

function projectOf(row: Selectable<Tables['projects']>): Project {
  return {
    ...(JSON.parse(row.doc) as Omit<Project, 'id' | 'key' | 'name' | 'tags' | 'version' | 'createdAt'>),
    id: row.id,
    key: row.key,
    name: row.name,
    tags: JSON.parse(row.tags) as string[],
    version: row.version,
    createdAt: row.created_at,
  };
}
