// Requests and queues as the API shows them.
import { Failure } from '../../kernel/failure.ts';
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import { LISTED_NAME, STORAGE_FIELDS, toStorageFields, type Storage } from '../storages/model.ts';

export const MAX_BATCH = 25;
export const MAX_LOCKED = 25;
export const MAX_HEAD = 1000;
export const MAX_LISTED = 10_000;

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'] as const;

/** Any object: its members are the user's own, and are not checked. */
const AnyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object' });
const DateTime = Type.String({ format: 'date-time' });

/** Bounded, because every reply about the head contains them. */
const SHORT = { minLength: 1, maxLength: 65_536 };

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
    url: Type.Optional(Type.String(SHORT)),
    ...OPTIONAL_FIELDS,
  },
  { $id: 'RequestDraft' },
);
export type NewRequest = Static<typeof NewRequest>;

export const RequestUpdate = Type.Object(
  {
    id: Type.String(),
    uniqueKey: Type.String(SHORT),
    url: Type.String(SHORT),
    ...OPTIONAL_FIELDS,
  },
  { $id: 'RequestUpdate' },
);

export const QueueRequest = Type.Object(
  {
    id: Type.String(),
    uniqueKey: Type.String(),
    url: Type.String(),
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

export const BatchAddResult = Type.Object(
  {
    processedRequests: Type.Array(Type.Object({ ...Registration.properties, uniqueKey: Type.String() })),
    unprocessedRequests: Type.Array(
      Type.Object({
        id: Type.String(),
        uniqueKey: Type.String(),
        url: Type.String(),
        method: Type.Optional(OneOf(METHODS)),
      }),
    ),
  },
  { $id: 'BatchAddResult' },
);

/** At least one of the two is required. */
export const RequestRef = Type.Object({
  id: Type.Optional(Type.String(SHORT)),
  uniqueKey: Type.Optional(Type.String(SHORT)),
});
export type RequestRef = Static<typeof RequestRef>;

export const BatchDeleteResult = Type.Object(
  {
    processedRequests: Type.Array(Type.Object({ uniqueKey: Type.String(), id: Type.String() })),
    unprocessedRequests: Type.Array(
      Type.Object({
        id: Type.String(),
        uniqueKey: Type.String(),
        url: Type.String(),
        method: OneOf(METHODS),
      }),
    ),
  },
  { $id: 'BatchDeleteResult' },
);

export const HeadItem = Type.Object({
  id: Type.String(),
  uniqueKey: Type.String(),
  url: Type.String(),
  method: OneOf(METHODS),
  retryCount: Type.Integer(),
});
export type HeadItem = Static<typeof HeadItem>;

const MAX_LOCK_SECS = 1_000_000_000;

export const LockSecs = Type.Number({
  exclusiveMinimum: 0,
  maximum: MAX_LOCK_SECS,
  description: 'How long the lock holds, in seconds',
});

const HEAD_FIELDS = {
  limit: Type.Integer(),
  queueModifiedAt: DateTime,
  hadMultipleClients: Type.Boolean({ description: 'Whether more than one client ever used the queue' }),
};

export const QueueHead = Type.Object(
  { ...HEAD_FIELDS, items: Type.Array(HeadItem) },
  { $id: 'RequestQueueHead' },
);

export const LockedQueueHead = Type.Object(
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
    storageBytes: Type.Integer(),
  }),
};

export const RequestQueue = Type.Object(
  { ...QUEUE_FIELDS, consoleUrl: Type.String() },
  { $id: 'RequestQueue' },
);
export const QueueSummary = Type.Object(
  { ...QUEUE_FIELDS, name: LISTED_NAME },
  { $id: 'RequestQueueSummary' },
);

/** The counters of a queue. */
interface QueueCounts {
  total: number;
  handled: number;
  modified_at: number;
  had_multiple_clients: number;
  read_count: number;
  write_count: number;
  delete_count: number;
  head_item_read_count: number;
  bytes: number;
}

export function toQueueSummary(storage: Storage, row: QueueCounts) {
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
      storageBytes: row.bytes,
    },
  };
}

/** Returns the key of the calling client, or an empty text for a client without one. */
export function checkClientKey(clientKey: string | undefined): string {
  if (clientKey === undefined) return '';
  const length = clientKey.length > 64 ? Infinity : [...clientKey].length;
  if (length >= 1 && length <= 32) return clientKey;
  throw new Failure('invalid', 'The clientKey must have 1 to 32 characters', { code: 'invalid-client-key' });
}
