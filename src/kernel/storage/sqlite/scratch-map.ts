// A map from texts to texts for a single task, in a temporary file beyond a few megabytes, so that its memory is bounded.
import { DatabaseSync } from 'node:sqlite';

export class ScratchMap {
  /** Without a name SQLite makes a temporary file, which nobody else sees and which ends with the connection. */
  readonly #db = new DatabaseSync('');
  readonly #set;
  readonly #get;

  constructor() {
    this.#db.exec(`pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -8000;
      create table entries (key text primary key, value text not null) without rowid; begin`);
    this.#set = this.#db.prepare('insert or replace into entries (key, value) values (?, ?)');
    this.#get = this.#db.prepare('select value from entries where key = ?');
  }

  set(key: string, value: string): void {
    this.#set.run(key, value);
  }

  get(key: string): string | undefined {
    return (this.#get.get(key) as { value: string } | undefined)?.value;
  }

  close(): void {
    this.#db.close();
  }
}
