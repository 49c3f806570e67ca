// Requests and queues: their schemas, how a request gets its id, and what of it is stored where.
import { hash } from 'node:crypto';
import { Failure } from '../../kernel/failure.ts';
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema.ts';
import { STORAGE_FIELDS, toStorageFields, type Storage } from '../storages/model.ts';

export const MOST_IN_BATCH = 25;
export const MOST_LOCKED = 25;
export const MOST_IN_HEAD = 1000;
export const MOST_LISTED = 10_000;

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'] as const;

/** Any object. Its members are the user's own, and are not looked at. */
const AnyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object' });
const DateTime = Type.String({ format: 'date-time' });

const OPTIONAL_FIELDS = {
  method: Type.Optional(OneOf(METHODS)),
  retryCount: Type.Optional(Type.Integer({ minimum: 0 })),
  loadedUrl: Type.Optional(Nullable(Type.String())),
  payload: Type.Optional(Type.Union([Type.String(), AnyObject, Type.Null()])),
  headers: Type.Optional(Nullable(AnyObject)),
  userData: Type.Optional(AnyObject),
  noRetry: Type.Optional(Nullable(Type.Boolean())),
  errorMessages: Type.Optional(Nullable(Type.Array(Type.String()))),
  handledAt: Type.Optional(Nullable(DateTime)),
};

export const NewRequest = Type.Object(
  {
    id: Type.Optional(
      Type.String({ description: 'Follows from the uniqueKey; one that does not is refused' }),
    ),
    uniqueKey: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Two requests with the same one are the same; from the URL when absent',
      }),
    ),
    url: Type.Optional(Type.String({ minLength: 1 })),
    ...OPTIONAL_FIELDS,
  },
  { $id: 'RequestDraft' },
);
export type NewRequest = Static<typeof NewRequest>;

export const ChangedRequest = Type.Object(
  {
    id: Type.String(),
    uniqueKey: Type.String({ minLength: 1 }),
    url: Type.String({ minLength: 1 }),
    ...OPTIONAL_FIELDS,
  },
  { $id: 'RequestUpdate' },
);

export const QueueRequest = Type.Object(
  {
    id: Type.String(),
    uniqueKey: Type.String(),
    url: Type.Optional(Type.String()),
    ...OPTIONAL_FIELDS,
    lockByClient: Type.Optional(Type.String()),
    lockExpiresAt: Type.Optional(DateTime),
  },
  { $id: 'Request' },
);
export type QueueRequest = Static<typeof QueueRequest>;

export const Registration = Type.Object(
  {
    requestId: Type.String(),
    wasAlreadyPresent: Type.Boolean(),
    wasAlreadyHandled: Type.Boolean(),
  },
  { $id: 'RequestRegistration' },
);
export type Registration = Static<typeof Registration>;

const Unprocessed = Type.Object({
  id: Type.Optional(Type.String()),
  uniqueKey: Type.Optional(Type.String()),
  url: Type.Optional(Type.String()),
  method: Type.Optional(Type.String()),
});
export type Unprocessed = Static<typeof Unprocessed>;

export const BatchAdded = Type.Object(
  {
    processedRequests: Type.Array(Type.Object({ ...Registration.properties, uniqueKey: Type.String() })),
    unprocessedRequests: Type.Array(Unprocessed),
  },
  { $id: 'BatchAddResult' },
);

/** One of the two is enough. */
export const RequestName = Type.Object({
  id: Type.Optional(Type.String({ minLength: 1 })),
  uniqueKey: Type.Optional(Type.String({ minLength: 1 })),
});
export type RequestName = Static<typeof RequestName>;

export const BatchDeleted = Type.Object(
  {
    processedRequests: Type.Array(
      Type.Object({ id: Type.String(), uniqueKey: Type.Optional(Type.String()) }),
    ),
    unprocessedRequests: Type.Array(Unprocessed),
  },
  { $id: 'BatchDeleteResult' },
);

export const HeadItem = Type.Object({
  id: Type.String(),
  uniqueKey: Type.String(),
  url: Type.Optional(Type.String()),
  method: OneOf(METHODS),
  retryCount: Type.Integer(),
});
export type HeadItem = Static<typeof HeadItem>;

const MOST_LOCK_SECS = 1_000_000_000;

