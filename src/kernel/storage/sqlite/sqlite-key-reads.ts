// Reads by unique keys, executed on the main thread: the way to a thread and back costs many times as much as a few rows. ADR 0159.
import { BoundedCache } from '../../collections/bounded-cache.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import type { RawResult } from './sqlite-protocol.ts';

/** Looking at the plan of a statement costs more than running it a few times. */
const FEW_USES = 3;
const KNOWN_STATEMENTS = 1000;
/** Each may be the key of a row. */
const MAX_PARAMETERS = 140;
/** What has taken longer, because its rows are large or the disk is slow, is left to the thread for a while. */
const MAX_MS = 5;
const USES_LEFT_TO_THREAD = 1000;

/** Steps of a plan that read no further rows. */
const HARMLESS =
  /^(?:USE TEMP B-TREE FOR |SCALAR SUBQUERY \d+$|CORRELATED SCALAR SUBQUERY \d+$|SCAN CONSTANT ROW$)/;
const SEARCH =
  /^SEARCH \S+ USING (?:(INTEGER PRIMARY KEY)|PRIMARY KEY|(?:COVERING )?INDEX (\S+)) \(([^)]*)\)(?: LEFT-JOIN)?$/;

/** The columns of a plan, of which the last one is the text. */
const PLAN_WIDTH = 4;

type Verdict = 'by key' | 'for the thread';

export class KeyReads {
  readonly #file: string;
  readonly #now: () => number;
  /** How often each was asked for, until it is decided who answers. */
  readonly #uses = new BoundedCache<string, number | Verdict>({ max: KNOWN_STATEMENTS });
  #connection: SqliteConnection | undefined;
  #isClosed = false;

  /** `now` is in milliseconds, and never goes back. */
  constructor(file: string, now: () => number = () => performance.now()) {
    this.#file = file;
    this.#now = now;
  }

  /** The result, or undefined where the statement is for the reading thread. */
  run(sql: string, parameters: readonly unknown[]): RawResult | undefined {
    if (parameters.length > MAX_PARAMETERS || this.#isClosed) return undefined;
    const known = this.#uses.get(sql) ?? 0;
    if (known === 'for the thread') return undefined;
    if (typeof known === 'number' && known < FEW_USES) {
      this.#uses.set(sql, known + 1);
      return undefined;
    }
    try {
      // It waits for nobody: where another program keeps the file locked, the thread does.
      this.#connection ??= new SqliteConnection(this.#file, 'read', 0);
      if (known !== 'by key' && !this.#isByKey(this.#connection, sql)) {
        this.#uses.set(sql, 'for the thread');
        return undefined;
      }
      const begun = this.#now();
      const result = this.#connection.run(sql, parameters);
      if (this.#now() - begun > MAX_MS) this.#uses.set(sql, -USES_LEFT_TO_THREAD);
      else if (known !== 'by key') this.#uses.set(sql, 'by key');
      return result;
    } catch {
      // The thread finds the same error, and reports it.
      return undefined;
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#connection?.close();
    this.#connection = undefined;
  }

  /** Whether each step finds at most one row for each key, so that as many rows are read as there are keys. */
  #isByKey(connection: SqliteConnection, sql: string): boolean {
    const [, steps] = connection.run(`explain query plan ${sql}`);
    const details = steps.filter((_, index) => index % PLAN_WIDTH === PLAN_WIDTH - 1).map(String);
    return details.every((detail) => {
      if (HARMLESS.test(detail)) return true;
      const [, rowid, index, terms] = SEARCH.exec(detail) ?? [];
      if (terms === undefined || !/^[^<>]*$/.test(terms)) return false;
      if (rowid !== undefined) return true;
      // Without a name it is the key of a table without row ids: how many columns it has is not looked up.
      return index !== undefined && isWhole(connection, index, terms.split(' AND ').length);
    });
  }
}

/** Whether the index is unique, and as many of its columns are given as it has. */
function isWhole(connection: SqliteConnection, index: string, given: number): boolean {
  const [, columns] = connection.run('select count(*) from pragma_index_info(?)', [index]);
  const [, unique] = connection.run(
    `select 1 from sqlite_schema as one, pragma_index_list(one.tbl_name) as list
     where one.type = 'index' and one.name = ? and list.name = one.name and list."unique" = 1 and list.partial = 0`,
    [index],
  );
  return unique.length > 0 && columns[0] === given;
}
