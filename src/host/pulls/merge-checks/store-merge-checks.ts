// The queue of pull requests of which it is to be found out whether they can be merged, in the database.
import type { Db } from '../../../kernel/storage/tables.ts';
import type { Pull } from '../pull.ts';

export interface MergeCheck {
  issueId: number;
  askedAt: number;
}

/** One that waits already keeps its place. */
export async function insertMergeCheck(
  tx: Db,
  { issueId, repositoryNumber }: Pick<Pull, 'issueId' | 'repositoryNumber'>,
  now: number,
): Promise<void> {
  await tx
    .insertInto('merge_checks')
    .values({ issue_id: issueId, repository_number: repositoryNumber, asked_at: now })
    .onConflict((conflict) => conflict.column('issue_id').doNothing())
    .execute();
}

export async function hasMergeCheck(db: Db, issueId: number): Promise<boolean> {
  const row = await db
    .selectFrom('merge_checks')
    .select('issue_id')
    .where('issue_id', '=', issueId)
    .executeTakeFirst();
  return row !== undefined;
}

/** The one of a repository that has waited longest, of those after another. */
export async function findNextMergeCheck(
  db: Db,
  number: number,
  after: MergeCheck = { issueId: 0, askedAt: 0 },
): Promise<MergeCheck | undefined> {
  const { issueId, askedAt } = after;
  const row = await db
    .selectFrom('merge_checks')
    .select(['issue_id', 'asked_at'])
    .where('repository_number', '=', number)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('asked_at', 'issue_id'), '>', tuple(askedAt, issueId)))
    .orderBy('asked_at')
    .orderBy('issue_id')
    .limit(1)
    .executeTakeFirst();
  return row && { issueId: row.issue_id, askedAt: row.asked_at };
}

export async function deleteMergeCheck(tx: Db, issueId: number): Promise<void> {
  await tx.deleteFrom('merge_checks').where('issue_id', '=', issueId).execute();
}
