// Statements that are sent together, so that none waits for the answer to another.
import type { QueryResult } from 'kysely';
import type { SqlStatement } from './statement.ts';
import type { Db } from './tables.ts';

/**
 * Like `Promise.all`, but what fails is told only when all have ended: by then a transaction would be over, and whatever
 * came later would be written outside of it.
 */
export async function awaitAll<const Parts extends readonly unknown[]>(
  parts: Parts,
): Promise<{ -readonly [Index in keyof Parts]: Awaited<Parts[Index]> }> {
  const settled = await Promise.allSettled(parts);
  const failed = settled.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return await Promise.all(parts);
}

/**
 * In one trip of a transaction. Asked for one by one, even at the same time, each would begin when the one before has
 * ended; and while a transaction waits on SQLite, all others do.
 */
export async function executeAll(
  tx: Db,
  statements: readonly SqlStatement[],
): Promise<QueryResult<unknown>[]> {
  return await tx
    .getExecutor()
    .provideConnection((connection) => awaitAll(statements.map((query) => connection.executeQuery(query))));
}
