// Default setups of code scanning in the database.
import type { Db } from '../../kernel/storage/tables.ts';
import { NOT_CONFIGURED, type CodeScanningSetup } from './model.ts';
import type { CodeScanningSetupRow } from './tables.ts';

export interface StoredSetup {
  setup: CodeScanningSetup;
  /** What is being configured. */
  pending: CodeScanningSetup | null;
  updatedAt: number | null;
}

export async function findSetup(db: Db, repositoryNumber: number): Promise<StoredSetup> {
  const row = await db
    .selectFrom('code_scanning_setups')
    .selectAll()
    .where('repository_number', '=', repositoryNumber)
    .executeTakeFirst();
  if (row === undefined) return { setup: NOT_CONFIGURED, pending: null, updatedAt: null };
  return {
    setup: JSON.parse(row.setup) as CodeScanningSetup,
    pending: row.pending === null ? null : (JSON.parse(row.pending) as CodeScanningSetup),
    updatedAt: row.updated_at,
  };
}

export async function upsertSetup(
  tx: Db,
  repositoryNumber: number,
  { setup, pending, updatedAt }: StoredSetup,
): Promise<void> {
  const fields: Omit<CodeScanningSetupRow, 'repository_number'> = {
    setup: JSON.stringify(setup),
    pending: pending && JSON.stringify(pending),
    updated_at: updatedAt,
  };
  await tx
    .insertInto('code_scanning_setups')
    .values({ repository_number: repositoryNumber, ...fields })
    .onConflict((conflict) => conflict.column('repository_number').doUpdateSet(fields))
    .execute();
}
