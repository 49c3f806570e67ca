// The records of a key-value store with their types and times, which the list of keys of the Actors API does not have.
import { authorizeReading, openStorage, READ_ACCESS } from '../../actors/storages/access.ts';
import { enforceLimit } from '../../actors/storages/rate-limits.ts';
import { ByReference } from '../../actors/storages/routes.ts';
import { listKeyGroups, listRecordHeads } from '../../actors/key-value-stores/store.ts';
import { countStoreUse } from '../../actors/key-value-stores/store-stats.ts';
import { clampLimit, describeLimit } from '../../kernel/http/reply/page.ts';
import { route } from '../../kernel/http/route.ts';
import { OneOf, PlainText, Type } from '../../kernel/schema/schema.ts';
import { cursorPage } from '../cursor-page.ts';

const KIND = 'key-value-store';
const DEFAULT_LISTED = 100;
const MAX_LISTED = 1000;
/** What people put between the parts of a key. */
const KEY_DELIMITERS = ['-', '_', '.', '!', '(', ')', "'"] as const;
/** Longer than any key. */
const MAX_PREFIX = 256;

const RecordHeadItem = Type.Object(
  {
    key: Type.String(),
    size: Type.Integer({ description: 'In bytes, as it is stored' }),
    contentType: Type.String(),
    etag: Type.String({ description: 'Changes with every write; for the header `If-Match` of the next one' }),
    updatedAt: Type.Integer({ description: 'In epoch milliseconds' }),
  },
  { $id: 'RecordHead' },
);

const listRecordKeys = route(
  {
    id: 'listRecordKeys',
    method: 'GET',
    path: '/key-value-stores/{storageId}/keys',
    summary: 'List the records of a key-value store with their types, in the order of their keys',
    access: READ_ACCESS,
    params: ByReference,
    query: Type.Object({
      prefix: Type.Optional(PlainText({ maxLength: MAX_PREFIX, description: 'What the keys begin with' })),
      cursor: Type.Optional(PlainText({ maxLength: MAX_PREFIX, description: '`next` of the page before' })),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, description: describeLimit(DEFAULT_LISTED, MAX_LISTED) }),
      ),
    }),
    list: RecordHeadItem,
  },
  async (call, kernel) => {
    const { now, params, query } = call;
    const storage = await openStorage(kernel, KIND, 'read', call, { reference: params.storageId });
    await enforceLimit(kernel, 'key_value_store', storage.id, now);
    const limit = clampLimit(query.limit, DEFAULT_LISTED, MAX_LISTED);
    // One more than asked for shows whether there is a next page.
    const found = await listRecordHeads(kernel.db, storage.id, {
      prefixes: [query.prefix ?? ''],
      after: query.cursor,
      limit: limit + 1,
    });
    countStoreUse(kernel, storage, 'lists');
    const items = found.slice(0, limit);
    return cursorPage(items, found.length > limit ? items.at(-1)!.key : undefined);
  },
  authorizeReading(KIND),
);

const KeyGroupItem = Type.Object(
  {
    prefix: Type.Optional(
      Type.String({ description: 'Of several keys: up to and with the delimiter. A record has none' }),
    ),
    record: Type.Optional(RecordHeadItem),
  },
  { $id: 'KeyGroup' },
);

const listKeyGroupsRoute = route(
  {
    id: 'listKeyGroups',
    method: 'GET',
    path: '/key-value-stores/{storageId}/key-groups',
    summary: 'List the records of a key-value store like folders, by a character that its keys have',
    description:
      'Keys that begin with `prefix` and have no `delimiter` after it are records. All others are groups: one for what they have ' +
      'in common up to the next delimiter, which is the prefix to ask for next.',
    access: READ_ACCESS,
    params: ByReference,
    query: Type.Object({
      delimiter: OneOf(KEY_DELIMITERS, { description: 'Keys cannot have slashes' }),
      prefix: Type.Optional(PlainText({ maxLength: MAX_PREFIX, description: 'What the keys begin with' })),
      cursor: Type.Optional(PlainText({ maxLength: MAX_PREFIX, description: '`next` of the page before' })),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, description: describeLimit(DEFAULT_LISTED, MAX_LISTED) }),
      ),
    }),
    list: KeyGroupItem,
  },
  async (call, kernel) => {
    const { now, params, query } = call;
    const storage = await openStorage(kernel, KIND, 'read', call, { reference: params.storageId });
    await enforceLimit(kernel, 'key_value_store', storage.id, now);
    const limit = clampLimit(query.limit, DEFAULT_LISTED, MAX_LISTED);
    const { delimiter, prefix = '', cursor } = query;
    const found = await listKeyGroups(kernel.db, storage.id, {
      prefix,
      delimiter,
      after: cursor,
      limit: limit + 1,
    });
    countStoreUse(kernel, storage, 'lists');
    const items = found.slice(0, limit);
    const last = items.at(-1);
    const next = last !== undefined && found.length > limit ? endOf(last) : undefined;
    return cursorPage(
      items.map((item) => ('prefix' in item ? { prefix: item.prefix } : { record: item })),
      next,
    );
  },
  authorizeReading(KIND),
);

function endOf(item: { prefix: string } | { key: string }): string {
  return 'prefix' in item ? item.prefix : item.key;
}

export const recordKeyRoutes = [listRecordKeys, listKeyGroupsRoute];
