// Storages in the database.
import { sql } from 'kysely';
import { Failure } from '../../kernel/failure.ts';
import { findAccount } from '../../kernel/identity/store-accounts.ts';
import { newId } from '../../kernel/id.ts';
import { newSecret } from '../../kernel/secrets/secret.ts';
import type { Slice } from '../../kernel/http/reply/page.ts';
import { buildOnce, insertOf } from '../../kernel/storage/build-once.ts';
import { lockName } from '../../kernel/storage/locks.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { StorageRow } from './tables.ts';
import type { GeneralAccess, StorageRef, Storage, StorageChanges, StorageKind } from './model.ts';

interface NewStorage {
  /** A new one by default. */
  id?: string;
  kind: StorageKind;
  userId: string;
  name?: string;
  schema?: Record<string, unknown>;
  /** The Actor and the run that it was created for or by. */
  actId?: string;
  actRunId?: string;
  chargesItems?: boolean;
}

/**
 * Locks the names of an account until the transaction ends. A unique index on folded names is impossible, because older
 * releases allowed names that differ only in case.
 */
export function lockNames(tx: Db, userId: string): Promise<void> {
  return lockName(tx, `storage-names:${userId}`);
}

/** For a named storage the caller has called `lockNames` and checked that the name is free. */
const insertRow = insertOf('storages');

export async function insertStorage(
  db: Db,
  { id, kind, userId, name, schema, actId, actRunId, chargesItems = false }: NewStorage,
  now: number,
): Promise<Storage> {
  const row = {
    id: id ?? newId(now),
    kind,
    user_id: userId,
    name: name ?? null,
    title: null,
    general_access: 'FOLLOW_USER_SETTING',
    secret: newSecret('').value,
    schema: schema === undefined ? null : JSON.stringify(schema),
    act_id: actId ?? null,
    act_run_id: actRunId ?? null,
    charges_items: Number(chargesItems),
    created_at: now,
    modified_at: now,
    accessed_at: now,
  };
  await db.executeQuery(insertRow(db, row));
  return storageOf(row);
}

/** Whether another storage of the same kind and owner has this name, in whatever case. */
export async function isNameTaken(
  db: Db,
  { id, kind, userId }: Pick<Storage, 'id' | 'kind' | 'userId'>,
  name: string,
): Promise<boolean> {
  const other = await db
    .selectFrom('storages')
    .select('id')
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('name', 'is not', null)
    .where(foldedName, '=', name.toLowerCase())
    .where('id', '<>', id)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

/** The expression of a partial index, which is used where `name is not null`. Names are ASCII, which both engines fold alike. */
export const foldedName = sql<string>`lower(name)`;

const selectById = buildOnce((db, kind: StorageKind, id: string) =>
  db.selectFrom('storages').selectAll().where('kind', '=', kind).where('id', '=', id),
);

const selectByName = buildOnce((db, kind: StorageKind, userId: string, folded: string, name: string) =>
  db
    .selectFrom('storages')
    .selectAll()
    .where('kind', '=', kind)
    .where('user_id', '=', userId)
    .where('name', 'is not', null)
    .where(foldedName, '=', folded)
    // An exact match first; of names that differ only in case, the oldest.
    .orderBy(sql`case when name = ${name} then 0 else 1 end`)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1),
);

/** `callerId` is the owner where the reference has none. */
export async function findStorage(
  db: Db,
  kind: StorageKind,
  reference: StorageRef,
  callerId: string | undefined,
): Promise<Storage | undefined> {
  if ('id' in reference) {
    const { rows } = await db.executeQuery(selectById(db, kind, reference.id));
    return rows[0] && storageOf(rows[0]);
  }
  const userId = reference.owner === undefined ? callerId : await userIdOf(db, reference.owner);
  if (userId === undefined) return undefined;
  const { name } = reference;
  const { rows } = await db.executeQuery(selectByName(db, kind, userId, name.toLowerCase(), name));
  return rows[0] && storageOf(rows[0]);
}

