// Key-value stores: what all storages have, and records: list, archive, read, write, delete.
import type { IncomingMessage } from 'node:http';
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { clampLimit, describeLimit } from '../../kernel/http/reply/page.ts';
import { Bytes, reply, route, Stream, type Call, type Reply } from '../../kernel/http/route.ts';
import { Type } from '../../kernel/schema/schema.ts';
import { userContentHeaders } from '../../kernel/http/reply/user-content.ts';
import {
  authorizeReading,
  READ_ACCESS,
  WRITE_ACCESS,
  type StorageCall,
  maySign,
  openStorage,
} from '../storages/access.ts';
import type { Storage } from '../storages/model.ts';
import { ByReference, storageRoutes, type StorageType } from '../storages/routes.ts';
import { enforceLimit } from '../storages/rate-limits.ts';
import { countTransfer, countUsage } from '../usage/usage-counter.ts';
import { archiveRecords, replyWithRecord } from './record-reply.ts';
import {
  checkKey,
  checkStoreSchema,
  KeyValueStore,
  KeyValueStoreSummary,
  ListOfKeys,
  parseEncoding,
  parseIfMatch,
  parseKeyFilter,
  recordUrl,
  type StoreStats,
  toStoreDetail,
  toStoreSummary,
} from './model.ts';
import { findRecord, listKeys } from './store.ts';
import { insertStore, findStats, countStoreUse } from './store-stats.ts';
import { removeRecord, writeRecord } from './write-record.ts';

const KIND = 'key-value-store';
const PATH = '/key-value-stores';
const MAX_KEYS = 1000;

const type: StorageType<StoreStats> = {
  kind: KIND,
  path: PATH,
  id: 'keyValueStore',
  Detail: KeyValueStore,
  Summary: KeyValueStoreSummary,
  insertRows: (tx, { id, createdAt }) => insertStore(tx, id, createdAt),
  async findCounts({ id }, { services, db }) {
    await services.storeUsage.save();
    return (await findStats(db, [id]))(id);
  },
  detail: (storage, stats, { publicUrl, clock }, caller) =>
    toStoreDetail(storage, stats, { publicUrl, now: clock.now(), maySign: maySign(caller, storage) }),
  async summaries(storages, { db }) {
    const stats = await findStats(
      db,
      storages.map(({ id }) => id),
    );
    return storages.map((storage) => toStoreSummary(storage, stats(storage.id)));
  },
  checkSchema: checkStoreSchema,
};

const Signed = { signature: Type.Optional(Type.String({ description: 'Instead of a token' })) };
const Filtered = {
  ...Signed,
  prefix: Type.Optional(Type.String()),
  collection: Type.Optional(Type.String({ description: "One of the store's schema" })),
};
const ByKey = Type.Object({ ...ByReference.properties, recordKey: Type.String() });

const getKeys = route(
  {
    id: 'keyValueStore_keys_get',
    method: 'GET',
    path: `${PATH}/{storageId}/keys`,
    summary: 'List the keys of a store, in the order of their bytes',
    access: READ_ACCESS,
    params: ByReference,
    query: Type.Object({
      ...Filtered,
      exclusiveStartKey: Type.Optional(Type.String({ description: 'The key before the first' })),
      limit: Type.Optional(Type.Integer({ minimum: 0, description: describeLimit(MAX_KEYS, MAX_KEYS) })),
    }),
    reply: { 200: ListOfKeys },
  },
  async (call, kernel) => {
    const { now, params, query, base } = call;
    const { signature, exclusiveStartKey } = query;
    const storage = await openStorage(kernel, KIND, 'read', call, {
      reference: params.storageId,
      signature,
    });
    await enforceLimit(kernel, 'key_value_store', storage.id, now);
    const filter = parseKeyFilter(storage.schema, query);
    const limit = clampLimit(query.limit, MAX_KEYS, MAX_KEYS);
    // One more than the limit shows whether there is a next page.
    const found = await listKeys(kernel.db, storage.id, {
      ...filter,
      after: exclusiveStartKey,
      limit: limit + 1,
    });
    countStoreUse(kernel, storage, 'lists');
    const items = found.slice(0, limit);
    const isTruncated = found.length > limit;
    return reply(200, {
      items: items.map(({ key, size }) => ({ key, size, recordPublicUrl: recordUrl(base, storage, key) })),
      count: items.length,
      limit,
      isTruncated,
      exclusiveStartKey: exclusiveStartKey ?? null,
      nextExclusiveStartKey: isTruncated ? items.at(-1)!.key : null,
    });
  },
  authorizeReading(KIND, 'signed'),
);

const getRecords = route(
  {
    id: 'keyValueStore_records_get',
    method: 'GET',
    path: `${PATH}/{storageId}/records`,
    isContent: true,
    summary: 'Get all records as a ZIP archive, one file for each key',
    access: READ_ACCESS,
    params: ByReference,
    query: Type.Object(Filtered),
    produces: 'application/zip',
    reply: { 200: Type.String({ format: 'binary' }) },
  },
  async (call, kernel) => {
    const { now, params, query } = call;
    const { signature } = query;
    const storage = await openStorage(kernel, KIND, 'read', call, {
      reference: params.storageId,
      signature,
    });
    await enforceLimit(kernel, 'key_value_store', storage.id, now);
    countStoreUse(kernel, storage, 'lists');
    const content = archiveRecords(kernel, storage.id, parseKeyFilter(storage.schema, query));
    const headers = userContentHeaders('application/zip', `${storage.name ?? storage.id}.zip`);
    return new Stream(countTransfer(kernel, storage, content), headers);
  },
  authorizeReading(KIND, 'signed'),
);

