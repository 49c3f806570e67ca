// When people last did something with the examples of which the audit log says nothing.
import type { Db } from '../kernel/storage/tables.ts';
import type { StorageKind } from './storages/model.ts';

/** The newest run that no schedule has started, or the newest task. The Actor takes both with it when it is deleted. */
export async function findActorUse(db: Db, actorId: string): Promise<number | undefined> {
  const run = await db
    .selectFrom('runs')
    .select('started_at')
    .where('actor_id', '=', actorId)
    .where('origin', '<>', 'SCHEDULER')
    .orderBy('started_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  const task = await db
    .selectFrom('tasks')
    .select('created_at')
    .where('actor_id', '=', actorId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  const last = Math.max(run?.started_at ?? 0, task?.created_at ?? 0);
  return last === 0 ? undefined : last;
}

const CONTENT_TABLES = {
  'key-value-store': 'kv_stores',
  'request-queue': 'request_queues',
} as const;

/** When an item, a record or a request was written or deleted last. */
export async function findContentChange(db: Db, kind: StorageKind, id: string): Promise<number | undefined> {
  if (kind === 'dataset') {
    const row = await db
      .selectFrom('datasets')
      .select('modified_at')
      .where('storage_id', '=', id)
      .executeTakeFirst();
    return row?.modified_at;
  }
  const row = await db
    .selectFrom(CONTENT_TABLES[kind])
    .select('modified_at')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.modified_at;
}

/** One would be enough, but names of schedules are not unique. */
export async function findScheduleIds(db: Db, userId: string, name: string): Promise<string[]> {
  const rows = await db
    .selectFrom('schedules')
    .select('id')
    .where('user_id', '=', userId)
    .where('name', '=', name)
    .orderBy('created_at')
    .execute();
  return rows.map(({ id }) => id);
}
