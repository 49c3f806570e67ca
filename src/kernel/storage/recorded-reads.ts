// A database handle that records which tables its statements read.
import type { KyselyPlugin, QueryResult } from 'kysely';
import type { TableChanges } from './table-changes.ts';
import { tablesIn } from './table-changes.ts';
import type { Db } from './tables.ts';

/** A result with the tables that were read for it, as `joinTables` writes them; absent where something was written. */
export interface TracedResult<Row> extends QueryResult<Row> {
  readonly tablesRead?: string;
}

export class RecordedReads {
  /** For reads alone: transactions are not run again after a conflict. */
  readonly db: Db;
  readonly #changes: TableChanges;
  readonly #since: number;
  readonly #joined = new Set<string>();
  #isComplete = true;

  constructor(db: Db, changes: TableChanges) {
    this.db = db.withPlugin(this.#plugin());
    this.#changes = changes;
    // Before the first statement: what is written while others run makes the record useless.
    this.#since = changes.now;
  }

  /** What tells later whether the same statements would still read the same; undefined where they did more than read. */
  finish(): ReadRecord | undefined {
    if (!this.#isComplete) return undefined;
    const tables = [...new Set([...this.#joined].flatMap(tablesIn))];
    return new ReadRecord(this.#changes, tables, this.#since);
  }

  #plugin(): KyselyPlugin {
    return {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        const { tablesRead } = result as TracedResult<unknown>;
        if (tablesRead === undefined) this.#isComplete = false;
        else this.#joined.add(tablesRead);
        return result;
      },
    };
  }
}

export class ReadRecord {
  readonly #changes: TableChanges;
  readonly #tables: readonly string[];
  #since: number;

  constructor(changes: TableChanges, tables: readonly string[], since: number) {
    this.#changes = changes;
    this.#tables = tables;
    this.#since = since;
  }

  /** Whether none of the tables was written since the statements began. */
  get isCurrent(): boolean {
    const { now } = this.#changes;
    if (now === this.#since) return true;
    if (!this.#changes.areUnchanged(this.#tables, this.#since)) return false;
    // The next question begins here, and is mostly answered by the line above.
    this.#since = now;
    return true;
  }
}