export const LockSecs = Type.Number({
  exclusiveMinimum: 0,
  maximum: MOST_LOCK_SECS,
  description: 'How long the lock holds, in seconds',
});

const HEAD_FIELDS = {
  limit: Type.Integer(),
  queueModifiedAt: DateTime,
  hadMultipleClients: Type.Boolean({ description: 'Whether more than one client ever used the queue' }),
};

export const Head = Type.Object({ ...HEAD_FIELDS, items: Type.Array(HeadItem) }, { $id: 'RequestQueueHead' });

export const LockedHead = Type.Object(
  {
    ...HEAD_FIELDS,
    lockSecs: Type.Number(),
    queueHasLockedRequests: Type.Boolean(),
    clientKey: Type.Optional(Type.String()),
    items: Type.Array(Type.Object({ ...HeadItem.properties, lockExpiresAt: DateTime })),
  },
  { $id: 'LockedRequestQueueHead' },
);

export const RequestList = Type.Object(
  {
    items: Type.Array(QueueRequest),
    limit: Type.Integer(),
    cursor: Type.Optional(Type.String()),
    nextCursor: Type.Optional(Type.String({ description: 'Absent on the last page' })),
    exclusiveStartId: Type.Optional(Type.String()),
  },
  { $id: 'RequestList' },
);

const QUEUE_FIELDS = {
  ...STORAGE_FIELDS,
  totalRequestCount: Type.Integer(),
  handledRequestCount: Type.Integer(),
  pendingRequestCount: Type.Integer(),
  hadMultipleClients: Type.Boolean(),
  stats: Type.Object({
    readCount: Type.Integer(),
    writeCount: Type.Integer(),
    deleteCount: Type.Integer(),
    headItemReadCount: Type.Integer(),
  }),
};

export const RequestQueue = Type.Object(
  { ...QUEUE_FIELDS, consoleUrl: Type.String() },
  { $id: 'RequestQueue' },
);
export const QueueSummary = Type.Object(QUEUE_FIELDS, { $id: 'RequestQueueSummary' });

/** What is kept of a queue beside its storage. */
interface QueueCounts {
  total: number;
  handled: number;
  modified_at: number;
  had_multiple_clients: number;
  read_count: number;
  write_count: number;
  delete_count: number;
  head_item_read_count: number;
}

export function toQueueSummary(storage: Storage, row: QueueCounts): Static<typeof QueueSummary> {
  return {
    ...toStorageFields({ ...storage, modifiedAt: Math.max(storage.modifiedAt, row.modified_at) }),
    totalRequestCount: row.total,
    handledRequestCount: row.handled,
    pendingRequestCount: row.total - row.handled,
    hadMultipleClients: row.had_multiple_clients === 1,
    stats: {
      readCount: row.read_count,
      writeCount: row.write_count,
      deleteCount: row.delete_count,
      headItemReadCount: row.head_item_read_count,
    },
  };
}

/** The id that clients reckon with as well: 15 letters and digits of a hash. */
export function requestIdOf(uniqueKey: string): string {
  return hash('sha256', uniqueKey, 'base64').replaceAll(/[+/=]/g, '').slice(0, 15);
}

export function isRequestId(text: string): boolean {
  return /^[A-Za-z0-9]{15}$/.test(text);
}

/** What tells URLs apart in crawling: no fragment, no campaign parameters, no slash at the end, and the query in order. */
export function uniqueKeyOf(url: string): string {
  const parsed = URL.parse(url.trim());
  if (parsed === null) return url;
  const { searchParams, protocol, host, pathname } = parsed;
  for (const name of new Set(searchParams.keys())) if (name.startsWith('utm_')) searchParams.delete(name);
  searchParams.sort();
  const query = searchParams.toString();
  return `${protocol}//${host}${pathname.replace(/\/$/, '')}${query === '' ? '' : `?${query}`}`;
}

/** A request as it is written: what the head shows and the rest as JSON, so that any text there is survives any engine. */
export interface Entry {
  id: string;
  uniqueKey: string;
  forefront: boolean;
  handledAt: number | null;
  head: string;
  rest: string | null;
}