const getRecord = route(
  {
    id: 'keyValueStore_record_get',
    method: 'GET',
    path: `${PATH}/{storageId}/records/{recordKey}`,
    isContent: true,
    summary: 'Get a record with its own content type',
    description:
      'In the encoding in which it was sent when Accept-Encoding admits that, otherwise decoded. Parts by Range. ' +
      'Where large records are in object storage the reply is 302 to a temporary address there.',
    access: READ_ACCESS,
    params: ByKey,
    query: Type.Object({
      ...Signed,
      attachment: Type.Boolean({ default: false, description: 'To be saved as a file rather than shown' }),
    }),
    produces: '*/*',
    reply: {
      200: Type.String({ format: 'binary' }),
      206: Type.String({ format: 'binary' }),
      302: null,
      304: null,
    },
  },
  async (call, kernel) => {
    const { method, params, query, headers } = call;
    const storage = await openRecords(kernel, 'read', call, query.signature);
    const key = params.recordKey;
    let missing: string | undefined;
    for (;;) {
      const record = await findRecord(kernel.db, storage.id, key);
      if (record === undefined) throw new Failure('not-found', `There is no record "${key}"`);
      const answer = await replyWithRecord(kernel, record, { method, headers, attachment: query.attachment });
      if (answer !== undefined) {
        countStoreUse(kernel, storage, 'reads');
        return countContent(kernel, storage, answer);
      }
      // The record was replaced and its blob deleted; the row refers to the new blob by now.
      if (record.etag === missing) throw new Error(`The content of ${storage.id}/${key} is missing`);
      missing = record.etag;
    }
  },
  authorizeReading(KIND, 'signed'),
);

const putShape = {
  path: `${PATH}/{storageId}/records/{recordKey}`,
  summary: 'Write a record of any content type, byte for byte',
  isData: true,
  access: WRITE_ACCESS,
  params: ByKey,
  headers: Type.Object({
    'If-Match': Type.Optional(
      Type.String({
        description:
          'The ETag that was read, in quotes. If the record has another by now, or was deleted, nothing is written and the ' +
          'answer is 409',
      }),
    ),
  }),
  consumes: () => ({ '*/*': Type.String({ format: 'binary' }) }),
  streams: true,
  reply: { 201: Type.Object({}) },
} as const;

async function put(call: Call<typeof putShape & { id: string; method: 'PUT' | 'POST' }>, kernel: Kernel) {
  const { now, params, headers, stream, base } = call;
  const storage = await openRecords(kernel, 'write', call);
  const upload = {
    contentType: headers['content-type']?.toString() ?? 'application/octet-stream',
    encoding: parseEncoding(headers['content-encoding']?.toString()),
    // That of a route with `streams` is the request itself.
    stream: stream as IncomingMessage,
    length: headers['content-length'] === undefined ? undefined : Number(headers['content-length']),
    etag: parseIfMatch(headers['if-match']?.toString()),
  };
  await writeRecord(kernel, storage.id, params.recordKey, upload, now);
  countUsage(kernel, storage, 'KEY_VALUE_STORE_WRITES', 1);
  const location = `${base}${PATH}/${storage.id}/records/${encodeURIComponent(params.recordKey)}`;
  return reply(201, {}, { location });
}

const putRecord = route({ ...putShape, id: 'keyValueStore_record_put', method: 'PUT' }, put);
const postRecord = route({ ...putShape, id: 'keyValueStore_record_post', method: 'POST' }, put);

const deleteRecord = route(
  {
    id: 'keyValueStore_record_delete',
    method: 'DELETE',
    path: `${PATH}/{storageId}/records/{recordKey}`,
    summary: 'Delete a record; succeeds also when there is none',
    isData: true,
    access: WRITE_ACCESS,
    params: ByKey,
    reply: { 204: null },
  },
  async (call, kernel) => {
    const storage = await openRecords(kernel, 'write', call);
    await removeRecord(kernel, storage.id, call.params.recordKey, call.now);
    countUsage(kernel, storage, 'KEY_VALUE_STORE_WRITES', 1);
    return reply(204);
  },
);

function countContent(kernel: Kernel, storage: Storage, answer: Reply | Bytes | Stream) {
  if (answer instanceof Stream) {
    return new Stream(countTransfer(kernel, storage, answer.source), answer.headers, answer.status);
  }
  if (answer instanceof Bytes) {
    countUsage(kernel, storage, 'DATA_TRANSFER_EXTERNAL_GBYTES', answer.bytes.byteLength);
  }
  return answer;
}

interface RecordCall extends StorageCall {
  params: { storageId: string; recordKey: string };
}

/** Opens the store of a call for one record: checks permission, the key and the rate limit. */
async function openRecords(
  kernel: Kernel,
  need: 'read' | 'write',
  call: RecordCall,
  signature?: string,
): Promise<Storage> {
  const { storageId: reference, recordKey: key } = call.params;
  const storage = await openStorage(kernel, KIND, need, call, { reference, signature, key });
  checkKey(key);
  await enforceLimit(kernel, 'key_value_record', storage.id, call.now);
  return storage;
}

export const keyValueStoreRoutes = [
  ...storageRoutes(type),
  getKeys,
  getRecords,
  getRecord,
  putRecord,
  postRecord,
  deleteRecord,
];
