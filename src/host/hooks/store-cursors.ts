// The cursor of each queue of events: the last one that was delivered to webhooks.
import type { Db } from '../../kernel/storage/tables.ts';
import type { EventQueue } from '../events/store.ts';

function nameOf(queue: EventQueue): string {
  const [[kind, name]] = Object.entries(queue) as [[string, string | number]];
  return `${kind}/${name}`;
}

/** The number of the last event whose deliveries are written; 0 before the first. */
export async function findHookCursor(db: Db, queue: EventQueue): Promise<number> {
  const row = await db
    .selectFrom('host_hook_cursors')
    .select('event_number')
    .where('queue', '=', nameOf(queue))
    .executeTakeFirst();
  return row?.event_number ?? 0;
}

/** False where another process has enqueued the events meanwhile. */
export async function advanceHookCursor(
  tx: Db,
  queue: EventQueue,
  { from, to }: { from: number; to: number },
): Promise<boolean> {
  if (from === 0) {
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('host_hook_cursors')
      .values({ queue: nameOf(queue), event_number: to })
      .onConflict((conflict) => conflict.column('queue').doNothing())
      .executeTakeFirstOrThrow();
    return (numInsertedOrUpdatedRows ?? 0n) > 0n;
  }
  const { numUpdatedRows } = await tx
    .updateTable('host_hook_cursors')
    .set({ event_number: to })
    .where('queue', '=', nameOf(queue))
    .where('event_number', '=', from)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function deleteHookCursor(db: Db, queue: EventQueue): Promise<void> {
  await db.deleteFrom('host_hook_cursors').where('queue', '=', nameOf(queue)).execute();
}
