// What the database knows about pushes that are under way.
import type { Db } from '../../kernel/storage/tables.ts';

/** On any node. The row of a push is written before git may write, and deleted when the push has been recorded. */
export async function isPushed(db: Db, number: number): Promise<boolean> {
  const row = await db
    .selectFrom('host_pushes')
    .select('id')
    .where('repository_number', '=', number)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