export function toEntry(request: NewRequest, forefront: boolean): Entry {
  const { id, url, uniqueKey = url === undefined ? undefined : uniqueKeyOf(url) } = request;
  if (uniqueKey === undefined) throw invalid('A request needs a url or a uniqueKey');
  if (!isPlain(uniqueKey)) throw invalid('uniqueKey must be text without NUL and half characters');
  if (url !== undefined && !isPlain(url)) throw invalid('url must be text without NUL and half characters');
  const derived = requestIdOf(uniqueKey);
  if (id !== undefined && id !== derived) {
    throw new Failure('invalid', `The id "${id}" does not belong to the uniqueKey "${uniqueKey}"`, {
      code: 'request-id-invalid',
    });
  }
  const { method = 'GET', retryCount = 0, handledAt } = request;
  return {
    id: derived,
    uniqueKey,
    forefront,
    handledAt: handledAt == null ? null : parseTime(handledAt),
    head: JSON.stringify({ uniqueKey, url, method, retryCount }),
    rest: restOf(request),
  };
}

/** Null means the same as absent: clients that read a request back take no null where they sent none. */
function restOf({
  loadedUrl,
  payload,
  headers,
  userData,
  noRetry,
  errorMessages,
}: NewRequest): string | null {
  const rest = {
    loadedUrl: loadedUrl ?? undefined,
    payload: payload ?? undefined,
    headers: headers ?? undefined,
    userData,
    noRetry: noRetry ?? undefined,
    errorMessages: errorMessages ?? undefined,
  };
  const text = JSON.stringify(rest);
  return text === '{}' ? null : text;
}

/** Two keys with different halves of a character would become the same bytes, and so the same request. */
function isPlain(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

const ISO_TIME = /^[+-]?\d{4,6}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/i;

function parseTime(text: string): number {
  const time = Date.parse(text);
  if (!ISO_TIME.test(text) || Number.isNaN(time))
    throw invalid('handledAt must be a date and time in ISO 8601');
  return time;
}

/** A request as it is read. */
export interface StoredRequest {
  id: string;
  head: string;
  rest: string | null;
  handled_at: number | null;
  lock_until: number;
  locked_by: string | null;
}

export function toRequest(stored: StoredRequest, now: number): QueueRequest {
  const { rest, handled_at: handledAt, lock_until: lockUntil, locked_by: lockedBy } = stored;
  return {
    ...toHeadItem(stored),
    ...(rest !== null && (JSON.parse(rest) as object)),
    ...(handledAt !== null && { handledAt: toIso(handledAt) }),
    ...(lockUntil > now && { lockExpiresAt: toIso(lockUntil), ...(lockedBy && { lockByClient: lockedBy }) }),
  };
}

export function toHeadItem({ id, head }: Pick<StoredRequest, 'id' | 'head'>): HeadItem {
  return { id, ...(JSON.parse(head) as Omit<HeadItem, 'id'>) };
}

export function toIso(time: number): string {
  return new Date(time).toISOString();
}

/** Which client calls; an empty text stands for one that does not say. */
export function checkClientKey(clientKey: string | undefined): string {
  if (clientKey === undefined) return '';
  const length = clientKey.length > 64 ? Infinity : [...clientKey].length;
  if (length >= 1 && length <= 32) return clientKey;
  throw new Failure('invalid', 'The clientKey must have 1 to 32 characters', { code: 'invalid-client-key' });
}

/** Where a page of the list begins: behind an id, or behind a place in the order of the queue. */
export type Cursor = { afterId: string } | { afterOrder: number };

export function encodeCursor(cursor: Cursor): string {
  const text = 'afterId' in cursor ? `id:${cursor.afterId}` : `order:${cursor.afterOrder}`;
  return Buffer.from(text).toString('base64url');
}

/** A cursor of one kind of list is not one of the other. */
export function decodeCursor(text: string, kind: 'id' | 'order'): Cursor {
  const [name, value = ''] = Buffer.from(text, 'base64url').toString('utf8').split(':', 2);
  if (name === kind && kind === 'id' && isRequestId(value)) return { afterId: value };
  if (name === kind && kind === 'order' && /^-?\d{1,15}$/.test(value)) return { afterOrder: Number(value) };
  throw invalid('The cursor is not one that this list gave');
}

function invalid(message: string): Failure {
  return new Failure('invalid', message);
}
