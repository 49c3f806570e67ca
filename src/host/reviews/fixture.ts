// Rows of pull requests with reviews, for tests of stores and query plans.
import type { Db } from '../../kernel/storage/tables.ts';
import { insertOneIssueEach } from '../issues/fixture.ts';

/** One repository and one pull request for each of `rows`, with two reviews and a request. One review in ten is pending. */
export async function insertReviewRows(tx: Db, rows: readonly number[], now: number): Promise<void> {
  await insertOneIssueEach(tx, rows, () => ({ is_pull: 1 }));
  await insertPullRows(tx, rows);
  const review = (at: number, author: string, state: string) => ({
    issue_id: at + 1,
    author_id: author,
    author_name: null,
    state,
    body: 'x',
    commit_id: 'a',
    created_at: now,
    submitted_at: state === 'PENDING' ? null : now,
    updated_at: now,
  });
  await tx
    .insertInto('reviews')
    .values(
      rows.flatMap((at) => [
        review(at, `account-${at % 100}`, 'APPROVED'),
        review(at, `account-${at % 90}`, at % 10 === 0 ? 'PENDING' : 'COMMENTED'),
      ]),
    )
    .execute();
  await tx
    .insertInto('requested_reviewers')
    .values(
      rows.map((at) => ({
        issue_id: at + 1,
        kind: at % 2 === 0 ? 'user' : 'team',
        reviewer: at % 2 === 0 ? `account-${at % 100}` : String(at % 100),
        position: 1,
      })),
    )
    .execute();
}

async function insertPullRows(tx: Db, rows: readonly number[]): Promise<void> {
  await tx
    .insertInto('pulls')
    .values(
      rows.map((at) => ({
        issue_id: at + 1,
        repository_number: at + 1,
        number: 1,
        base_ref: 'main',
        base_sha: 'base',
        head_repository_number: at + 1,
        head_owner_id: 'account-1',
        head_ref: 'topic',
        head_sha: 'head',
        is_draft: 0,
        may_maintainer_modify: 0,
        mergeable: null,
        rebaseable: null,
        checked_base: null,
        test_merge_sha: null,
        merged_at: null,
        merged_by_id: null,
        merge_commit_sha: null,
        commit_count: 1,
        additions: 1,
        deletions: 1,
        changed_files: 1,
        review_comment_count: 0,
        open_key: null,
      })),
    )
    .execute();
}
