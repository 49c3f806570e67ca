// Repositories of code references in the database, and extinctions: commits that removed the last reference to a flag.
import type { Updateable } from 'kysely';
import { chunk } from '../../kernel/collections/chunk.ts';
import { lockName } from '../../kernel/storage/locks.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { updateRow, pageRows } from '../store-rows.ts';
import { newId } from '../../kernel/id.ts';
import type { Page, Slice } from '../../kernel/http/reply/page.ts';
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

/** Locks the number of repositories until the transaction ends. */
export function lockCodeRepositories(tx: Db): Promise<void> {
  return lockName(tx, 'code-repositories');
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

export interface Extinction {
  branchId: string;
  projectId: string;
  flagKey: string;
  revision: string;
  message: string;
  time: number;
}

/** What is known already is not inserted again. */
export async function insertExtinctions(
  tx: Db,
  branchId: string,
  extinctions: readonly Omit<Extinction, 'branchId'>[],
  now: number,
): Promise<number> {
  let count = 0;
  for (const some of chunk(extinctions, 500)) {
    const rows = some.map(({ projectId, flagKey, revision, message, time }) => ({
      id: newId(now),
      branch_id: branchId,
      project_id: projectId,
      flag_key: flagKey,
      revision,
      message,
      time,
    }));
    const made = await tx
      .insertInto('code_extinctions')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['branch_id', 'project_id', 'flag_key', 'revision']).doNothing(),
      )
      .returning('id')
      .execute();
    count += made.length;
  }
  return count;
}

export interface ExtinctionFilter {
  branchIds: readonly string[];
  /** Only of these projects, or of all but these. */
  projects?: { ids: readonly string[]; areHidden: boolean } | undefined;
  flagKey?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
}

/** The latest first. */
export async function listExtinctions(
  db: Db,
  { branchIds, projects, flagKey, from, to }: ExtinctionFilter,
  slice: Slice,
): Promise<Page<Extinction>> {
  const found = db
    .selectFrom('code_extinctions')
    .where('branch_id', 'in', branchIds)
    .$if(projects !== undefined, (query) =>
      query.where('project_id', projects!.areHidden ? 'not in' : 'in', projects!.ids),
    )
    .$if(flagKey !== undefined, (query) => query.where('flag_key', '=', flagKey!))
    .$if(from !== undefined, (query) => query.where('time', '>=', from!))
    .$if(to !== undefined, (query) => query.where('time', '<=', to!));
  const page = await pageRows(found, slice, (all) =>
    all.selectAll().orderBy('time', 'desc').orderBy('id', 'desc'),
  );
  return page.map((row) => ({
    branchId: row.branch_id,
    projectId: row.project_id,
    flagKey: row.flag_key,
    revision: row.revision,
    message: row.message,
    time: row.time,
  }));
}
