// Merges that have begun, in the database: what the base moves to, and what pull request that ends. ADR 0139.
import type { Selectable } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Pull } from '../pulls/pull.ts';
import type { MergeIntentRow } from './tables.ts';

/** What is merged: it counts, whatever becomes of the pull request between this and its end. */
export type MergedState = Pick<
  Pull,
  'baseRef' | 'baseSha' | 'headSha' | 'commitCount' | 'additions' | 'deletions' | 'changedFiles'
>;

export interface MergeIntent {
  issueId: number;
  repositoryNumber: number;
  /** That the base moves to. */
  commitId: string;
  state: MergedState;
  mergedById: string;
  createdAt: number;
}

/** False where another call makes the same commit, within the same second. The caller has locked the pull request. */
export async function insertMergeIntent(tx: Db, intent: MergeIntent): Promise<boolean> {
  const { numInsertedOrUpdatedRows: count } = await tx
    .insertInto('merge_intents')
    .values({
      issue_id: intent.issueId,
      commit_id: intent.commitId,
      repository_number: intent.repositoryNumber,
      base_ref: intent.state.baseRef,
      merged_state: JSON.stringify(intent.state),
      merged_by_id: intent.mergedById,
      created_at: intent.createdAt,
    })
    .onConflict((same) => same.columns(['issue_id', 'commit_id']).doNothing())
    .executeTakeFirstOrThrow();
  return count === 1n;
}

/** Of a merge that was refused. */
export async function deleteMergeIntent(
  db: Db,
  { issueId, commitId }: Pick<MergeIntent, 'issueId' | 'commitId'>,
): Promise<void> {
  await db
    .deleteFrom('merge_intents')
    .where('issue_id', '=', issueId)
    .where('commit_id', '=', commitId)
    .execute();
}

/** Of a pull request that has ended. */
export async function deleteMergeIntentsOf(tx: Db, issueId: number): Promise<void> {
  await tx.deleteFrom('merge_intents').where('issue_id', '=', issueId).execute();
}

export async function listMergeIntentsOf(db: Db, issueId: number): Promise<MergeIntent[]> {
  const rows = await db.selectFrom('merge_intents').selectAll().where('issue_id', '=', issueId).execute();
  return rows.map(intentFrom);
}

export async function listMergeIntentsInto(db: Db, number: number, baseRef: string): Promise<MergeIntent[]> {
  const rows = await db
    .selectFrom('merge_intents')
    .selectAll()
    .where('repository_number', '=', number)
    .where('base_ref', '=', baseRef)
    .orderBy('issue_id')
    .execute();
  return rows.map(intentFrom);
}

function intentFrom(row: Selectable<MergeIntentRow>): MergeIntent {
  return {
    issueId: row.issue_id,
    repositoryNumber: row.repository_number,
    commitId: row.commit_id,
    state: JSON.parse(row.merged_state) as MergedState,
    mergedById: row.merged_by_id,
    createdAt: row.created_at,
  };
}
