// Rows of many issues with links, for tests of query plans.
import type { Db } from '../../kernel/storage/tables.ts';
import { insertRepositoryRows } from '../repositories/fixture.ts';

/** One repository and one issue for each of `rows`: ten are sub-issues of the one before them, and each blocks the next. */
export async function insertIssueRows(tx: Db, rows: readonly number[], now: number): Promise<void> {
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
        comment_count: 0,
        reactions: '{}',
        parent_id: at % 11 === 0 ? null : at - (at % 11) + 1,
        parent_position: at % 11 === 0 ? null : at % 11,
        created_at: now + at,
        updated_at: now + at,
        closed_at: null,
        closed_by_id: null,
      })),
    )
    .execute();
  const others = rows.filter((at) => at > 0);
  await tx
    .insertInto('issue_dependencies')
    .values(others.map((at) => ({ issue_id: at + 1, blocker_id: at, created_at: now })))
    .execute();
}
