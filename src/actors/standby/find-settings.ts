// The settings of a run in standby mode that was started earlier, such as before a restart of the server.
import type { Db } from '../../kernel/storage/tables.ts';
import { findActorById } from '../actors/store.ts';
import type { Run } from '../runs/model.ts';
import { findTaskById } from '../tasks/store.ts';
import { poolSettingsOf, type PoolSettings } from './model.ts';

/** The defaults, where its Actor is gone: it then ends when it is idle. */
export async function findSettings(db: Db, { actorId, taskId }: Run): Promise<PoolSettings> {
  const actor = await findActorById(db, actorId);
  const task = taskId === null ? undefined : await findTaskById(db, taskId);
  return poolSettingsOf(actor?.details.actorStandby ?? {}, task?.details.actorStandby);
}
