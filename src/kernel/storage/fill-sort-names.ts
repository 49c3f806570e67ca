// Fills the sort column of names in rows that were written before the column existed.
import { sql } from 'kysely';
import { sortKeyOf } from '../text/fold-case.ts';
import type { Db } from './tables.ts';

const BATCH_SIZE = 1000;

/**
 * For migrations, after `sort_name` was set to `lower(name)`: that folds ASCII on both engines, so only names with other
 * letters remain. `name` is an expression over the columns of the table, which has a text key `id`.
 */
export async function fillSortNames(tx: Db, table: string, name: string): Promise<void> {
  const shown = sql.raw(`(${name})`);
  for (let last: string | undefined = ''; last !== undefined;) {
    const { rows }: { rows: { id: string; name: string }[] } = await sql<{ id: string; name: string }>`
      select id, ${shown} as name from ${sql.table(table)}
      where id > ${last} and octet_length(${shown}) <> length(${shown})
      order by id limit ${BATCH_SIZE}`.execute(tx);
    for (const row of rows)
      await sql`update ${sql.table(table)} set sort_name = ${sortKeyOf(row.name)} where id = ${row.id}`.execute(
        tx,
      );
    last = rows.length === BATCH_SIZE ? rows.at(-1)!.id : undefined;
  }
}
