// Copies of a SQLite database: read in one transaction of a connection of its own, and loaded into a new file.
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import {
  decodeValue,
  encodeValue,
  isCopied,
  quoteIdentifier,
  ROWS_AT_ONCE,
  TRANSACTION_COLUMN,
  type ColumnType,
  type CopiedTable,
  type DatabaseLoader,
  type DatabaseSnapshot,
} from './copied-table.ts';

const BUSY_MS = 10_000;

/**
 * A server may write meanwhile. Until the transaction ends, its log cannot be moved into the database and grows by what is
 * written: `work` should read rows and nothing else.
 */
export async function withSqliteSnapshot<T>(
  file: string,
  work: (snapshot: DatabaseSnapshot) => Promise<T>,
): Promise<T> {
  const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
  try {
    db.exec('begin');
    // The first read is the moment of the snapshot.
    const tables = describeTables(db);
    return await work({ tables, rows: (table) => readRows(db, table) });
  } finally {
    db.close();
  }
}

async function* readRows(db: DatabaseSync, { name, columns }: CopiedTable) {
  const statement = db.prepare(`select ${listOf(columns)} from ${quoteIdentifier(name)}`);
  statement.setReturnArrays(true);
  let rows: (string | number | null)[][] = [];
  for (const row of statement.iterate() as Iterable<unknown> as Iterable<unknown[]>) {
    rows.push(row.map(encodeValue));
    if (rows.length < ROWS_AT_ONCE) continue;
    yield rows;
    rows = [];
    await setImmediate();
  }
  if (rows.length > 0) yield rows;
}

function describeTables(db: DatabaseSync): CopiedTable[] {
  const named = db
    .prepare(
      `select name, sql from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\'`,
    )
    .all() as { name: string; sql: string }[];
  const indexes = named.filter(({ sql }) => /^create virtual table/i.test(sql)).map(({ name }) => name);
  const isOfIndex = (name: string) => indexes.some((index) => name === index || name.startsWith(`${index}_`));
  const hasSerials = named.some(({ sql }) => /autoincrement/i.test(sql));
  const lastOf = hasSerials ? db.prepare('select seq from sqlite_sequence where name = ?') : undefined;
  return named
    .filter(({ name }) => isCopied(name) && !isOfIndex(name))
    .map(({ name, sql }) => {
      const found = db.prepare(`pragma table_info(${quoteIdentifier(name)})`).all() as {
        name: string;
        type: string;
        pk: number;
      }[];
      const serial = /autoincrement/i.test(sql) ? found.find(({ pk }) => pk > 0)?.name : undefined;
      const row = lastOf?.get(name) as { seq: number } | undefined;
      return {
        name,
        columns: found
          .filter((column) => column.name !== TRANSACTION_COLUMN)
          .map((column) => ({ name: column.name, type: typeOf(column.type) }))
          .toSorted(byName),
        ...(serial !== undefined && { serial: { column: serial, last: row?.seq ?? 0 } }),
      };
    })
    .toSorted(byName);
}

function typeOf(declared: string): ColumnType {
  const type = declared.toLowerCase();
  if (type === 'text') return 'text';
  if (type === 'blob') return 'bytes';
  return type === 'double precision' || type === 'real' ? 'real' : 'integer';
}

/** The file has the tables, and nobody else uses it. Durable once resolved; after an error the file is to be deleted. */
export async function loadSqlite(
  file: string,
  tables: readonly CopiedTable[],
  work: (loader: DatabaseLoader) => Promise<void>,
): Promise<void> {
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  try {
    db.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -64000; begin');
    // Those of the search index fill it; all others would add rows that are copied anyway.
    const triggers = db
      .prepare(
        `select name, sql from sqlite_master where type = 'trigger' and name not like '%\\_words\\_insert' escape '\\'`,
      )
      .all() as { name: string; sql: string }[];
    for (const { name } of triggers) db.exec(`drop trigger ${quoteIdentifier(name)}`);
    for (const { name } of describeTables(db)) db.exec(`delete from ${quoteIdentifier(name)}`);
    const inserts = new Map<string, StatementSync>();
    await work({
      insert: async (table, rows) => {
        let insert = inserts.get(table.name);
        if (insert === undefined) inserts.set(table.name, (insert = prepareInsert(db, table)));
        for (const row of rows) insert.run(...(decode(row, table) as SQLInputValue[]));
        await setImmediate();
      },
      count: async ({ name }) => {
        const row = db.prepare(`select count(*) as count from ${quoteIdentifier(name)}`).get();
        return (row as { count: number }).count;
      },
      rows: (table) => readRows(db, table),
    });
    for (const { sql } of triggers) db.exec(sql);
    setSerials(db, tables);
    const broken = db.prepare('select "table" as name from pragma_foreign_key_check limit 1').get();
    if (broken !== undefined)
      throw new Error(`A row of ${(broken as { name: string }).name} refers to one that is not there`);
    db.exec('commit');
  } finally {
    db.close();
  }
  syncFile(file);
}

function prepareInsert(db: DatabaseSync, { name, columns }: CopiedTable): StatementSync {
  const marks = columns.map(() => '?').join(', ');
  return db.prepare(`insert into ${quoteIdentifier(name)} (${listOf(columns)}) values (${marks})`);
}

function setSerials(db: DatabaseSync, tables: readonly CopiedTable[]): void {
  const serials = tables.filter(({ serial }) => serial !== undefined);
  if (serials.length === 0) return;
  const remove = db.prepare('delete from sqlite_sequence where name = ?');
  const add = db.prepare('insert into sqlite_sequence (name, seq) values (?, ?)');
  for (const { name, serial } of serials) {
    remove.run(name);
    add.run(name, serial!.last);
  }
}

function decode(row: readonly (string | number | null)[], { columns }: CopiedTable) {
  return row.map((value, index) => decodeValue(value, columns[index]!));
}

function listOf(columns: CopiedTable['columns']): string {
  return columns.map(({ name }) => quoteIdentifier(name)).join(', ');
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}

function syncFile(file: string): void {
  const handle = openSync(file, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
