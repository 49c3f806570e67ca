// Queries shared by the stores of the flag service: pages of rows, rows by id, and optimistic updates.
import type { Selectable, SelectQueryBuilder, Updateable } from 'kysely';
import { Page, type Slice } from '../kernel/http/reply/page.ts';
import { contested } from '../kernel/storage/retry.ts';
import type { Db, Tables } from '../kernel/storage/tables.ts';
import { couldBeId } from './fields.ts';

type Query<Table extends keyof Tables, Row = object> = SelectQueryBuilder<Tables, Table, Row>;

/** `choose` selects the columns and the order. */
export async function pageRows<Table extends keyof Tables, Row>(
  query: Query<Table>,
  slice: Slice,
  choose: (query: Query<Table>) => Query<Table, Row>,
): Promise<Page<Row>> {
  const { total } = await query
    .select(({ fn }) => fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await choose(query).limit(slice.limit).offset(slice.offset).execute();
  return new Page(rows, Number(total), slice);
}

/** A query names the union of these tables, because Kysely cannot infer columns for a table that is a type parameter. */
type Versioned = {
  [Table in keyof Tables]: Tables[Table] extends { id: string; version: number } ? Table : never;
}[keyof Tables];

/** With `hold`, the row is locked until the transaction ends. */
export async function findRow<Table extends Versioned>(
  db: Db,
  table: Table,
  id: string,
  hold?: 'hold',
): Promise<Selectable<Tables[Table]> | undefined> {
  if (!couldBeId(id)) return undefined;
  const known: Versioned = table;
  const row = await db
    .selectFrom(known)
    .selectAll()
    .where('id', '=', id)
    .$if(hold !== undefined, (query) => query.forUpdate())
    .executeTakeFirst();
  return row as Selectable<Tables[Table]> | undefined;
}

/** Fails with `conflict` if the row no longer has the version that was read. */
export async function updateRow<Table extends Versioned>(
  tx: Db,
  table: Table,
  { id, version }: { id: string; version: number },
  row: Updateable<Tables[Table]>,
  kind: string,
): Promise<void> {
  const known: Versioned = table;
  const { numUpdatedRows } = await tx
    .updateTable(known)
    .set(row)
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw contested(kind);
}
