// Notifications that are sent after the commit: a listener notified earlier would not see the change yet.
import type { DatabaseConnection } from 'kysely';
import type { Db } from './tables.ts';

/** By channel, the payloads. */
const waiting = new WeakMap<DatabaseConnection, Map<string, Set<string>>>();

/** A transaction that changes more names none of them. */
const MAX_PAYLOADS = 100;

/**
 * Notifies all listeners on `channel`, in this and other processes, as soon as the transaction is committed. Without a payload,
 * they learn that something has changed, and not what.
 */
export async function notifyOnCommit(tx: Db, channel: string, payload = ''): Promise<void> {
  if (!tx.isTransaction) throw new Error('Only a transaction has a commit to wait for.');
  await tx.getExecutor().provideConnection(async (connection) => {
    const channels = waiting.get(connection) ?? new Map<string, Set<string>>();
    waiting.set(connection, channels);
    const payloads = channels.get(channel) ?? new Set();
    channels.set(channel, payloads.size < MAX_PAYLOADS ? payloads.add(payload) : new Set(['']));
  });
}

export interface Notification {
  channel: string;
  /** Undefined for changes of unknown content. */
  payload: string | undefined;
}

/** For the drivers, when a transaction has ended by commit or rollback. */
export function takeNotifications(connection: DatabaseConnection): Notification[] {
  const channels = [...(waiting.get(connection) ?? [])];
  waiting.delete(connection);
  return channels.flatMap(([channel, payloads]) =>
    [...payloads].map((payload) => ({ channel, payload: payload || undefined })),
  );
}
