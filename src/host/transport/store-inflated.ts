// The count of inflated bytes in the rows of repositories and gists.
import type { Db } from '../../kernel/storage/tables.ts';

export interface CountedRow {
  table: 'repositories' | 'gists';
  number: number;
}

export async function findInflatedBytes(db: Db, { table, number }: CountedRow): Promise<number | undefined> {
  const row = await db
    .selectFrom(table)
    .select('inflated_bytes')
    .where('number', '=', number)
    .executeTakeFirst();
  return row?.inflated_bytes;
}

/** False where there would be more than `max`, or there is no such row. */
export async function addInflatedBytes(
  db: Db,
  { table, number }: CountedRow,
  bytes: number,
  max: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable(table)
    .set((eb) => ({ inflated_bytes: eb('inflated_bytes', '+', bytes) }))
    .where('number', '=', number)
    .where('inflated_bytes', '<=', max - bytes)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** False where another push was counted since. */
export async function replaceInflatedBytes(
  db: Db,
  { table, number }: CountedRow,
  from: number,
  to: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable(table)
    .set({ inflated_bytes: to })
    .where('number', '=', number)
    .where('inflated_bytes', '=', from)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
