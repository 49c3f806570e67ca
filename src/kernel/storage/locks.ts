// Locks that a transaction holds until it ends: on rows, and on names.
import { PostgresAdapter, sql, type SelectQueryBuilder } from 'kysely';
import { buildOnce } from './build-once.ts';
import type { SqlStatement } from './statement.ts';
import type { Db, Tables } from './tables.ts';

/**
 * Locks the rows of the query, which says how (`forUpdate`). Returns the rows, or undefined on SQLite, where a transaction
 * locks the whole file with its first statement.
 *
 * A query whose rows are needed anyway can use `forUpdate` itself: on SQLite it is left out.
 */
export async function lockRows<Table extends keyof Tables, Row>(
  tx: Db,
  query: SelectQueryBuilder<Tables, Table, Row>,
): Promise<Row[] | undefined> {
  requireTransaction(tx);
  return locksRows(tx) ? await query.execute() : undefined;
}

/** Locks a name; other transactions on this database wait for it. */
export async function lockName(tx: Db, name: string): Promise<void> {
  await tx.executeQuery(lockNameStatement(tx, name));
}

/** The same as a statement, for those that are executed when the lock is there. */
export function lockNameStatement(tx: Db, name: string): SqlStatement {
  requireTransaction(tx);
  return locksRows(tx) ? lockByName(tx, name) : beginByReading(tx);
}

/** Each schema counts as a database of its own. */
const lockByName = buildOnce(
  (_db, name: string) =>
    sql`select pg_advisory_xact_lock(hashtextextended(current_schema() || chr(10) || ${name}, 0))`,
);

const beginByReading = buildOnce((_db) => sql`select 1`);

function locksRows(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

function requireTransaction(tx: Db): void {
  if (!tx.isTransaction) throw new Error('Only a transaction can hold something.');
}
