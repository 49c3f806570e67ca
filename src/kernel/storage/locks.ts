// What a transaction holds until it ends: rows, and names that stand for more than rows.
import { PostgresAdapter, sql, type SelectQueryBuilder } from 'kysely';
import type { Db, Tables } from './tables.ts';

/**
 * Waits until no other transaction holds the rows of the query, which says how (`forUpdate`), and holds them. The rows, or
 * undefined where the engine need not look: on SQLite a transaction has the whole file from its first statement on.
 *
 * A query that is there to be read as well can say `forUpdate` by itself: on SQLite that is left out.
 */
export async function lockRows<Table extends keyof Tables, Row>(
  tx: Db,
  query: SelectQueryBuilder<Tables, Table, Row>,
): Promise<Row[] | undefined> {
  requireTransaction(tx);
  return locksRows(tx) ? await query.execute() : undefined;
}

/** Waits until no other transaction of this database holds the name, and holds it. */
export async function lockName(tx: Db, name: string): Promise<void> {
  requireTransaction(tx);
  // Schemas of one database are databases to us.
  if (locksRows(tx))
    await sql`select pg_advisory_xact_lock(hashtextextended(current_schema() || chr(10) || ${name}, 0))`.execute(
      tx,
    );
  else await sql`select 1`.execute(tx);
}

function locksRows(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

function requireTransaction(tx: Db): void {
  if (!tx.isTransaction) throw new Error('Only a transaction can hold something.');
}
