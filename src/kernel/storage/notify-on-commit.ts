// Notifications that are sent after the commit: a listener notified earlier would not see the change yet.
import type { DatabaseConnection } from 'kysely';
import type { Db } from './tables.ts';

const waiting = new WeakMap<DatabaseConnection, Set<string>>();

/** Notifies all listeners on `channel`, in this and other processes, as soon as the transaction is committed. */
export async function notifyOnCommit(tx: Db, channel: string): Promise<void> {
  if (!tx.isTransaction) throw new Error('Only a transaction has a commit to wait for.');
  await tx.getExecutor().provideConnection(async (connection) => {
    const channels = waiting.get(connection);
    if (channels === undefined) waiting.set(connection, new Set([channel]));
    else channels.add(channel);
  });
}

/** For the drivers, when a transaction has ended by commit or rollback. */
export function takeNotifications(connection: DatabaseConnection): string[] {
  const channels = [...(waiting.get(connection) ?? [])];
  waiting.delete(connection);
  return channels;
}
