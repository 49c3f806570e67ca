// What a storage engine must do. Everything that differs between SQLite and PostgreSQL ends behind this interface.
import type { Logger } from 'pino';
import type { QueryResult } from 'kysely';
import type { SqlStatement } from './statement.ts';
import type { Db } from './tables.ts';

/** As much of a logger as storage needs. */
export type Log = Pick<Logger, 'warn' | 'error'>;

export interface Engine {
  readonly kind: 'sqlite' | 'postgres';
  /** Whether other servers may work on the same database: a SQLite folder has one server. */
  readonly isShared: boolean;
  /**
   * Statements outside a transaction commit by themselves; `db.transaction()` opens one. A resolved write is durable. Where
   * others were in the way, the work of a transaction is called again: it must change nothing but the database.
   */
  readonly db: Db;
  /** A transaction whose statements are all known beforehand, sent together: it costs one trip instead of one for each. */
  batch(statements: readonly SqlStatement[]): Promise<QueryResult<unknown>[]>;
  /**
   * The same on a condition: each of `guards`, which come first, must write a row. Where one writes none, nothing of it all
   * is kept, and false is told.
   */
  batchIf(guards: readonly SqlStatement[], statements: readonly SqlStatement[]): Promise<boolean>;
  /**
   * Tells all listeners, in this process and in the others on the same database, at once: what a transaction has to tell
   * waits for its commit (`noticeOnCommit`). It does not fail, as the change it tells of is done: a notice may be lost,
   * and who listens must also look now and then.
   */
  notify(channel: string, payload?: string): Promise<void>;
  /** `hear` gets the payload, or undefined when something changed elsewhere and nobody knows what. One that fails is logged. Returns the way to stop. */
  listen(channel: string, hear: (payload: string | undefined) => unknown): Promise<() => void>;
  /** Fails when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
