// Actors, tasks, schedules and storages in the search: one's own, and Actors that are public.
import { actorResource } from '../../actors/actors/access.ts';
import { scheduleResource } from '../../actors/schedules/access.ts';
import { isReadableById, storageResource } from '../../actors/storages/access.ts';
import type { StorageKind } from '../../actors/storages/model.ts';
import { taskResource } from '../../actors/tasks/access.ts';
import { listAccounts } from '../../kernel/identity/store-accounts.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { pathOf, type FoundItem } from './model.ts';
import type { SearchSource } from './source.ts';
import {
  readActorRecords,
  readScheduleRecords,
  readStorageRecords,
  readTaskRecords,
  type ActorRecord,
  type OwnedRecord,
  type StorageRecord,
} from './store-actor-records.ts';

/** `username~name` by id, for the paths of pages. */
export async function listActorNames(db: Db, actors: readonly ActorRecord[]): Promise<Map<string, string>> {
  const owners = await listAccounts(
    db,
    actors.map(({ userId }) => userId),
  );
  return new Map(
    actors.map(({ id, key, userId }) => [id, `${owners.get(userId)?.username ?? userId}~${key}`]),
  );
}

const actorSource: SearchSource<ActorRecord> = {
  name: 'actor',
  kinds: ['actor'],
  read: readActorRecords,
  scopesOf: ({ accountId }) => [accountId, 'public'],
  async show({ db, accountId, can }, records) {
    const visible = records.filter((record) =>
      record.userId === accountId ? can(actorResource(record), 'viewActor') : record.isPublic,
    );
    const names = await listActorNames(db, visible);
    return visible.map((record) => {
      const { kind, id, name: title, at } = record;
      const named = names.get(id)!;
      const [owner = '', name = ''] = named.split('~');
      return {
        kind,
        id,
        title,
        detail: `${owner}/${name}`,
        path: pathOf('actors', named),
        resource: actorResource(record),
        at,
      };
    });
  },
};

const taskSource: SearchSource<OwnedRecord> = {
  name: 'task',
  kinds: ['task'],
  read: readTaskRecords,
  scopesOf: ({ accountId }) => [accountId],
  async show({ db, accountId, can }, records) {
    const visible = records.filter(
      (record) => record.userId === accountId && can(taskResource(record), 'viewTask'),
    );
    if (visible.length === 0) return [];
    const actors = await readActorRecords(
      db,
      visible.map(({ actorId = '' }) => actorId),
    );
    const names = await listActorNames(db, actors);
    return visible.map((record) => {
      const { kind, id, key, name: title, at, actorId = '' } = record;
      const actor = names.get(actorId) ?? actorId;
      return {
        kind,
        id,
        title,
        detail: `${key} · ${actor.replace('~', '/')}`,
        path: `tasks?q=${encodeURIComponent(key)}`,
        resource: taskResource(record),
        at,
      };
    });
  },
};

const scheduleSource: SearchSource<OwnedRecord> = {
  name: 'schedule',
  kinds: ['schedule'],
  read: readScheduleRecords,
  scopesOf: ({ accountId }) => [accountId],
  show: ({ accountId, can }, records) =>
    Promise.resolve(
      records
        .filter((record) => record.userId === accountId && can(scheduleResource(record), 'viewSchedule'))
        .map((record): FoundItem => {
          const { kind, id, key, name: title, at } = record;
          const path = `schedules?q=${encodeURIComponent(key)}`;
          return { kind, id, title, detail: key, path, resource: scheduleResource(record), at };
        }),
    ),
};

const STORAGE_PAGES: Record<StorageKind, string> = {
  dataset: 'datasets',
  'key-value-store': 'stores',
  'request-queue': 'queues',
};

const storageSource: SearchSource<StorageRecord> = {
  name: 'storage',
  kinds: ['dataset', 'key-value-store', 'request-queue'],
  read: readStorageRecords,
  scopesOf: ({ accountId }) => [accountId],
  show: ({ accountId, can }, records, isNamed) =>
    Promise.resolve(
      records
        .filter((record) =>
          record.userId === accountId
            ? can(storageResource(record), 'viewStorage')
            : isNamed && isReadableById(record),
        )
        .map((record): FoundItem => {
          const { kind, id, name, storageName, actRunId, at } = record;
          return {
            kind,
            id,
            title: name || id,
            detail: storageName ?? (actRunId === null ? id : `of run ${actRunId}`),
            path: pathOf('storage', STORAGE_PAGES[kind], id),
            resource: `${kind}/${id}`,
            at,
          };
        }),
    ),
};

export const actorSources = [actorSource, taskSource, scheduleSource, storageSource];
