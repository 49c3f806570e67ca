// The interface of a storage engine. It hides everything that differs between SQLite and PostgreSQL.
import type { Logger } from 'pino';
import type { QueryResult } from 'kysely';
import type { SqlStatement } from './statement.ts';
import type { DurationHistogram } from '../duration-histogram.ts';
import type { TableChanges } from './table-changes.ts';
import type { Db } from './tables.ts';

/** The methods of a logger that storage uses. */
export type Log = Pick<Logger, 'warn' | 'error'>;

/** What this process does with the database. */
export interface DatabaseLoad {
  /** How long statements took, with the wait for a thread; on PostgreSQL with the way there and back. */
  readonly statements: DurationHistogram;
  /** Of the pool; absent where there is none. */
  connections?(): { open: number; idle: number; waiting: number };
}

export interface Engine {
  readonly kind: 'sqlite' | 'postgres';
  /** Whether other servers may work on the same database: a SQLite folder has one server. */
  readonly isShared: boolean;
  /**
   * Statements outside a transaction commit by themselves; `db.transaction()` opens one. A resolved write is durable. After
   * a conflict the callback of a transaction is called again: it must have no effects but on the database.
   */
  readonly db: Db;
  /** Which tables were written; undefined where other servers write to the same database. */
  readonly tableChanges?: TableChanges;
  /** A transaction whose statements are all known beforehand: it takes one round trip. */
  batch(statements: readonly SqlStatement[]): Promise<QueryResult<unknown>[]>;
  /**
   * The same on a condition: each of `guards`, which run first, must write a row. Where one writes none, the transaction is
   * rolled back, and the result is false. After the commit, `channels` are notified, as by `notifyOnCommit`.
   */
  batchIf(
    guards: readonly SqlStatement[],
    statements: readonly SqlStatement[],
    channels?: readonly string[],
  ): Promise<boolean>;
  /**
   * Notifies all listeners at once, in this process and in others on the same database; inside a transaction use
   * `notifyOnCommit`. It never fails, as the change is already committed. Notifications may be lost, so listeners must
   * also poll.
   */
  notify(channel: string, payload?: string): Promise<void>;
  /** The listener gets the payload, or undefined after changes of unknown content. Its errors are logged. Returns a function that removes it. */
  listen(channel: string, listener: (payload: string | undefined) => unknown): Promise<() => void>;
  /**
   * The oldest transaction that has not ended: those with smaller numbers have, and their rows are there. Undefined where
   * transactions commit one after the other, in the order of the rows that they insert.
   */
  oldestTransaction(): Promise<number | undefined>;
  readonly load: DatabaseLoad;
  /** Fails when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
