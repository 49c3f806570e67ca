// What all storages have in common: names, references, general access and signatures.
import { createHmac } from 'node:crypto';
import { Failure } from '../../kernel/failure.ts';
import { Nullable, OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { isSameSecret } from '../../kernel/secrets/secret.ts';

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
  /** Whether its run is charged for its items; known here, so that pushes to others need not look for the run. */
  chargesItems: boolean;
  createdAt: number;
  modifiedAt: number;
  accessedAt: number;
}

/** The reference in a path: an id, or a name with its owner, by default the caller. */
export type StorageRef = { id: string } | { name: string; owner?: string };

/** Undefined when there is no name after the tilde, or a NUL, which PostgreSQL cannot store. */
export function parseStorageRef(text: string): StorageRef | undefined {
  if (text.includes('\0')) return undefined;
  const tilde = text.indexOf('~');
  if (tilde === -1) return { id: text };
  const [owner, name] = [text.slice(0, tilde), text.slice(tilde + 1)];
  if (name === '') return undefined;
  return owner === '' ? { name } : { name, owner };
}

export const MAX_NAME_LENGTH = 63;
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

/** The body of an update, the same for all kinds. A null name makes the storage unnamed. */
export const StorageUpdate = Type.Object(
  {
    name: Type.Optional(Nullable(Type.String())),
    title: Type.Optional(Nullable(PlainText({ maxLength: 200 }))),
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
 * Lists show the id as the name of unnamed datasets and queues: clients expect a text there. The schema stays nullable, as
 * release 0.1.0 promised.
 */
export const LISTED_NAME = Nullable(Type.String({ description: 'Of an unnamed one its id' }));

export function toListedName<Shown extends { id: string; name: string | null }>(shown: Shown) {
  return { ...shown, name: shown.name ?? shown.id };
}

const BASE62 = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** The platform's signature: 30 hex digits of an HMAC, written in base 62. */
export function signMessage(secret: string, message: string): string {
  let rest = BigInt(`0x${createHmac('sha256', secret).update(message).digest('hex').slice(0, 30)}`);
  let text = '';
  do {
    text = BASE62[Number(rest % 62n)]! + text;
    rest /= 62n;
  } while (rest > 0n);
  return text;
}

/** Signs the whole storage, until a time or for ever: `base64url(0.EXPIRES.HMAC)`. */
export function signStorage({ id, secret }: Storage, expiresAt = 0): string {
  const signature = signMessage(secret, `0.${expiresAt}.${id}`);
  return Buffer.from(`0.${expiresAt}.${signature}`).toString('base64url');
}

/** Whether the signature is valid for the whole storage, or for the record with this key. */
export function isSignedBy(signature: string, storage: Storage, now: number, key?: string): boolean {
  if (key !== undefined && isSameSecret(signature, signMessage(storage.secret, key))) return true;
  const bytes = Buffer.from(signature, 'base64url');
  // Many texts decode to the same bytes; only the canonical one is valid, with padding or without.
  const text = bytes.toString('base64url');
  if (signature !== text && signature !== text.padEnd(Math.ceil(text.length / 4) * 4, '=')) return false;
  const [version, expires = '', mac = ''] = bytes.toString('utf8').split('.');
  if (version !== '0' || !/^\d{1,16}$/.test(expires)) return false;
  if (Number(expires) !== 0 && Number(expires) <= now) return false;
  return isSameSecret(mac, signMessage(storage.secret, `0.${expires}.${storage.id}`));
}
