// What the pages of storages read and change.
import { path, type Call } from '../../api/call.ts';
import { useRead, type Read } from '../../api/read.ts';
import type { SearchResult } from '../../api/types/signalbox.ts';
import { offsetPage, useListPages } from '../../lib/list-pages.ts';
import { KIND_OF_API, type GeneralAccess, type Storage, type StorageKind } from './storage.ts';

interface ListBody {
  data: { total: number; items: Storage[] };
}

const PAGE = 50;
/** As many as the search gives. */
export const MAX_HITS = 20;
/** Data are written without an event of the stream. */
const FOLLOW_MS = 5000;

const idOf = ({ id }: Storage) => id;

export interface StorageFilter {
  kind: StorageKind;
  /** Those of runs have no name. */
  hasUnnamed: boolean;
  isEnabled: boolean;
}

/** The newest first. */
export function useStorages({ kind, hasUnnamed, isEnabled }: StorageFilter) {
  const { path: at, topic } = KIND_OF_API[kind];
  return useListPages<ListBody, Storage>({
    call: { api: 'actors', path: at, query: { desc: true, unnamed: hasUnnamed || undefined } },
    topics: [topic],
    isEnabled,
    first: 0,
    pageQuery: (offset) => ({ limit: PAGE, offset }),
    toPage: ({ data: { items, total } }, offset) => offsetPage(items, total, offset),
    idOf,
  });
}

/** Those with words that begin so in their names, and the one with this id. */
export function useStorageHits(kind: StorageKind, text: string) {
  const { topic } = KIND_OF_API[kind];
  const q = text.trim();
  return useRead<SearchResult>(
    {
      call: { api: 'signalbox', path: '/search', query: { q, kinds: topic, limit: MAX_HITS } },
      topics: [topic],
    },
    { isEnabled: q !== '', keepsPrevious: true },
  );
}

export function storageRead(kind: StorageKind, id: string): Read {
  const { path: at, topic } = KIND_OF_API[kind];
  return { call: { api: 'actors', path: at + path`/${id}` }, topics: [topic] };
}

/** With `isFollowed` read again and again: what is written to it makes no event. */
export function useStorage<Kind extends Storage = Storage>(
  kind: StorageKind,
  id: string,
  { isFollowed = false } = {},
) {
  const { data, ...rest } = useRead<{ data: Kind }>(storageRead(kind, id), {
    everyMs: isFollowed ? FOLLOW_MS : undefined,
  });
  return { storage: data?.data, ...rest };
}

/** One's own of this name. */
export function namedCall(kind: StorageKind, name: string): Call {
  return { api: 'actors', path: KIND_OF_API[kind].path + path`/~${name}` };
}

export function createCall(kind: StorageKind, name: string): Call {
  return {
    api: 'actors',
    method: 'POST',
    path: KIND_OF_API[kind].path,
    query: { name: name === '' ? undefined : name },
  };
}

export interface StoragePatch {
  name?: string | null;
  title?: string | null;
  generalAccess?: GeneralAccess;
}

export function changeCall(kind: StorageKind, id: string, patch: StoragePatch): Call {
  return { api: 'actors', method: 'PUT', path: KIND_OF_API[kind].path + path`/${id}`, body: patch };
}

export function deleteCall(kind: StorageKind, id: string): Call {
  return { api: 'actors', method: 'DELETE', path: KIND_OF_API[kind].path + path`/${id}` };
}

export function topicsOf(kind: StorageKind): string[] {
  return [KIND_OF_API[kind].topic];
}
