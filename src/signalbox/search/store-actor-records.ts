// Reads Actors, tasks, schedules, storages, runs and builds for the search.
import type { GeneralAccess, StorageKind } from '../../actors/storages/model.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { SearchRecord } from './terms.ts';

export interface ActorRecord extends SearchRecord {
  key: string;
  userId: string;
  isPublic: boolean;
  at: number;
}

export async function readActorRecords(db: Db, ids: readonly string[]): Promise<ActorRecord[]> {
  const rows = await db
    .selectFrom('actors')
    .select(['id', 'user_id', 'name', 'title', 'is_public', 'modified_at'])
    .where('id', 'in', ids)
    .execute();
  return rows.map(({ id, user_id: userId, name, title, is_public, modified_at: at }) => {
    const isPublic = is_public === 1;
    return {
      kind: 'actor',
      id,
      key: name,
      name: title || name,
      scopes: [userId, ...(isPublic ? ['public'] : [])],
      userId,
      isPublic,
      at,
    };
  });
}

export interface OwnedRecord extends SearchRecord {
  key: string;
  userId: string;
  at: number;
  /** The Actor of a task. */
  actorId?: string;
}

export async function readTaskRecords(db: Db, ids: readonly string[]): Promise<OwnedRecord[]> {
  const rows = await db
    .selectFrom('tasks')
    .select(['id', 'user_id', 'actor_id', 'name', 'title', 'modified_at'])
    .where('id', 'in', ids)
    .execute();
  return rows.map(({ id, user_id: userId, actor_id: actorId, name, title, modified_at: at }) => ({
    kind: 'task',
    id,
    key: name,
    name: title || name,
    scopes: [userId],
    userId,
    actorId,
    at,
  }));
}

export async function readScheduleRecords(db: Db, ids: readonly string[]): Promise<OwnedRecord[]> {
  const rows = await db
    .selectFrom('schedules')
    .select(['id', 'user_id', 'name', 'title', 'modified_at'])
    .where('id', 'in', ids)
    .execute();
  return rows.map(({ id, user_id: userId, name, title, modified_at: at }) => ({
    kind: 'schedule',
    id,
    key: name,
    name: title || name,
    scopes: [userId],
    userId,
    at,
  }));
}

export interface StorageRecord extends SearchRecord {
  kind: StorageKind;
  userId: string;
  storageName: string | null;
  generalAccess: GeneralAccess;
  actRunId: string | null;
  at: number;
}

export async function readStorageRecords(db: Db, ids: readonly string[]): Promise<StorageRecord[]> {
  const rows = await db
    .selectFrom('storages')
    .select(['id', 'kind', 'user_id', 'name', 'title', 'general_access', 'act_run_id', 'modified_at'])
    .where('id', 'in', ids)
    .execute();
  return rows.map((row) => ({
    kind: row.kind as StorageKind,
    id: row.id,
    ...(row.name !== null && { key: row.name }),
    name: row.title || row.name || '',
    scopes: [row.user_id],
    userId: row.user_id,
    storageName: row.name,
    generalAccess: row.general_access as GeneralAccess,
    actRunId: row.act_run_id,
    at: row.modified_at,
  }));
}

/** The newest runs of Actors that an account has started. */
export async function listNewestRunIds(
  db: Db,
  userId: string,
  actorIds: readonly string[],
  limit: number,
): Promise<string[]> {
  const found: { id: string; at: number }[] = [];
  // One by one, so that each reads the end of an index.
  for (const actorId of actorIds)
    found.push(
      ...(await db
        .selectFrom('runs')
        .select(['id', 'started_at as at'])
        .where('user_id', '=', userId)
        .where('actor_id', '=', actorId)
        .orderBy('started_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()),
    );
  return found
    .toSorted((one, other) => other.at - one.at)
    .slice(0, limit)
    .map(({ id }) => id);
}
