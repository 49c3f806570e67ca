// Storages as the Actors API has them, and what differs between their three kinds.
import type { QueryValue } from '../../api/call.ts';

/** As addresses of the console name them. */
export const STORAGE_KINDS = ['datasets', 'stores', 'queues'] as const;
export type StorageKind = (typeof STORAGE_KINDS)[number];

/** The path of the API, and the name of the kind in the stream, in policies and in the search. */
export const KIND_OF_API: Readonly<Record<StorageKind, { path: string; topic: string }>> = {
  datasets: { path: '/datasets', topic: 'dataset' },
  stores: { path: '/key-value-stores', topic: 'key-value-store' },
  queues: { path: '/request-queues', topic: 'request-queue' },
};

export type GeneralAccess =
  | 'FOLLOW_USER_SETTING'
  | 'RESTRICTED'
  | 'ANYONE_WITH_ID_CAN_READ'
  | 'ANYONE_WITH_NAME_CAN_READ';

export interface Storage {
  id: string;
  /** Lists show the id of an unnamed one. */
  name: string | null;
  title: string | null;
  userId: string;
  createdAt: string;
  modifiedAt: string;
  accessedAt: string;
  actId: string | null;
  actRunId: string | null;
  generalAccess: GeneralAccess;
  stats: { storageBytes: number };
  /** Of a dataset. */
  itemCount?: number;
  /** Of a queue. */
  totalRequestCount?: number;
  handledRequestCount?: number;
  pendingRequestCount?: number;
}

export interface Dataset extends Storage {
  itemCount: number;
  fields: string[] | null;
  /** Signed where reading needs a token otherwise. */
  itemsPublicUrl: string;
}

export interface Store extends Storage {
  stats: { storageBytes: number; readCount: number; writeCount: number };
}

export interface Queue extends Storage {
  totalRequestCount: number;
  handledRequestCount: number;
  pendingRequestCount: number;
  hadMultipleClients: boolean;
}

export function isKind(text: string | undefined): text is StorageKind {
  return (STORAGE_KINDS as readonly (string | undefined)[]).includes(text);
}

export function isUnnamed({ id, name }: Pick<Storage, 'id' | 'name'>): boolean {
  return name === null || name === id;
}

/** What a person calls it. */
export function titleOf({ id, name, title }: Pick<Storage, 'id' | 'name' | 'title'>): string {
  return title || name || id;
}

export function hrefOf(kind: StorageKind, id: string): string {
  return `/storage/${kind}/${encodeURIComponent(id)}`;
}

const NAME = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/;

export function isStorageName(text: string): boolean {
  return NAME.test(text);
}

export type Query = Readonly<Record<string, QueryValue>>;
