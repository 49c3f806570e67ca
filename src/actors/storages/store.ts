// Storages in the database: make, find, list, change, and remember that they were used.
import { sql } from 'kysely';
import { Failure } from '../../kernel/failure.ts';
import { findAccount } from '../../kernel/identity/store-accounts.ts';
import { newId } from '../../kernel/id.ts';
import { newSecret } from '../../kernel/identity/secret.ts';
import type { Slice } from '../../kernel/page.ts';
import { lockName } from '../../kernel/storage/locks.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { StorageRow } from '../tables.ts';
import type { GeneralAccess, Reference, Storage, StorageChanges, StorageKind } from './model.ts';

export interface NewStorage {
  kind: StorageKind;
  userId: string;
  name?: string;
  schema?: Record<string, unknown>;
}

/**
 * Held by whoever gives a storage a name, until the transaction ends: no index can see to it that new names differ in more
 * than case, as old ones may not.
 */
export function lockNames(tx: Db, userId: string): Promise<void> {
  return lockName(tx, `storage-names:${userId}`);
}

/** Where it gets a name, the caller holds the names and knows that this one is free. */
export async function createStorage(
  db: Db,
  { kind, userId, name, schema }: NewStorage,
  now: number,
): Promise<Storage> {
  const row = await db
    .insertInto('storages')
    .values({
      id: newId(now),
      kind,
      user_id: userId,
      name: name ?? null,
      title: null,
      general_access: 'FOLLOW_USER_SETTING',
      secret: newSecret('').value,
      schema: schema === undefined ? null : JSON.stringify(schema),
      act_id: null,
      act_run_id: null,
      created_at: now,
      modified_at: now,
      accessed_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
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

/** `callerId` stands for the owner where the reference names none. */
export async function findStorage(
  db: Db,
  kind: StorageKind,
  reference: Reference,
  callerId: string | undefined,
): Promise<Storage | undefined> {
  const query = db.selectFrom('storages').selectAll().where('kind', '=', kind);
  if ('id' in reference) {
    const row = await query.where('id', '=', reference.id).executeTakeFirst();
    return row && storageOf(row);
  }
  const userId = reference.owner === undefined ? callerId : await userIdOf(db, reference.owner);
  if (userId === undefined) return undefined;
  const { name } = reference;
  const row = await query
    .where('user_id', '=', userId)
    .where('name', 'is not', null)
    .where(foldedName, '=', name.toLowerCase())
    // The name as it is written first; of others that differ only in case the oldest.
    .orderBy(sql`case when name = ${name} then 0 else 1 end`)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row && storageOf(row);
}

/** Nobody else changes it before the transaction ends. */
export async function holdStorage(tx: Db, id: string): Promise<Storage | undefined> {
  const row = await tx.selectFrom('storages').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
  return row && storageOf(row);
}

/** As its index has it, which is used where the name is said not to be null. Names have no other letters than those of ASCII, which every engine folds alike. */
export const foldedName = sql<string>`lower(name)`;

/** The id comes first: nobody chooses an id, but somebody may have chosen another's id for a username. */
async function userIdOf(db: Db, owner: string): Promise<string | undefined> {
  const account = (await findAccount(db, { id: owner })) ?? (await findAccount(db, { username: owner }));
  return account?.id;
}

/** Without schemas: no list tells them, and to read a thousand takes long. */
const LISTED = [
  'id',
  'kind',
  'user_id',
  'name',
  'title',
  'general_access',
  'secret',
  'act_id',
  'act_run_id',
  'created_at',
  'modified_at',
  'accessed_at',
] as const;

export interface StorageFilter {
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
    .select(LISTED)
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

/** False when it was gone, or was used since. */
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

/** Unnamed storages of an account that nobody has used since; oldest first. */
export async function listUnused(db: Db, userId: string, since: number, limit: number): Promise<Storage[]> {
  const rows = await db
    .selectFrom('storages')
    .select(LISTED)
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
    createdAt: row.created_at,
    modifiedAt: row.modified_at,
    accessedAt: row.accessed_at,
  };
}
