// Key-value stores as clients see them: keys, encodings, ranges, collections and public addresses.
import { Failure } from '../../kernel/failure.ts';
import { Nullable, Type, type Static } from '../../kernel/schema/schema.ts';
import {
  signMessage,
  signStorage,
  STORAGE_FIELDS,
  toStorageFields,
  type Storage,
} from '../storages/model.ts';

const Stats = Type.Object({
  readCount: Type.Integer(),
  writeCount: Type.Integer(),
  deleteCount: Type.Integer(),
  listCount: Type.Integer(),
  storageBytes: Type.Integer(),
  s3StorageBytes: Type.Integer({ description: 'The same: some clients read the one, some the other' }),
});

export interface StoreStats extends Omit<Static<typeof Stats>, 's3StorageBytes'> {
  /** When a record was last written or deleted. */
  modifiedAt: number;
}

export const KeyValueStore = Type.Object(
  {
    ...STORAGE_FIELDS,
    consoleUrl: Type.String(),
    keysPublicUrl: Type.String(),
    recordsPublicUrl: Type.String(),
    schema: Nullable(Type.Record(Type.String(), Type.Unknown())),
    urlSigningSecretKey: Type.Optional(
      Type.String({ description: 'Shown to those who may write and may view the account' }),
    ),
    stats: Stats,
  },
  { $id: 'KeyValueStore' },
);

export const KeyValueStoreSummary = Type.Object(
  { ...STORAGE_FIELDS, stats: Stats },
  { $id: 'KeyValueStoreSummary' },
);

export const ListOfKeys = Type.Object(
  {
    items: Type.Array(
      Type.Object({ key: Type.String(), size: Type.Integer(), recordPublicUrl: Type.String() }),
    ),
    count: Type.Integer(),
    limit: Type.Integer(),
    isTruncated: Type.Boolean(),
    exclusiveStartKey: Nullable(Type.String()),
    nextExclusiveStartKey: Nullable(Type.String()),
  },
  { $id: 'ListOfKeys' },
);

/** How long the signed URLs in the details of a store are valid. */
const SIGNED_URL_MS = 14 * 24 * 60 * 60 * 1000;

export interface DetailContext {
  publicUrl: string;
  now: number;
  maySign: boolean;
}

export function toStoreDetail(
  storage: Storage,
  stats: StoreStats,
  { publicUrl, now, maySign }: DetailContext,
): Static<typeof KeyValueStore> {
  const address = `${publicUrl}/v2/key-value-stores/${storage.id}`;
  const signature = isOpen(storage) ? '' : `?signature=${signStorage(storage, now + SIGNED_URL_MS)}`;
  return {
    ...toStoreSummary(storage, stats),
    consoleUrl: `${publicUrl}/console/storage/stores/${storage.id}`,
    keysPublicUrl: `${address}/keys${signature}`,
    recordsPublicUrl: `${address}/records${signature}`,
    schema: storage.schema,
    ...(maySign && { urlSigningSecretKey: storage.secret }),
  };
}

export function toStoreSummary(storage: Storage, { modifiedAt, ...stats }: StoreStats) {
  return {
    ...toStorageFields({ ...storage, modifiedAt: Math.max(storage.modifiedAt, modifiedAt) }),
    stats: { ...stats, s3StorageBytes: stats.storageBytes },
  };
}

/** The URL at which anyone gets this record without a token. */
export function recordUrl(base: string, storage: Storage, key: string): string {
  const signature = isOpen(storage) ? '' : `?signature=${signMessage(storage.secret, key)}`;
  return `${base}/key-value-stores/${storage.id}/records/${encodeURIComponent(key)}${signature}`;
}

function isOpen({ generalAccess }: Storage): boolean {
  return generalAccess === 'ANYONE_WITH_ID_CAN_READ' || generalAccess === 'ANYONE_WITH_NAME_CAN_READ';
}

