// What rows of timelines stand for, in the database: reviews, and their threads.
import type { Selectable } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';
import type { ReviewCommentRow, ReviewRow } from '../pulls/tables.ts';

export type ReviewInTimeline = Selectable<ReviewRow>;

/** By id. Pending reviews are nobody's but their author's, and in no timeline. */
export async function listReviewsById(
  db: Db,
  ids: readonly number[],
): Promise<Map<number, ReviewInTimeline>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('reviews')
    .selectAll()
    .where('id', 'in', ids)
    .where('state', '<>', 'PENDING')
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

export type ReviewCommentInTimeline = Selectable<ReviewCommentRow>;

/** By thread, the oldest first. */
export async function listThreadComments(
  db: Db,
  threadIds: readonly number[],
): Promise<Map<number, ReviewCommentInTimeline[]>> {
  const threads = new Map<number, ReviewCommentInTimeline[]>();
  if (threadIds.length === 0) return threads;
  const rows = await db
    .selectFrom('review_comments')
    .selectAll()
    .where('thread_id', 'in', threadIds)
    .where('is_pending', '=', 0)
    .orderBy('thread_id')
    .orderBy('id')
    .execute();
  for (const row of rows) {
    const own = threads.get(row.thread_id);
    if (own === undefined) threads.set(row.thread_id, [row]);
    else own.push(row);
  }
  return threads;
}
