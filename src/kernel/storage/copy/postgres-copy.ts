// Copies of a PostgreSQL database: read in one snapshot, and loaded in one transaction, so that all of it is there or nothing.
import { sql } from 'kysely';
import { Failure } from '../../failure.ts';
import type { Engine } from '../engine.ts';
import type { Db } from '../tables.ts';
import {
  decodeValue,
  encodeValue,
  isCopied,
  quoteIdentifier,
  ROWS_AT_ONCE,
  TRANSACTION_COLUMN,
  type ColumnType,
  type CopiedColumn,
  type CopiedTable,
  type DatabaseLoader,
  type DatabaseSnapshot,
} from './copied-table.ts';

export async function withPostgresSnapshot<T>(
  { db }: Engine,
  work: (snapshot: DatabaseSnapshot) => Promise<T>,
): Promise<T> {
  return await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      await allowPauses(tx);
      const tables = await describeTables(tx);
      return await work({ tables, rows: (table) => readRows(tx, table) });
    });
}

/** A slow disk must not end the transaction. */
async function allowPauses(tx: Db): Promise<void> {
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
}

async function* readRows(tx: Db, { name, columns }: CopiedTable) {
  const query = sql.raw<Record<string, unknown>>(`select ${listOf(columns)} from ${quoteIdentifier(name)}`);
  for await (const { rows } of tx.getExecutor().stream(query.compile(tx), ROWS_AT_ONCE))
    yield rows.map((row) => columns.map((column) => encodeValue(row[column.name])));
}

/** With a cursor that is closed at the end: an open one would keep its table from being changed. */
async function* readBack(tx: Db, { name, columns }: CopiedTable) {
  const select = sql.raw(`select ${listOf(columns)} from ${quoteIdentifier(name)}`);
  await sql`declare read_back no scroll cursor for ${select}`.execute(tx);
  try {
    for (;;) {
      const { rows } = await sql<
        Record<string, unknown>
      >`fetch ${sql.lit(ROWS_AT_ONCE)} from read_back`.execute(tx);
      if (rows.length === 0) return;
      yield rows.map((row) => columns.map((column) => encodeValue(row[column.name])));
    }
  } finally {
    await sql`close read_back`.execute(tx);
  }
}

async function describeTables(tx: Db): Promise<CopiedTable[]> {
  const { rows } = await sql<{ name: string; column: string; type: string; sequence: string | null }>`
    select c.relname as name, a.attname as "column", format_type(a.atttypid, null) as type,
      case when a.attidentity <> '' then pg_get_serial_sequence(quote_ident(c.relname), a.attname) end as sequence
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
    order by c.relname collate "C", a.attname collate "C"`.execute(tx);
  const tables = new Map<string, CopiedTable>();
  for (const { name, column, type, sequence } of rows) {
    if (!isCopied(name) || column === TRANSACTION_COLUMN) continue;
    let table = tables.get(name);
    if (table === undefined) tables.set(name, (table = { name, columns: [] }));
    table.columns.push({ name: column, type: typeOf(type) });
    if (sequence !== null) table.serial = { column, last: await lastNumber(tx, sequence) };
  }
  return [...tables.values()];
}

async function lastNumber(tx: Db, sequence: string): Promise<number> {
  const { rows } = await sql<{ last: number | null }>`
    select pg_sequence_last_value(${sequence}::regclass) as last`.execute(tx);
  return rows[0]?.last ?? 0;
}

function typeOf(type: string): ColumnType {
  if (type === 'text') return 'text';
  if (type === 'bytea') return 'bytes';
  return type === 'double precision' || type === 'real' ? 'real' : 'integer';
}

const ARRAYS: Record<ColumnType, string> = {
  text: 'text[]',
  integer: 'bigint[]',
  real: 'double precision[]',
  bytes: 'bytea[]',
};

/** `tx` has made the tables. Foreign keys are dropped and made again, which checks all rows at once. */
export async function loadPostgres(
  tx: Db,
  tables: readonly CopiedTable[],
  work: (loader: DatabaseLoader) => Promise<void>,
): Promise<void> {
  await allowPauses(tx);
  const run = (statement: string) => sql.raw(statement).execute(tx);
  const { rows: foreign } = await sql<{ owner: string; name: string; definition: string }>`
    select conrelid::regclass::text as owner, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`.execute(tx);
  for (const { owner, name } of foreign) await run(`alter table ${owner} drop constraint ${name}`);
  const own = await describeTables(tx);
  // Triggers would add rows that are copied anyway.
  for (const { name } of own) {
    await run(`alter table ${quoteIdentifier(name)} disable trigger user`);
    await run(`delete from ${quoteIdentifier(name)}`);
  }
  const hasTransactions = new Set(await tablesWithTransactions(tx));
  await work({
    insert: async (table, rows) => {
      await insertRows(tx, table, rows, hasTransactions.has(table.name));
    },
    count: async ({ name }) => {
      const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(name)}`.execute(
        tx,
      );
      return rows[0]!.count;
    },
    rows: (table) => readBack(tx, table),
  });
  for (const { owner, name, definition } of foreign)
    await run(`alter table ${owner} add constraint ${name} ${definition}`);
  for (const { name } of own) await run(`alter table ${quoteIdentifier(name)} enable trigger user`);
  for (const { name, serial } of tables) {
    if (serial === undefined || serial.last < 1) continue;
    await sql`select setval(pg_get_serial_sequence(${quoteIdentifier(name)}, ${serial.column}), ${serial.last}::bigint)`.execute(
      tx,
    );
  }
}

async function tablesWithTransactions(tx: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attname = ${TRANSACTION_COLUMN}`.execute(
    tx,
  );
  return rows.map(({ name }) => name);
}

/** One array for each column: a statement has the same text for any number of rows. */
async function insertRows(
  tx: Db,
  { name, columns }: CopiedTable,
  rows: readonly (readonly (string | number | null)[])[],
  hasTransactions: boolean,
): Promise<void> {
  const arrays = columns.map((column, index) => rows.map((row) => decodeValue(row[index] ?? null, column)));
  const values = columns.map((column, index) => sql`${arrays[index]}::${sql.raw(ARRAYS[column.type])}`);
  const into = hasTransactions ? [...columns, { name: TRANSACTION_COLUMN }] : columns;
  const extra = sql.raw(hasTransactions ? ', null' : '');
  await sql`insert into ${sql.table(name)} (${sql.raw(listOf(into))})
    select *${extra} from unnest(${sql.join(values)})`.execute(tx);
}

function listOf(columns: readonly Pick<CopiedColumn, 'name'>[]): string {
  return columns.map(({ name }) => quoteIdentifier(name)).join(', ');
}

/** Whether there is any table, of this program or of another. */
export async function requireEmptyDatabase(tx: Db): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r' limit 1`.execute(
    tx,
  );
  if (rows.length > 0)
    throw new Failure(
      'conflict',
      `The database is not empty, it has the table ${rows[0]!.name}: create a new one, and name it with --database.`,
    );
}
