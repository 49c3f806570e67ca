// Rendered texts in the database, by the hash of what they were rendered from.
import { chunk } from '../../kernel/collections/chunk.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { TimeSlice } from '../../kernel/yield-to-event-loop.ts';

export interface RenderedText {
  key: string;
  html: string;
  usedAt: number;
}

/** Each may have a megabyte: so many are read at once, and other calls get their turn in between. */
const READ_AT_ONCE = 4;

/** By key; those that are not kept are missing. */
export async function listRenderedTexts(db: Db, keys: readonly string[]): Promise<Map<string, RenderedText>> {
  const found = new Map<string, RenderedText>();
  const slice = new TimeSlice();
  for (const some of chunk([...new Set(keys)], READ_AT_ONCE)) {
    const rows = await db.selectFrom('rendered_texts').selectAll().where('key', 'in', some).execute();
    for (const { key, html, used_at: usedAt } of rows) found.set(key, { key, html, usedAt });
    if (slice.isOver) await slice.yieldToEventLoop();
  }
  return found;
}

export async function insertRenderedText(db: Db, { key, html, usedAt }: RenderedText): Promise<void> {
  await db
    .insertInto('rendered_texts')
    .values({ key, html, used_at: usedAt })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function updateRenderedTextUse(db: Db, keys: readonly string[], now: number): Promise<void> {
  for (const some of chunk(keys))
    await db.updateTable('rendered_texts').set({ used_at: now }).where('key', 'in', some).execute();
}

/** The number of those that were deleted, at most `limit`. */
export async function deleteRenderedTextsBefore(db: Db, time: number, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('rendered_texts')
    .where('key', 'in', (some) =>
      some
        .selectFrom('rendered_texts')
        .select('key')
        .where('used_at', '<', time)
        .orderBy('used_at')
        .limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
