// Executes reads: whole results, and cursors that return a result in pieces.
import { SqliteConnection, valuesOf } from './sqlite-connection.ts';
import { EMPTY_RESULT, thrownBy } from './sqlite-protocol.ts';
import type { NumberedRequest, ThreadReply, StorageRequest, RawResult } from './sqlite-protocol.ts';

/** Replies are sent together, but none is delayed longer than this. */
const HOLD_MS = 1;

interface Cursor {
  connection: SqliteConnection;
  columns: string;
  rows: Iterator<unknown[]>;
}

export class SqliteReader {
  readonly #file: string;
  readonly #answer: (replies: ThreadReply[]) => void;
  /** Opened by the first read, so that this thread can start while the writer is still creating the file. */
  #connection: SqliteConnection | undefined;
  readonly #cursors = new Map<number, Cursor>();

  constructor(file: string, answer: (replies: ThreadReply[]) => void) {
    this.#file = file;
    this.#answer = answer;
  }

  accept(requests: NumberedRequest[]): void {
    let replies: ThreadReply[] = [];
    let held = performance.now();
    for (const [id, request] of requests) {
      try {
        replies.push([id, this.#serve(request)]);
      } catch (error) {
        replies.push([id, EMPTY_RESULT, thrownBy(error)]);
      }
      if (performance.now() - held > HOLD_MS) {
        this.#answer(replies);
        replies = [];
        held = performance.now();
      }
    }
    this.#answer(replies);
  }

  close(): void {
    for (const name of this.#cursors.keys()) this.#drop(name);
    this.#connection?.close();
  }

  #serve(request: StorageRequest): RawResult {
    switch (request[0]) {
      case 'run':
        this.#connection ??= new SqliteConnection(this.#file, 'read');
        return this.#connection.run(request[2], request[3]);
      case 'open':
        return this.#open(request[1], request[2], request[3]);
      case 'fetch':
        return this.#fetch(request[1], request[2]);
      case 'drop':
        return this.#drop(request[1]);
      default:
        throw new Error(`The reader cannot ${request[0]}.`);
    }
  }

  /** A cursor has its own connection: on a shared one it would keep all other reads at its snapshot. */
  #open(name: number, sql: string, parameters: readonly unknown[]): RawResult {
    const connection = new SqliteConnection(this.#file, 'read');
    try {
      this.#cursors.set(name, { connection, ...connection.iterate(sql, parameters) });
    } catch (error) {
      connection.close();
      throw error;
    }
    return EMPTY_RESULT;
  }

  #fetch(name: number, count: number): RawResult {
    const cursor = this.#cursors.get(name);
    if (!cursor) throw new Error('The cursor has been closed.');
    const rows: unknown[][] = [];
    while (rows.length < count) {
      const next = cursor.rows.next();
      if (next.done) break;
      rows.push(next.value);
    }
    return [cursor.columns, valuesOf(rows), 0, 0];
  }

  #drop(name: number): RawResult {
    this.#cursors.get(name)?.connection.close();
    this.#cursors.delete(name);
    return EMPTY_RESULT;
  }
}
