// One SQLite connection, with its settings and its cache of prepared statements.
import { constants, DatabaseSync } from 'node:sqlite';
import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { BoundedCache } from '../../collections/bounded-cache.ts';
import { joinTables } from '../table-changes.ts';
import { joinColumns, type RawResult, type TouchedTables } from './sqlite-protocol.ts';

interface Prepared {
  statement: StatementSync;
  columns: string;
  /** How many; none in a statement that only writes. */
  width: number;
  tables: TouchedTables;
}

const CACHED_STATEMENTS = 500;
/** A change of the schema: it runs once, and asks the authorizer a dozen questions. */
const DEFINITION = /^\s*(?:create|alter|drop)\b/i;
/** How long to wait for another process that is writing to the same file. */
const BUSY_MS = 10_000;

export class SqliteConnection {
  readonly #db: DatabaseSync;
  readonly #cache = new BoundedCache<string, Prepared>({ max: CACHED_STATEMENTS });
  /** Of the statement that is being prepared. */
  readonly #tables = { read: new Set<string>(), written: new Set<string>() };
  /** Node has it since 24.10. */
  readonly #areTablesKnown = 'setAuthorizer' in DatabaseSync.prototype;

  constructor(file: string, access: 'read' | 'write', timeout: number = BUSY_MS) {
    this.#db = new DatabaseSync(file, { readOnly: access === 'read', timeout, returnArrays: true });
    if (this.#areTablesKnown) this.#watchTables();
    try {
      // LIKE is case-sensitive, as in PostgreSQL.
      this.#db.exec(
        'pragma case_sensitive_like = on; pragma cache_size = -16000; pragma temp_store = memory',
      );
      if (access === 'write') {
        this.#db.exec('pragma journal_mode = wal; pragma synchronous = full');
        this.#db.exec('pragma wal_autocheckpoint = 4000; pragma journal_size_limit = 67108864');
      }
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction;
  }

  run(sql: string, parameters: readonly unknown[] = []): RawResult {
    if (DEFINITION.test(sql)) return this.#define(sql);
    const prepared = this.#prepare(sql);
    const values = parameters as SQLInputValue[];
    if (prepared.width === 0) {
      const { changes, lastInsertRowid } = prepared.statement.run(...values);
      return [prepared.columns, [], Number(changes), lastInsertRowid, ...prepared.tables];
    }
    const rows = prepared.statement.all(...values) as unknown as unknown[][];
    // A migration may have added a column since `select *` was prepared.
    if (rows[0] && rows[0].length !== prepared.width) Object.assign(prepared, columnsOf(prepared.statement));
    return [prepared.columns, valuesOf(rows), 0, 0, ...prepared.tables];
  }

  /** Returns rows one by one. Its statement is not cached: running a cached one again would reset it under the iterator. */
  iterate(sql: string, parameters: readonly unknown[]): { columns: string; rows: Iterator<unknown[]> } {
    const statement = this.#db.prepare(sql);
    const rows = statement.iterate(...(parameters as SQLInputValue[])) as Iterator<unknown>;
    return { columns: columnsOf(statement).columns, rows: rows as Iterator<unknown[]> };
  }

  close(): void {
    this.#cache.clear();
    this.#db.close();
  }

  #define(sql: string): RawResult {
    if (this.#areTablesKnown) this.#db.setAuthorizer(null);
    try {
      this.#db.exec(sql);
    } finally {
      if (this.#areTablesKnown) this.#watchTables();
    }
    return ['', [], 0, 0, undefined, 'sqlite_master'];
  }

  #prepare(sql: string): Prepared {
    const known = this.#cache.get(sql);
    if (known !== undefined) return known;
    const { read, written } = this.#tables;
    read.clear();
    written.clear();
    const statement = this.#db.prepare(sql);
    const prepared: Prepared = { statement, ...columnsOf(statement), tables: [] };
    if (written.size > 0) prepared.tables = [undefined, joinTables(written)];
    else if (this.#areTablesKnown) prepared.tables = [joinTables(read)];
    this.#cache.set(sql, prepared);
    return prepared;
  }

  /** SQLite names them when it prepares a statement: those of views, of triggers and of cascades too. */
  #watchTables(): void {
    const { read, written } = this.#tables;
    const { SQLITE_OK, SQLITE_READ, SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE } = constants;
    const writing = [SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE];
    this.#db.setAuthorizer((action, table) => {
      if (table !== null && action === SQLITE_READ) read.add(table);
      if (table !== null && writing.includes(action)) written.add(table);
      return SQLITE_OK;
    });
  }
}

function columnsOf(statement: StatementSync): Pick<Prepared, 'columns' | 'width'> {
  const names = statement.columns().map((column) => column.name);
  return { columns: joinColumns(names), width: names.length };
}

/** Of all rows, one after the other. */
export function valuesOf(rows: readonly unknown[][]): unknown[] {
  const [first = []] = rows;
  if (rows.length <= 1) return first;
  const values: unknown[] = [];
  for (const row of rows) for (const value of row) values.push(value);
  return values;
}