const KEY = /^[a-zA-Z0-9!\-_.'()]{1,256}$/;

const KEY_LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** All that keys are made of. */
export const KEY_CHARACTERS = `${KEY_LETTERS}${KEY_LETTERS.toUpperCase()}0123456789!-_.'()`;

export function checkKey(key: string): void {
  if (KEY.test(key)) return;
  throw new Failure('invalid', `A key is made of 1 to 256 letters, digits and the characters !-_.'()`, {
    code: 'invalid-record-key',
  });
}

const ENCODINGS = ['br', 'gzip', 'deflate'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Reads the Content-Encoding of an upload; null means unencoded. */
export function parseEncoding(header: string | undefined): Encoding | null {
  const name = header?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return null;
  if (name === 'x-gzip') return 'gzip';
  const known = ENCODINGS.find((encoding) => encoding === name);
  if (known !== undefined) return known;
  throw new Failure(
    'unsupported-encoding',
    `The content encoding "${header}" is not supported. Use one of: ${ENCODINGS.join(', ')}, identity.`,
  );
}

const ETAG = /^"([\w-]{1,64}?)(?:-decoded)?"$/;

/** The ETag that a record must still have when it is written; undefined where it may have any. */
export function parseIfMatch(header: string | undefined): string | undefined {
  const text = header?.trim() ?? '';
  if (text === '' || text === '*') return undefined;
  const etag = ETAG.exec(text)?.[1];
  if (etag !== undefined) return etag;
  throw new Failure('malformed', 'The header If-Match must be one ETag that was read, in quotes, or *');
}

/** Whether this Accept-Encoding includes the encoding. Without the header only unencoded content is accepted. */
export function acceptsEncoding(header: string | undefined, encoding: Encoding): boolean {
  let others = false;
  for (const part of header?.toLowerCase().split(',') ?? []) {
    const [name, ...parameters] = part.split(';').map((text) => text.trim());
    const isWanted = !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    if (name === encoding || (name === 'x-gzip' && encoding === 'gzip')) return isWanted;
    if (name === '*') others = isWanted;
  }
  return others;
}

/** Which keys a list includes. */
export interface KeyFilter {
  prefixes: string[];
  /** When given, only this key. */
  key?: string;
}

interface Collection {
  key?: unknown;
  keyPrefix?: unknown;
}

function collectionsOf(schema: Record<string, unknown> | null): Record<string, Collection> | undefined {
  const { collections } = schema ?? {};
  return typeof collections === 'object' && collections !== null
    ? (collections as Record<string, Collection>)
    : undefined;
}

export function parseKeyFilter(
  schema: Record<string, unknown> | null,
  { prefix = '', collection }: { prefix?: string; collection?: string },
): KeyFilter {
  if (collection === undefined || collection === '') return { prefixes: [prefix] };
  const collections = collectionsOf(schema) ?? {};
  if (!Object.hasOwn(collections, collection)) {
    throw new Failure('invalid', `The schema of this store has no collection "${collection}"`, {
      code: 'invalid-collection',
    });
  }
  const { key, keyPrefix } = collections[collection]!;
  if (typeof key === 'string') return { prefixes: [prefix], key };
  return { prefixes: [prefix, typeof keyPrefix === 'string' ? keyPrefix : ''] };
}

/** Only the collections of a schema are checked: each must be one key, or all keys with a prefix. */
export function checkStoreSchema(schema: Record<string, unknown>): void {
  if (schema['collections'] === undefined) return;
  const collections = Object.entries(collectionsOf(schema) ?? { collections: null });
  for (const [name, collection] of collections) {
    const { key, keyPrefix } = collection ?? {};
    const isGood =
      typeof key === 'string' ? keyPrefix === undefined : typeof keyPrefix === 'string' && key === undefined;
    if (!isGood)
      throw new Failure('invalid', `The collection "${name}" must have either a key or a keyPrefix`);
  }
}
