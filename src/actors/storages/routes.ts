// The routes that all kinds of storage share: list, get or create, get, change, delete.
import type { Change } from '../../kernel/change/change.ts';
import { Failure } from '../../kernel/failure.ts';
import { shareLockAccount } from '../../kernel/identity/store-accounts.ts';
import { accountOf, type Caller } from '../../kernel/identity/caller.ts';
import { schedule } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { Page } from '../../kernel/http/reply/page.ts';
import { reply, route, type Route } from '../../kernel/http/route.ts';
import { isLarge } from '../../kernel/json/stringify.ts';
import { Type, type TObject } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { LIST_QUERY, listSliceOf } from '../list-query.ts';
import {
  authorizeReading,
  READ_ACCESS,
  WRITE_ACCESS,
  type StorageCall,
  STORAGE_CHANNEL,
  storageDenied,
  storageNotFound,
  storageResource,
  openStorage,
  KIND_NAMES,
} from './access.ts';
import { checkName, StorageUpdate, type Storage, type StorageKind } from './model.ts';
import { enforceLimit, DEFAULT_LIMIT } from './rate-limits.ts';
import {
  insertStorage,
  deleteStorage,
  findStorage,
  lockStorage,
  isNameTaken,
  listStorages,
  lockNames,
  updateStorage,
} from './store.ts';

/** What differs between the kinds of storages. */
export interface StorageType<Counts> {
  kind: StorageKind;
  /** `/datasets` */
  path: string;
  /** The start of operation ids: `dataset`. */
  id: string;
  Detail: TObject;
  Summary: TObject;
  /** Inserts the kind's own rows for a new storage, in its transaction. */
  insertRows(tx: Db, storage: Storage): Promise<Counts>;
  /** Throws when the storage was deleted meanwhile. */
  findCounts(storage: Storage, kernel: Kernel): Promise<Counts>;
  detail(storage: Storage, counts: Counts, kernel: Kernel, caller: Caller): unknown;
  summaries(storages: Storage[], kernel: Kernel): Promise<unknown[]>;
  /** Throws when the schema of a new storage is not valid. */
  checkSchema?(schema: Record<string, unknown>): void;
}

/** A call about one storage as a whole. */
interface SingleStorageCall extends StorageCall {
  params: { storageId: string };
}

export const PURGE = 'storages.purge';
/** Keys and elements; bounded because every call reads the schema of its storage. */
const MAX_SCHEMA_NODES = 10_000;

function checkSize(schema: object): void {
  if (!isLarge(schema, MAX_SCHEMA_NODES)) return;
  throw new Failure(
    'invalid',
    `The schema has more than ${MAX_SCHEMA_NODES.toLocaleString('en')} keys and elements in all`,
  );
}

/** The path parameter of every kind. */
export const ByReference = Type.Object({
  storageId: Type.String({ description: 'The id, `username~name`, or `~name` for one of your own' }),
});

