// Which tables were written since when, for what is kept in memory until rows change that it was made from. ADR 0156.

/** The table that SQLite keeps its schema in. */
const SCHEMA = 'sqlite_master';

/** Counts commits. Only for a database that no other server writes to. */
export class TableChanges {
  /** The number of the last commit that wrote a table, by table. */
  readonly #last = new Map<string, number>();
  #lastOfAll = 0;
  #count = 0;

  /** The number of the last commit. What is read from now on has seen it. */
  get now(): number {
    return this.#count;
  }

  /** To be called when the commit is done, before anybody learns of it. */
  record(joined: string): void {
    this.#count += 1;
    for (const table of tablesIn(joined)) this.#last.set(table, this.#count);
    // Rows of any table may have another column now.
    if (this.#last.get(SCHEMA) === this.#count) this.#lastOfAll = this.#count;
  }

  /** After writes of another process, or of unknown content. */
  recordAll(): void {
    this.#count += 1;
    this.#lastOfAll = this.#count;
  }

  /** Whether none of the tables was written after the commit of this number. */
  areUnchanged(tables: readonly string[], since: number): boolean {
    return this.#lastOfAll <= since && tables.every((table) => (this.#last.get(table) ?? 0) <= since);
  }
}

export function joinTables(tables: Iterable<string>): string {
  return [...tables].join(' ');
}

/** The inverse of `joinTables`: names of tables have no spaces. */
export function tablesIn(joined: string): string[] {
  return joined === '' ? [] : joined.split(' ');
}
