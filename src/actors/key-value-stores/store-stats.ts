// Key-value stores in the database, with their statistics; reads and lists are counted in memory before they are added.
import type { Engine } from '../../kernel/storage/engine.ts';
import { insertOf } from '../../kernel/storage/build-once.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Storage } from '../storages/model.ts';
import { BufferedCounter, countUsage } from '../usage/usage-counter.ts';
import type { StoreStats } from './model.ts';

const insertStoreRow = insertOf('kv_stores');

export async function insertStore(db: Db, id: string, now: number): Promise<StoreStats> {
  const row = {
    id,
    read_count: 0,
    write_count: 0,
    delete_count: 0,
    list_count: 0,
    storage_bytes: 0,
    modified_at: now,
  };
  await db.executeQuery(insertStoreRow(db, row));
  return { ...NO_STATS, modifiedAt: now };
}

const NO_STATS: StoreStats = {
  readCount: 0,
  writeCount: 0,
  deleteCount: 0,
  listCount: 0,
  storageBytes: 0,
  modifiedAt: 0,
};

export async function findStats(db: Db, ids: string[]): Promise<(id: string) => StoreStats> {
  const rows =
    ids.length === 0 ? [] : await db.selectFrom('kv_stores').selectAll().where('id', 'in', ids).execute();
  const stats = new Map(
    rows.map((row) => [
      row.id,
      {
        readCount: row.read_count,
        writeCount: row.write_count,
        deleteCount: row.delete_count,
        listCount: row.list_count,
        storageBytes: row.storage_bytes,
        modifiedAt: row.modified_at,
      },
    ]),
  );
  return (id) => stats.get(id) ?? NO_STATS;
}

interface StoreUsage {
  reads: number;
  lists: number;
}

export async function addStoreUsage(
  { db, batch }: Engine,
  usage: ReadonlyMap<string, StoreUsage>,
): Promise<void> {
  // Sorted, so that two nodes never deadlock.
  const sorted = [...usage].toSorted(([a], [b]) => (a < b ? -1 : 1));
  await batch(
    sorted.map(([id, { reads, lists }]) =>
      db
        .updateTable('kv_stores')
        .set((eb) => ({ read_count: eb('read_count', '+', reads), list_count: eb('list_count', '+', lists) }))
        .where('id', '=', id)
        .compile(),
    ),
  );
}

/** The foreign key makes it fail while the store has records. */
export async function deleteStore(db: Db, id: string): Promise<void> {
  await db.deleteFrom('kv_stores').where('id', '=', id).execute();
}

declare module '../../kernel/kernel.ts' {
  interface Services {
    storeUsage: BufferedCounter<StoreUsage>;
  }
}

export function openStoreUsage({ engine, log }: Pick<Kernel, 'engine' | 'log'>): BufferedCounter<StoreUsage> {
  return new BufferedCounter({
    write: (usage) => addStoreUsage(engine, usage),
    onError: (error) => log.debug({ err: error }, 'some reads of key-value stores are not counted'),
  });
}

export function countStoreUse(kernel: Kernel, storage: Storage, use: keyof StoreUsage): void {
  countUsage(kernel, storage, use === 'reads' ? 'KEY_VALUE_STORE_READS' : 'KEY_VALUE_STORE_LISTS', 1);
  kernel.services.storeUsage.sumOf(storage.id, () => ({ reads: 0, lists: 0 }))[use] += 1;
}
