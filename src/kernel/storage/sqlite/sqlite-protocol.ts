// The messages between the main thread and the storage threads: tuples, which cost half as much to pass as objects.
import type { FailureKind } from '../../failure.ts';

/** The main thread numbers transactions and cursors; transaction 0 means none. */
export type StorageRequest =
  | [verb: 'run', transaction: number, sql: string, parameters: readonly unknown[]]
  /** A whole transaction. If one of its first statements, the guards, writes nothing, it is rolled back. */
  | [verb: 'batch', statements: readonly BatchedStatement[], guards: number]
  | [verb: 'commit', transaction: number]
  | [verb: 'rollback', transaction: number]
  /** Reports a statement that could not be sent. */
  | [verb: 'fail', transaction: number, message: string]
  | [verb: 'open', cursor: number, sql: string, parameters: readonly unknown[]]
  | [verb: 'fetch', cursor: number, rows: number]
  | [verb: 'drop', cursor: number];

export type BatchedStatement = [sql: string, parameters: readonly unknown[]];

export function transactionOf(request: StorageRequest): number {
  switch (request[0]) {
    case 'batch':
    case 'open':
    case 'fetch':
    case 'drop':
      return 0;
    default:
      return request[1];
  }
}

export type NumberedRequest = [id: number, request: StorageRequest];

/** To a thread: the file to open, then all requests of one turn of the event loop, at last to close it. */
export type ThreadCommand = ThreadSetup | NumberedRequest[] | 'close';

export type RawResult = [
  /** As `joinColumns` writes them. */
  columns: string,
  /** Those of all rows, one after the other: passing a list for each row takes several times as long. */
  values: unknown[],
  changes: number,
  insertId: number | bigint,
  ...tables: TouchedTables,
];

/**
 * As `joinTables` writes them: one text costs less to pass than a list. `read` is there where the statement writes nothing;
 * `written` is what the statement has written, or the transaction that it commits.
 */
export type TouchedTables = [read?: string | undefined, written?: string];

export const EMPTY_RESULT: RawResult = ['', [], 0, 0];

/** Ends each name: no name has it, though one that is an expression may have anything else. */
const END = '\0';

/** One text costs less to pass than a list, and is the same for each result of a statement. */
export function joinColumns(names: readonly string[]): string {
  return names.map((name) => name + END).join('');
}

export function columnsIn(joined: string): readonly string[] {
  return joined.split(END).slice(0, -1);
}

export function hasWritten([, returned, changes]: RawResult): boolean {
  return changes > 0 || returned.length > 0;
}

/** That of a batch has the results of its statements, unless it was rolled back. */
export type ThreadReply = [
  id: number,
  result: RawResult,
  thrown?: ThrownError | undefined,
  results?: RawResult[],
];

/** An error on its way to the main thread. One with a kind is already a failure; others are still to be converted. */
export interface ThrownError {
  kind?: FailureKind;
  message: string;
  code?: string;
  errcode?: number;
}

/** From a thread: its file is open, another process has written, replies, or its file is closed. */
export type ThreadMessage = 'ready' | 'changed' | 'closed' | ThreadReply[];

export interface ThreadSetup {
  file: string;
  access: 'read' | 'write';
}

export function thrownBy(error: unknown): ThrownError {
  const { message, code, errcode } = error as Error & { code?: string; errcode?: number };
  return { message, ...(code !== undefined && { code }), ...(errcode !== undefined && { errcode }) };
}
