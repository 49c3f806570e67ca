// Rows of many issues and comments, for tests of query plans.
import type { Db } from '../../kernel/storage/tables.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';

/** One repository, one issue and one comment for each of `rows`, with a row of the timeline. Every other issue is a pull request. */
export async function insertCommentRows(tx: Db, rows: readonly number[], now: number): Promise<void> {
  await insertRepositoryRows(tx, rows, now);
  await tx
    .insertInto('issues')
    .values(
      rows.map((at) => ({
        repository_number: at + 1,
        number: 1,
        is_pull: at % 2,
        author_id: 'account-1',
        author_name: null,
        title: 'x',
        body: null,
        state: 'open',
        state_reason: null,
        is_locked: 0,
        lock_reason: null,
        milestone_id: null,
        comment_count: 1,
        reactions: '{}',
        parent_id: null,
        parent_position: null,
        created_at: now + at,
        updated_at: now + at,
        closed_at: null,
        closed_by_id: null,
      })),
    )
    .execute();
  await tx
    .insertInto('issue_comments')
    .values(
      rows.map((at) => ({
        issue_id: at + 1,
        repository_number: at + 1,
        author_id: 'account-1',
        author_name: null,
        body: 'x',
        reactions: '{}',
        created_at: now + at,
        updated_at: now + at,
      })),
    )
    .execute();
  await tx
    .insertInto('issue_events')
    .values(
      rows.map((at) => ({
        issue_id: at + 1,
        repository_number: at + 1,
        event: 'commented',
        is_listed: 0,
        actor_id: 'account-1',
        actor_name: null,
        commit_id: null,
        subject_id: at + 1,
        details: '{}',
        created_at: now + at,
      })),
    )
    .execute();
}
