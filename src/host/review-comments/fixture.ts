// Rows of threads and comments on lines, for tests of stores and query plans.
import type { Db } from '../../kernel/storage/tables.ts';
import { insertReviewRows } from '../reviews/fixture.ts';

/** One pull request for each of `rows`, with two reviews, and a thread with a comment in the first of these. One in ten is pending. */
export async function insertReviewCommentRows(tx: Db, rows: readonly number[], now: number): Promise<void> {
  await insertReviewRows(tx, rows, now);
  await tx
    .insertInto('review_threads')
    .values(rows.map((at) => ({ issue_id: at + 1, is_resolved: at % 2, resolved_by_id: null })))
    .execute();
  await tx
    .insertInto('review_comments')
    .values(
      rows.map((at) => ({
        issue_id: at + 1,
        repository_number: at + 1,
        review_id: 2 * at + 1,
        thread_id: at + 1,
        in_reply_to: null,
        author_id: 'account-1',
        author_name: null,
        body: 'x',
        reactions: '{}',
        path: 'a.txt',
        subject_type: 'line',
        diff_hunk: '@@ -1 +1 @@\n+x',
        side: 'RIGHT',
        line: 1,
        start_side: null,
        start_line: null,
        position: at % 2 === 0 ? 1 : null,
        original_line: 1,
        original_start_line: null,
        original_position: 1,
        commit_id: 'head',
        original_commit_id: 'head',
        is_pending: Number(at % 10 === 0),
        created_at: now + at,
        updated_at: now + at,
      })),
    )
    .execute();
}
