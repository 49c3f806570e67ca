// Statements that are sent together, so that none waits for the answer to another.
import type { QueryResult } from 'kysely';
import type { SqlStatement } from './statement.ts';
import type { Db } from './tables.ts';

/**
 * Like `Promise.all`, but rejects only when all have ended: otherwise the transaction could end while statements are
 * still running, which would then be executed outside of it.
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
 * Sends all statements of a transaction in one round trip. Executed one by one, each would begin when the one before has
 * ended; and on SQLite all other transactions wait meanwhile.
 */
export async function executeAll(
  tx: Db,
  statements: readonly SqlStatement[],
): Promise<QueryResult<unknown>[]> {
  return await tx
    .getExecutor()
    .provideConnection((connection) => awaitAll(statements.map((query) => connection.executeQuery(query))));
}
