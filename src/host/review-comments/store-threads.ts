// Threads of comments on lines of pull requests in the database. A thread is there as long as it has a comment.
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Db } from '../../kernel/storage/tables.ts';

/** Their ids. The caller has locked the issue. */
export async function insertThreads(tx: Db, issueId: number, count: number): Promise<number[]> {
  if (count === 0) return [];
  const row = { issue_id: issueId, is_resolved: 0, resolved_by_id: null };
  const rows = await tx
    .insertInto('review_threads')
    .values(Array.from({ length: count }, () => row))
    .returning('id')
    .execute();
  return rows.map(({ id }) => id).toSorted((one, other) => one - other);
}

/** Of these threads, those without a comment. They are gone. The caller has locked the issue. */
export async function deleteEmptyThreads(tx: Db, ids: readonly number[]): Promise<number[]> {
  const deleted: number[] = [];
  for (const some of chunk([...new Set(ids)])) {
    const rows = await tx
      .deleteFrom('review_threads')
      .where('id', 'in', some)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('review_comments')
              .select('review_comments.id')
              .whereRef('review_comments.thread_id', '=', 'review_threads.id'),
          ),
        ),
      )
      .returning('id')
      .execute();
    deleted.push(...rows.map(({ id }) => id));
  }
  return deleted;
}
