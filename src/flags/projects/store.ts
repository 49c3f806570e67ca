// Projects in the database.
import type { Selectable } from 'kysely';
import { newId } from '../../kernel/id.ts';
import type { Db, Tables } from '../../kernel/storage/tables.ts';
import { couldBeKey } from '../fields.ts';
import type { Project } from './project.ts';

export async function findProject(db: Db, key: string): Promise<Project | undefined> {
  if (!couldBeKey(key)) return undefined;
  const row = await db.selectFrom('projects').selectAll().where('key', '=', key).executeTakeFirst();
  return row && projectOf(row);
}

/** Undefined when the key is taken. */
export async function createProject(
  db: Db,
  { key, name, tags, ...rest }: Omit<Project, 'id' | 'version' | 'createdAt'>,
  now: number,
): Promise<Project | undefined> {
  const row = await db
    .insertInto('projects')
    .values({
      id: newId(now),
      key,
      name,
      tags: JSON.stringify(tags),
      doc: JSON.stringify(rest),
      version: 1,
      created_at: now,
    })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returningAll()
    .executeTakeFirst();
  return row && projectOf(row);
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
