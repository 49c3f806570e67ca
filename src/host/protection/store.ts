// Rules for branches in the database.
import type { Selectable } from 'kysely';
import { chunk } from '../../kernel/collections/chunk.ts';
import { lockName } from '../../kernel/storage/locks.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { StatusTarget } from '../statuses/store.ts';
import { DEFAULT_RULE, type BranchRule } from './rule.ts';
import type { BranchProtectionRow } from './tables.ts';

export interface BranchProtection {
  number: number;
  repositoryNumber: number;
  branch: string;
  rule: BranchRule;
  createdAt: number;
  updatedAt: number;
}

/** Until the transaction ends, nobody else changes the rules of the repository. */
export function lockProtections(tx: Db, repositoryNumber: number): Promise<void> {
  return lockName(tx, `branch-protections:${repositoryNumber}`);
}

export async function findProtection(
  db: Db,
  repositoryNumber: number,
  branch: string,
): Promise<BranchProtection | undefined> {
  return (await listProtectionsOf(db, repositoryNumber, [branch])).get(branch);
}

/** By branch; those without a rule are missing. */
export async function listProtectionsOf(
  db: Db,
  repositoryNumber: number,
  branches: readonly string[],
): Promise<Map<string, BranchProtection>> {
  const found = new Map<string, BranchProtection>();
  for (const some of chunk(branches)) {
    const rows = await db
      .selectFrom('branch_protections')
      .selectAll()
      .where('repository_number', '=', repositoryNumber)
      .where('branch', 'in', some)
      .execute();
    for (const row of rows) found.set(row.branch, protectionFrom(row));
  }
  return found;
}

/** The names of all branches with a rule, whether they exist or not. */
export async function listProtectedNames(db: Db, repositoryNumber: number): Promise<string[]> {
  const rows = await db
    .selectFrom('branch_protections')
    .select('branch')
    .where('repository_number', '=', repositoryNumber)
    .orderBy('branch')
    .execute();
  return rows.map(({ branch }) => branch);
}

export async function countProtections(db: Db, repositoryNumber: number): Promise<number> {
  const { total } = await db
    .selectFrom('branch_protections')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('repository_number', '=', repositoryNumber)
    .executeTakeFirstOrThrow();
  return total;
}

/** Inserts or replaces the rule of the branch. */
export async function upsertProtection(
  tx: Db,
  repositoryNumber: number,
  branch: string,
  rule: BranchRule,
  now: number,
): Promise<BranchProtection> {
  const text = JSON.stringify(rule);
  const row = await tx
    .insertInto('branch_protections')
    .values({ repository_number: repositoryNumber, branch, rule: text, created_at: now, updated_at: now })
    .onConflict((conflict) =>
      conflict.columns(['repository_number', 'branch']).doUpdateSet({ rule: text, updated_at: now }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
  return protectionFrom(row);
}

export async function deleteProtection(tx: Db, number: number): Promise<void> {
  await tx.deleteFrom('branch_protections').where('number', '=', number).execute();
}

/** A rule of the new name that its branch left behind is replaced. */
export async function moveProtection(
  tx: Db,
  { number, repositoryNumber }: BranchProtection,
  branch: string,
  now: number,
): Promise<void> {
  await tx
    .deleteFrom('branch_protections')
    .where('repository_number', '=', repositoryNumber)
    .where('branch', '=', branch)
    .execute();
  await tx
    .updateTable('branch_protections')
    .set({ branch, updated_at: now })
    .where('number', '=', number)
    .execute();
}

export interface ReportedStatus {
  number: number;
  context: string;
  state: string;
  creatorId: string;
}

/** The newest status that each account has reported for each of the contexts of a commit. */
export async function listReportedStatuses(
  db: Db,
  { repository, sha }: StatusTarget,
  contexts: readonly string[],
): Promise<ReportedStatus[]> {
  if (contexts.length === 0) return [];
  const newest = db
    .selectFrom('commit_statuses')
    .select(({ fn }) => fn.max('number').as('number'))
    .where('repository_number', '=', repository)
    .where('sha', '=', sha)
    .where('context', 'in', contexts)
    .groupBy(['context', 'creator_id']);
  return await db
    .selectFrom('commit_statuses')
    .select(['number', 'context', 'state', 'creator_id as creatorId'])
    .where('number', 'in', newest)
    .execute();
}

function protectionFrom(row: Selectable<BranchProtectionRow>): BranchProtection {
  return {
    number: row.number,
    repositoryNumber: row.repository_number,
    branch: row.branch,
    rule: { ...DEFAULT_RULE, ...(JSON.parse(row.rule) as Partial<BranchRule>) },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
