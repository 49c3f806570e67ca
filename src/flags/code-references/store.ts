// Repositories of code references in the database.
import type { Updateable } from 'kysely';
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { updateRow } from '../store-rows.ts';
import type { CodeRepository } from './model.ts';
import type { CodeRepositoryRow } from './tables.ts';

/** All of them by name; there are few. */
export async function listRepositories(db: Db): Promise<CodeRepository[]> {
  const rows = await db.selectFrom('code_repositories').selectAll().orderBy('name').execute();
  return rows.map(repositoryOf);
}

const NAME = /^[a-zA-Z0-9_.-]{1,256}$/;

/** With `hold`, locks the row until the transaction ends: every change of a repository and its branches does so. */
export async function findRepository(
  db: Db,
  name: string,
  hold?: 'hold',
): Promise<CodeRepository | undefined> {
  if (!NAME.test(name)) return undefined;
  const row = await db
    .selectFrom('code_repositories')
    .selectAll()
    .where('name', '=', name)
    .$if(hold !== undefined, (query) => query.forUpdate())
    .executeTakeFirst();
  return row && repositoryOf(row);
}

export async function countRepositories(db: Db): Promise<number> {
  const { total } = await db
    .selectFrom('code_repositories')
    .select(({ fn }) => fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** Returns false when the name is taken. */
export async function insertCodeRepository(tx: Db, repository: CodeRepository): Promise<boolean> {
  const made = await tx
    .insertInto('code_repositories')
    .values(rowOf(repository))
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('id')
    .executeTakeFirst();
  return made !== undefined;
}

/** `before.version` is the version that was read. */
export async function updateCodeRepository(
  tx: Db,
  before: CodeRepository,
  after: CodeRepository,
): Promise<void> {
  const row: Updateable<CodeRepositoryRow> = rowOf(after);
  await updateRow(tx, 'code_repositories', before, row, 'repository');
}

/** Cascades to its branches, their references and extinctions. */
export async function deleteRepository(tx: Db, { id }: Pick<CodeRepository, 'id'>): Promise<void> {
  await tx.deleteFrom('code_repositories').where('id', '=', id).execute();
}

function rowOf(repository: CodeRepository): CodeRepositoryRow {
  const { id, name, type, defaultBranch, enabled, version, createdAt, ...links } = repository;
  return {
    id,
    name,
    type,
    default_branch: defaultBranch,
    is_enabled: enabled ? 1 : 0,
    doc: JSON.stringify(links),
    version,
    created_at: createdAt,
  };
}

function repositoryOf(row: CodeRepositoryRow): CodeRepository {
  return {
    ...(JSON.parse(row.doc) as Pick<CodeRepository, 'sourceLink' | 'commitUrlTemplate' | 'hunkUrlTemplate'>),
    id: row.id,
    name: row.name,
    type: row.type as CodeRepository['type'],
    defaultBranch: row.default_branch,
    enabled: row.is_enabled === 1,
    version: row.version,
    createdAt: row.created_at,
  };
}

/** The ids of projects by their keys; they are not deleted until the transaction ends. */
export async function shareLockProjects(tx: Db, keys: readonly string[]): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const some of chunk(keys)) {
    const rows = await tx
      .selectFrom('projects')
      .select(['id', 'key'])
      .where('key', 'in', some)
      .orderBy('id')
      .forKeyShare()
      .execute();
    for (const { id, key } of rows) ids.set(key, id);
  }
  return ids;
}
