// The reviews that rows of timelines stand for, in the database.
import type { Selectable } from 'kysely';
import type { Db } from '../../kernel/storage/tables.ts';
import type { ReviewRow } from '../pulls/tables.ts';

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
