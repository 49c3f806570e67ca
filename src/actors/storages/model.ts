// What all storages have in common: names, references, general access and signatures.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Failure } from '../../kernel/failure.ts';
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema.ts';

export type StorageKind = 'dataset' | 'key-value-store' | 'request-queue';

export const GENERAL_ACCESS = [
  'FOLLOW_USER_SETTING',
  'RESTRICTED',
  'ANYONE_WITH_ID_CAN_READ',
  'ANYONE_WITH_NAME_CAN_READ',
] as const;
export type GeneralAccess = (typeof GENERAL_ACCESS)[number];

export interface Storage {
  id: string;
  kind: StorageKind;
  userId: string;
  name: string | null;
  title: string | null;
  generalAccess: GeneralAccess;
  secret: string;
  schema: Record<string, unknown> | null;
  actId: string | null;
  actRunId: string | null;
  createdAt: number;
  modifiedAt: number;
  accessedAt: number;
}

/** How a path names a storage: by id, or by name and owner (the caller's own without one). */
export type Reference = { id: string } | { name: string; owner?: string };

/** Undefined when there is no name behind the tilde, and for what no database has. */
export function parseReference(text: string): Reference | undefined {
  if (text.includes('\0')) return undefined;
  const tilde = text.indexOf('~');
  if (tilde === -1) return { id: text };
  const [owner, name] = [text.slice(0, tilde), text.slice(tilde + 1)];
  if (name === '') return undefined;
  return owner === '' ? { name } : { name, owner };
}

export const MOST_NAME = 63;
const NAME = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/;

export function isName(text: string): boolean {
  return NAME.test(text);
}

export function checkName(name: string): void {
  if (isName(name)) return;
  throw new Failure(
    'invalid',
    `"${name}" cannot be a name: use 1 to 63 letters and digits, with hyphens only inside`,
  );
}

/** The body of an update, the same for all kinds. Null takes a name away. */
export const StorageUpdate = Type.Object(
  {
    name: Type.Optional(Nullable(Type.String())),
    title: Type.Optional(Nullable(Type.String({ maxLength: 200 }))),
    generalAccess: Type.Optional(OneOf(GENERAL_ACCESS)),
  },
  { $id: 'StorageUpdate' },
);
export type StorageChanges = Static<typeof StorageUpdate>;

/** The fields that every kind shows. */
export const STORAGE_FIELDS = {
  id: Type.String(),
  name: Nullable(Type.String()),
  title: Nullable(Type.String()),
  userId: Type.String(),
  username: Type.Optional(Type.String()),
  createdAt: Type.String({ format: 'date-time' }),
  modifiedAt: Type.String({ format: 'date-time' }),
  accessedAt: Type.String({ format: 'date-time' }),
  actId: Nullable(Type.String()),
  actRunId: Nullable(Type.String()),
  generalAccess: OneOf(GENERAL_ACCESS),
};

export function toStorageFields(storage: Storage) {
  const { id, name, title, userId, actId, actRunId, generalAccess } = storage;
  return {
    id,
    name,
    title,
    userId,
    createdAt: new Date(storage.createdAt).toISOString(),
    modifiedAt: new Date(storage.modifiedAt).toISOString(),
    accessedAt: new Date(storage.accessedAt).toISOString(),
    actId,
    actRunId,
    generalAccess,
  };
}

/**
 * In lists of datasets and queues every one has a name: clients read a text there, and null is none. The schema goes on
 * saying what release 0.1.0 promised.
 */
export const LISTED_NAME = Nullable(Type.String({ description: 'Of an unnamed one its id' }));

export function toListedName<Shown extends { id: string; name: string | null }>(shown: Shown) {
  return { ...shown, name: shown.name ?? shown.id };
}

const BASE62 = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** The platform's signature: 30 hex digits of an HMAC, written in base 62. */
export function sign(secret: string, message: string): string {
  let rest = BigInt(`0x${createHmac('sha256', secret).update(message).digest('hex').slice(0, 30)}`);
  let text = '';
  do {
    text = BASE62[Number(rest % 62n)]! + text;
    rest /= 62n;
  } while (rest > 0n);
  return text;
}

/** Signs the whole storage, for a time or for ever: `base64url(0.EXPIRES.HMAC)`. */
export function signStorage({ id, secret }: Storage, expiresAt = 0): string {
  const signature = sign(secret, `0.${expiresAt}.${id}`);
  return Buffer.from(`0.${expiresAt}.${signature}`).toString('base64url');
}

/** Whether the signature opens the storage as a whole, or else just the record with this key. */
export function isSignedBy(signature: string, storage: Storage, now: number, key?: string): boolean {
  if (key !== undefined && isSame(signature, sign(storage.secret, key))) return true;
  const bytes = Buffer.from(signature, 'base64url');
  // Many texts decode to the same bytes; only the one that a client would write is right, with padding or without.
  const text = bytes.toString('base64url');
  if (signature !== text && signature !== text.padEnd(Math.ceil(text.length / 4) * 4, '=')) return false;
  const [version, expires = '', mac = ''] = bytes.toString('utf8').split('.');
  if (version !== '0' || !/^\d{1,16}$/.test(expires)) return false;
  if (Number(expires) !== 0 && Number(expires) <= now) return false;
  return isSame(mac, sign(storage.secret, `0.${expires}.${storage.id}`));
}

function isSame(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