/** Locks the row until the transaction ends. */
export async function lockStorage(tx: Db, id: string): Promise<Storage | undefined> {
  const row = await tx.selectFrom('storages').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
  return row && storageOf(row);
}

/** Ids win over usernames: nobody chooses an id, but a user may have chosen another's id as username. */
async function userIdOf(db: Db, owner: string): Promise<string | undefined> {
  const account = (await findAccount(db, { id: owner })) ?? (await findAccount(db, { username: owner }));
  return account?.id;
}

/** Without schemas: lists do not show them, and reading a thousand is slow. */
const LIST_COLUMNS = [
  'id',
  'kind',
  'user_id',
  'name',
  'title',
  'general_access',
  'secret',
  'act_id',
  'act_run_id',
  'charges_items',
  'created_at',
  'modified_at',
  'accessed_at',
] as const;

interface StorageFilter {
  userId: string;
  kind: StorageKind;
  /** Lists show named ones only, unless asked for all. */
  withUnnamed: boolean;
}

export async function listStorages(
  db: Db,
  { userId, kind, withUnnamed }: StorageFilter,
  { offset, limit }: Slice,
  desc: boolean,
): Promise<{ items: Storage[]; total: number }> {
  let listed = db.selectFrom('storages').where('user_id', '=', userId).where('kind', '=', kind);
  if (!withUnnamed) listed = listed.where('name', 'is not', null);
  const order = desc ? 'desc' : 'asc';
  const rows = await listed
    .select(LIST_COLUMNS)
    .orderBy('created_at', order)
    .orderBy('id', order)
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await listed
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { items: rows.map((row) => storageOf({ ...row, schema: null })), total };
}

export async function updateStorage(
  db: Db,
  id: string,
  changes: StorageChanges,
  now: number,
): Promise<Storage> {
  const { name, title, generalAccess } = changes;
  const row = await db
    .updateTable('storages')
    .set({
      modified_at: now,
      accessed_at: now,
      ...(name !== undefined && { name }),
      ...(title !== undefined && { title }),
      ...(generalAccess !== undefined && { general_access: generalAccess }),
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw new Failure('not-found', 'The storage is gone');
  return storageOf(row);
}

/** Returns false when it does not exist, or was used since. */
export async function deleteStorage(db: Db, id: string, unusedSince: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('storages')
    .where('id', '=', id)
    .$if(unusedSince !== Infinity, (query) => query.where('accessed_at', '<', unusedSince))
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export async function touchStorage(db: Db, id: string, now: number): Promise<void> {
  await db.updateTable('storages').set({ accessed_at: now }).where('id', '=', id).execute();
}

/** The next account, in the order of ids, that has an unnamed storage. */
export async function findNextOwner(db: Db, after: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('storages')
    .select('user_id')
    .where('name', 'is', null)
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(1)
    .executeTakeFirst();
  return row?.user_id;
}

/** Unnamed storages of an account that were last used before `since`; oldest first. */
export async function listUnused(db: Db, userId: string, since: number, limit: number): Promise<Storage[]> {
  const rows = await db
    .selectFrom('storages')
    .select(LIST_COLUMNS)
    .where('name', 'is', null)
    .where('user_id', '=', userId)
    .where('accessed_at', '<', since)
    .orderBy('accessed_at')
    .limit(limit)
    .execute();
  return rows.map((row) => storageOf({ ...row, schema: null }));
}

function storageOf(row: StorageRow): Storage {
  return {
    id: row.id,
    kind: row.kind as StorageKind,
    userId: row.user_id,
    name: row.name,
    title: row.title,
    generalAccess: row.general_access as GeneralAccess,
    secret: row.secret,
    schema: row.schema === null ? null : (JSON.parse(row.schema) as Record<string, unknown>),
    actId: row.act_id,
    actRunId: row.act_run_id,
    chargesItems: row.charges_items === 1,
    createdAt: row.created_at,
    modifiedAt: row.modified_at,
    accessedAt: row.accessed_at,
  };
}
