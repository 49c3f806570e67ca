// Notices that wait for the commit they tell of: who heard one earlier would look, and find nothing yet.
import type { DatabaseConnection } from 'kysely';
import type { Db } from './tables.ts';

const waiting = new WeakMap<DatabaseConnection, Set<string>>();

/** Tells all who listen on `channel`, here and in other processes, as soon as the transaction is committed. */
export async function notifyOnCommit(tx: Db, channel: string): Promise<void> {
  if (!tx.isTransaction) throw new Error('Only a transaction has a commit to wait for.');
  await tx.getExecutor().provideConnection(async (connection) => {
    const channels = waiting.get(connection);
    if (channels === undefined) waiting.set(connection, new Set([channel]));
    else channels.add(channel);
  });
}

/** For the drivers, when a transaction has ended, well or not. */
export function takeNotifications(connection: DatabaseConnection): string[] {
  const channels = [...(waiting.get(connection) ?? [])];
  waiting.delete(connection);
  return channels;
}
