// What stores of the flag service have in common: pages of rows, rows by their ids, and writing over what was read.
import type { Selectable, SelectQueryBuilder, Updateable } from 'kysely';
import { Page, type Slice } from '../kernel/page.ts';
import { contested } from '../kernel/storage/retry.ts';
import type { Db, Tables } from '../kernel/storage/tables.ts';
import { couldBeId } from './fields.ts';

type Found<Table extends keyof Tables, Row = object> = SelectQueryBuilder<Tables, Table, Row>;

/** `choose` says which columns are read, and in which order the rows come. */
export async function pageRows<Table extends keyof Tables, Row>(
  found: Found<Table>,
  slice: Slice,
  choose: (found: Found<Table>) => Found<Table, Row>,
): Promise<Page<Row>> {
  const { total } = await found
    .select(({ fn }) => fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await choose(found).limit(slice.limit).offset(slice.offset).execute();
  return new Page(rows, Number(total), slice);
}

/** Queries are of all these tables at once: of a table that is a type parameter, Kysely knows no columns. */
type Versioned = {
  [Table in keyof Tables]: Tables[Table] extends { id: string; version: number } ? Table : never;
}[keyof Tables];

/** With `hold` it stays as it is until the transaction ends. */
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

/** Fails with `conflict` when someone else has changed it since it was read with the version. */
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
