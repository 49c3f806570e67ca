// Branches of repositories in the database, and what a scan found on them.
import { sql } from 'kysely';
import { chunk } from '../../kernel/collections/chunk.ts';
import { contested } from '../../kernel/storage/retry.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { CodeBranch, CodeRepository } from './model.ts';
import type { FlagReferences } from './scan.ts';
import type { CodeBranchRow } from './tables.ts';

/** No query for impossible names: PostgreSQL fails on a NUL character. */
function couldBeBranch(name: string): boolean {
  return name.length <= 512 && !name.includes('\0');
}

/** By name. */
export async function listBranches(db: Db, repositoryIds: readonly string[]): Promise<CodeBranch[]> {
  if (repositoryIds.length === 0) return [];
  const rows = await db
    .selectFrom('code_branches')
    .selectAll()
    .where('repository_id', 'in', repositoryIds)
    .orderBy('repository_id')
    .orderBy('name')
    .execute();
  return rows.map(branchOf);
}

export async function countBranches(db: Db, repositoryIds: readonly string[]): Promise<number> {
  if (repositoryIds.length === 0) return 0;
  const { total } = await db
    .selectFrom('code_branches')
    .select(({ fn }) => fn.countAll<number | string>().as('total'))
    .where('repository_id', 'in', repositoryIds)
    .executeTakeFirstOrThrow();
  return Number(total);
}

export async function findBranch(
  db: Db,
  { id }: Pick<CodeRepository, 'id'>,
  name: string,
): Promise<CodeBranch | undefined> {
  if (!couldBeBranch(name)) return undefined;
  const row = await db
    .selectFrom('code_branches')
    .selectAll()
    .where('repository_id', '=', id)
    .where('name', '=', name)
    .executeTakeFirst();
  return row && branchOf(row);
}

/** The branch of this name in each repository; without a name, the default branch of each. */
export async function findBranchesByName(
  db: Db,
  repositoryIds: readonly string[],
  name?: string,
): Promise<CodeBranch[]> {
  if (repositoryIds.length === 0 || (name !== undefined && !couldBeBranch(name))) return [];
  const rows = await db
    .selectFrom('code_branches')
    .innerJoin('code_repositories', 'code_repositories.id', 'code_branches.repository_id')
    .selectAll('code_branches')
    .where('code_branches.repository_id', 'in', repositoryIds)
    .$if(name !== undefined, (query) => query.where('code_branches.name', '=', name!))
    .$if(name === undefined, (query) =>
      query.whereRef('code_branches.name', '=', 'code_repositories.default_branch'),
    )
    .execute();
  return rows.map(branchOf);
}

/** The caller holds the repository, so that nobody else writes its branches. */
export async function insertBranch(tx: Db, branch: CodeBranch): Promise<void> {
  await tx.insertInto('code_branches').values(rowOf(branch)).execute();
}

export async function updateBranch(tx: Db, branch: CodeBranch): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('code_branches')
    .set(rowOf(branch))
    .where('id', '=', branch.id)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw contested('branch');
}

/** Cascades to references and extinctions. Returns those that there were. */
export async function deleteBranches(
  tx: Db,
  { id }: Pick<CodeRepository, 'id'>,
  names: readonly string[],
): Promise<CodeBranch[]> {
  const deleted: CodeBranch[] = [];
  for (const some of chunk(names.filter(couldBeBranch))) {
    const rows = await tx
      .deleteFrom('code_branches')
      .where('repository_id', '=', id)
      .where('name', 'in', some)
      .returningAll()
      .execute();
    deleted.push(...rows.map(branchOf));
  }
  return deleted;
}

/** Rows of one statement: each may be long. */
const AT_ONCE = 100;

export async function replaceReferences(
  tx: Db,
  { id }: Pick<CodeBranch, 'id'>,
  flags: readonly (FlagReferences & { projectId: string | null })[],
): Promise<void> {
  await tx.deleteFrom('code_references').where('branch_id', '=', id).execute();
  let position = 0;
  for (const some of chunk(flags, AT_ONCE)) {
    const rows = some.map(({ projectId, flagKey, fileCount, hunkCount, doc }) => ({
      branch_id: id,
      position: position++,
      project_id: projectId,
      flag_key: flagKey,
      file_count: fileCount,
      hunk_count: hunkCount,
      length: doc.length,
      doc,
    }));
    await tx.insertInto('code_references').values(rows).execute();
  }
}

export interface ReferenceFilter {
  projectId?: string | undefined;
  flagKey?: string | undefined;
}

/** How long the references of these branches are in all, by project; null for those without one. */
export async function sumReferenceLengths(
  db: Db,
  branchIds: readonly string[],
  filter: ReferenceFilter,
): Promise<Map<string | null, number>> {
  if (branchIds.length === 0) return new Map();
  const rows = await referencesIn(db, branchIds, filter)
    .select(['project_id', sql<number | string>`sum(length)`.as('length')])
    .groupBy('project_id')
    .execute();
  return new Map(rows.map((row) => [row.project_id, Number(row.length)]));
}

export interface StoredReferences {
  branchId: string;
  projectId: string | null;
  flagKey: string;
  doc: string;
}

export async function listReferences(
  db: Db,
  branchIds: readonly string[],
  filter: ReferenceFilter,
): Promise<StoredReferences[]> {
  if (branchIds.length === 0) return [];
  const rows = await referencesIn(db, branchIds, filter)
    .select(['branch_id', 'project_id', 'flag_key', 'doc'])
    .execute();
  return rows.map((row) => ({
    branchId: row.branch_id,
    projectId: row.project_id,
    flagKey: row.flag_key,
    doc: row.doc,
  }));
}

function referencesIn(db: Db, branchIds: readonly string[], { projectId, flagKey }: ReferenceFilter) {
  return db
    .selectFrom('code_references')
    .where('branch_id', 'in', branchIds)
    .$if(projectId !== undefined, (query) => query.where('project_id', '=', projectId!))
    .$if(flagKey !== undefined, (query) => query.where('flag_key', '=', flagKey!));
}

function rowOf(branch: CodeBranch): CodeBranchRow {
  return {
    id: branch.id,
    repository_id: branch.repositoryId,
    name: branch.name,
    head: branch.head,
    update_sequence_id: branch.updateSequenceId ?? null,
    sync_time: branch.syncTime,
    commit_time: branch.commitTime ?? null,
    file_count: branch.fileCount,
    hunk_count: branch.hunkCount,
  };
}

function branchOf(row: CodeBranchRow): CodeBranch {
  return {
    id: row.id,
    repositoryId: row.repository_id,
    name: row.name,
    head: row.head,
    ...(row.update_sequence_id !== null && { updateSequenceId: row.update_sequence_id }),
    syncTime: row.sync_time,
    ...(row.commit_time !== null && { commitTime: row.commit_time }),
    fileCount: row.file_count,
    hunkCount: row.hunk_count,
  };
}
