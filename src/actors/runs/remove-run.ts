// Removes a run: its row now, and with it its log and its unnamed storages.
import type { Db } from '../../kernel/storage/tables.ts';
import { deleteLog } from '../logs/store.ts';
import { removeStorage } from '../storages/routes.ts';
import { lockStorage } from '../storages/store.ts';
import { notifyOnCommit } from '../../kernel/storage/notify-on-commit.ts';
import { STORAGE_CHANNEL } from '../storages/access.ts';
import { deleteWebhooksOfRun } from '../webhooks/store.ts';
import { storageIdsOf, type Run } from './model.ts';
import { deleteRun } from './store.ts';

/** A storage that was given a name since is kept, and so is one that was used at `unusedSince` or later. */
export async function removeRun(tx: Db, run: Run, now: number, unusedSince = Infinity): Promise<void> {
  await removeRunStorages(tx, run, now, unusedSince);
  await deleteLog(tx, run.id, now);
  // Those that listen to this run alone can fire no more. What they have sent already is retried all the same.
  await deleteWebhooksOfRun(tx, run.id);
  await deleteRun(tx, run);
}

export async function removeRunStorages(
  tx: Db,
  run: Run,
  now: number,
  unusedSince = Infinity,
): Promise<void> {
  for (const id of Object.values(storageIdsOf(run)).flatMap((ids) => Object.values(ids))) {
    const storage = await lockStorage(tx, id);
    if (storage?.name === null) await removeStorage(tx, storage, now, unusedSince);
  }
  await notifyOnCommit(tx, STORAGE_CHANNEL);
}