export function storageRoutes<Counts>(type: StorageType<Counts>): Route[] {
  const { kind, path, id } = type;

  const list = route(
    {
      id: `${id}s_get`,
      method: 'GET',
      path,
      summary: 'List your storages of this kind',
      access: { action: 'viewStorage' },
      query: Type.Object({
        ...LIST_QUERY.properties,
        unnamed: Type.Boolean({ default: false, description: 'Whether unnamed ones are listed too' }),
        ownership: Type.Optional(Type.String({ description: '`ownedByMe` or `sharedWithMe`' })),
      }),
      list: type.Summary,
    },
    async (call, kernel) => {
      const { caller, query } = call;
      if (!call.can(`${kind}/*`)) throw storageDenied(kind);
      const slice = listSliceOf(query);
      const { desc, unnamed } = query;
      // Storages are shared by general access, never with single members.
      if (query.ownership === 'sharedWithMe') return new Page([], 0, slice, desc, { unnamed });
      const filter = { userId: accountOf(caller).id, kind, withUnnamed: unnamed };
      const { items, total } = await listStorages(kernel.db, filter, slice, desc);
      const summaries = await type.summaries(items, kernel);
      return new Page(
        summaries.map((item) => ({ ...(item as object), username: accountOf(caller).username })),
        total,
        slice,
        desc,
        { unnamed },
      );
    },
  );

  const create = route(
    {
      id: `${id}s_post`,
      method: 'POST',
      path,
      summary: 'Get the storage of this name, or create it; without a name a new one',
      access: { action: 'createStorage' },
      query: Type.Object({ name: Type.Optional(Type.String()) }),
      body: Type.Object({ schema: Type.Optional(Type.Record(Type.String(), Type.Unknown())) }),
      bodyIsOptional: true,
      reply: { 201: type.Detail, 200: type.Detail },
    },
    async (call, kernel) => {
      const { caller, now, query } = call;
      if (!call.can(`${kind}/*`)) throw storageDenied(kind);
      const userId = accountOf(caller).id;
      const name = query.name === '' ? undefined : query.name;
      const schema = call.body?.schema;
      if (name !== undefined) checkName(name);
      if (schema !== undefined) checkSize(schema);
      if (schema !== undefined) type.checkSchema?.(schema);
      const find = (db: Db) => (name === undefined ? undefined : findStorage(db, kind, { name }, userId));
      const known = await find(kernel.db);
      // A program or a narrowed token may not get everything that its owner has: the details have signed URLs.
      const checkKnown = (found: Storage) => {
        if (!call.can(storageResource(found), 'viewStorage')) throw storageDenied(kind);
        return found;
      };
      if (known !== undefined) return reply(200, await detailOf(checkKnown(known), kernel, caller));
      const { storage, counts } = await kernel.changes.run(call, async (tx) => {
        const { db } = tx;
        const fresh = {
          kind,
          userId,
          ...(name !== undefined && { name }),
          ...(schema !== undefined && { schema }),
          ...(caller.program && { actRunId: caller.program.id }),
        };
        await shareLockAccount(db, caller);
        if (name !== undefined) await lockNames(db, userId);
        // Another call may have created it meanwhile.
        const other = await find(db);
        if (other !== undefined) return { storage: checkKnown(other) };
        const made = await insertStorage(db, fresh, now);
        const inserted = await type.insertRows(db, made);
        tx.record({ ...changeOf('createStorage', 'created', made), after: shown(made) });
        return { storage: made, counts: inserted };
      });
      const location = `${call.base}${path}/${storage.id}`;
      // What was created is answered so, even if another call deleted it already.
      if (counts !== undefined) return reply(201, type.detail(storage, counts, kernel, caller), { location });
      return reply(200, await detailOf(storage, kernel, caller), { location });
    },
  );

  const get = route(
    {
      id: `${id}_get`,
      method: 'GET',
      path: `${path}/{storageId}`,
      summary: 'Get a storage',
      access: READ_ACCESS,
      params: ByReference,
      reply: { 200: type.Detail },
    },
    async (call, kernel) => {
      const storage = await open(kernel, 'read', call);
      return reply(200, await detailOf(storage, kernel, call.caller));
    },
    authorizeReading(kind),
  );

  const update = route(
    {
      id: `${id}_put`,
      method: 'PUT',
      path: `${path}/{storageId}`,
      summary: "Change a storage's name, title or general access",
      access: WRITE_ACCESS,
      params: ByReference,
      body: StorageUpdate,
      reply: { 200: type.Detail },
    },
    async (call, kernel) => {
      const { caller, now, body } = call;
      const opened = await open(kernel, 'write', call);
      const { name } = body;
      // What was changed is answered so, even if another call deleted it already.
      const counts = await type.findCounts(opened, kernel);
      const after = await kernel.changes.run(call, async (tx) => {
        const { db } = tx;
        if (name != null) await lockNames(db, opened.userId);
        // The opened storage comes from a cache, and may be some seconds old.
        const before = await lockStorage(db, opened.id);
        if (before === undefined) throw storageNotFound(kind, call.params.storageId);
        if (name != null && name !== before.name) {
          checkName(name);
          if (await isNameTaken(db, before, name)) throw nameTaken(name);
        }
        const storage = await updateStorage(db, before.id, body, now);
        await tx.invalidate(STORAGE_CHANNEL);
        tx.record({
          ...changeOf('updateStorage', 'updated', storage),
          before: shown(before),
          after: shown(storage),
        });
        return storage;
      });
      return reply(200, type.detail(after, counts, kernel, caller));
    },
  );

  const remove = route(
    {
      id: `${id}_delete`,
      method: 'DELETE',
      path: `${path}/{storageId}`,
      summary: 'Delete a storage and all it holds',
      access: { action: 'deleteStorage', ofOwner: true },
      params: ByReference,
      reply: { 204: null },
    },
    async (call, kernel) => {
      const { now } = call;
      const storage = await open(kernel, 'write', call);
      if (!call.can(storageResource(storage))) throw storageDenied(kind);
      await kernel.changes.run(call, async (tx) => {
        const { db } = tx;
        const before = await lockStorage(db, storage.id);
        if (before === undefined) throw storageNotFound(kind, call.params.storageId);
        await removeStorage(db, before, now);
        await tx.invalidate(STORAGE_CHANNEL);
        tx.record({ ...changeOf('deleteStorage', 'deleted', before), before: shown(before) });
      });
      return reply(204);
    },
  );

  return [list, create, get, update, remove];

  async function detailOf(storage: Storage, kernel: Kernel, caller: Caller): Promise<unknown> {
    return type.detail(storage, await type.findCounts(storage, kernel), kernel, caller);
  }

  async function open(kernel: Kernel, need: 'read' | 'write', call: SingleStorageCall) {
    const storage = await openStorage(kernel, kind, need, call, { reference: call.params.storageId });
    await enforceLimit(kernel, DEFAULT_LIMIT[kind], storage.id, call.now);
    return storage;
  }
}

/** Deletes the row of the storage now; due work deletes its contents later, in batches. */
export async function removeStorage(
  tx: Db,
  { id, kind }: Storage,
  now: number,
  unusedSince = Infinity,
): Promise<void> {
  if (!(await deleteStorage(tx, id, unusedSince))) return;
  await schedule(
    tx,
    { id: `${PURGE}:${id}`, kind: PURGE, payload: JSON.stringify({ id, kind }), dueAt: now },
    now,
  );
}

function shown({ id, name, title, generalAccess }: Storage) {
  return { id, name, title, generalAccess };
}

function changeOf(action: string, done: string, storage: Storage): Change {
  const { kind, id, name } = storage;
  return {
    accesses: [{ action, resource: storageResource(storage) }],
    kind,
    name: name ?? id,
    verb: `${done} the ${KIND_NAMES[kind]}`,
    ownerId: storage.userId,
  };
}

function nameTaken(name: string): Failure {
  return new Failure('conflict', `You have another storage of the name "${name}", in this case or another`, {
    code: 'name-not-unique',
  });
}
