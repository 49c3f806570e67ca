// Gists in the database.
import type { Selectable } from 'kysely';
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { isGistId, type Gist, type GistFile } from './gist.ts';
import type { GistRow } from './tables.ts';

export async function findGist(db: Db, id: string): Promise<Gist | undefined> {
  if (!isGistId(id)) return undefined;
  const row = await db
    .selectFrom('gists')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row && gistFrom(row);
}

export async function findGistByNumber(db: Db, number: number): Promise<Gist | undefined> {
  const row = await db
    .selectFrom('gists')
    .selectAll()
    .where('number', '=', number)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row && gistFrom(row);
}

/** Locks the row until the transaction ends. */
export async function lockGist(tx: Db, number: number): Promise<Gist | undefined> {
  const row = await tx
    .selectFrom('gists')
    .selectAll()
    .where('number', '=', number)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  return row && gistFrom(row);
}

/** The fork of a gist that an account has made first. */
export async function findForkOf(db: Db, parent: number, ownerId: string): Promise<Gist | undefined> {
  const row = await db
    .selectFrom('gists')
    .selectAll()
    .where('parent_number', '=', parent)
    .where('owner_id', '=', ownerId)
    .where('deleted_at', 'is', null)
    .orderBy('number')
    .limit(1)
    .executeTakeFirst();
  return row && gistFrom(row);
}

export type NewGist = Pick<Gist, 'id' | 'ownerId' | 'description' | 'isPublic' | 'parentNumber'>;

/** Nobody finds it until `publishGist`. Returns its number. */
export async function insertGist(tx: Db, fields: NewGist, now: number): Promise<number> {
  const { number } = await tx
    .insertInto('gists')
    .values({
      id: fields.id,
      owner_id: fields.ownerId,
      description: fields.description,
      is_public: Number(fields.isPublic),
      parent_number: fields.parentNumber,
      comment_count: 0,
      star_count: 0,
      fork_count: 0,
      files: '[]',
      head: null,
      revision_count: 0,
      created_at: now,
      updated_at: now,
      deleted_at: now,
    })
    .returning('number')
    .executeTakeFirstOrThrow();
  return number;
}

interface RecordedState {
  head: string;
  files: readonly GistFile[];
  revisionCount: number;
}

/** From then on everybody finds it. Undefined where it was given up meanwhile. */
export async function publishGist(tx: Db, number: number, state: RecordedState): Promise<Gist | undefined> {
  const row = await tx
    .updateTable('gists')
    .set({
      head: state.head,
      files: JSON.stringify(state.files),
      revision_count: state.revisionCount,
      deleted_at: null,
    })
    .where('number', '=', number)
    .where('head', 'is', null)
    .returningAll()
    .executeTakeFirst();
  if (row?.parent_number != null) await addToGistForkCount(tx, row.parent_number, 1);
  return row && gistFrom(row);
}

async function addToGistForkCount(tx: Db, parent: number, difference: 1 | -1): Promise<void> {
  await tx
    .updateTable('gists')
    .set((eb) => ({ fork_count: eb('fork_count', '+', difference) }))
    .where('number', '=', parent)
    .execute();
}

interface GistUpdate {
  state?: RecordedState;
  description?: string | null;
}

/** Fields that are absent stay. */
export async function updateGist(tx: Db, number: number, update: GistUpdate, now: number): Promise<Gist> {
  const { state, description } = update;
  const row = await tx
    .updateTable('gists')
    .set({
      ...(state && {
        head: state.head,
        files: JSON.stringify(state.files),
        revision_count: state.revisionCount,
      }),
      ...(description !== undefined && { description }),
      updated_at: now,
    })
    .where('number', '=', number)
    .returningAll()
    .executeTakeFirstOrThrow();
  return gistFrom(row);
}

/** Gives all gists of an account to another, those too that are being created or removed. */
export async function updateGistOwner(tx: Db, from: string, to: string): Promise<void> {
  await tx.updateTable('gists').set({ owner_id: to }).where('owner_id', '=', from).execute();
}

/** Some of those that an account has. */
export async function listSomeGistNumbersOf(db: Db, ownerId: string, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('gists')
    .select('number')
    .where('owner_id', '=', ownerId)
    .where('deleted_at', 'is', null)
    .limit(limit)
    .execute();
  return rows.map(({ number }) => number);
}

/** False for a member who was removed; who is not removed stays so until the transaction ends. */
export async function shareLockGistOwner(tx: Db, ownerId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('members')
    .select('removed_at')
    .where('id', '=', ownerId)
    .forShare()
    .executeTakeFirst();
  return row === undefined || row.removed_at === null;
}

/** From then on nobody finds it. Background work deletes its folder and then the row. */
export async function markGistDeleted(tx: Db, number: number, now: number): Promise<void> {
  const row = await tx
    .updateTable('gists')
    .set({ deleted_at: now })
    .where('number', '=', number)
    .where('deleted_at', 'is', null)
    .returning('parent_number')
    .executeTakeFirst();
  if (row?.parent_number != null) await addToGistForkCount(tx, row.parent_number, -1);
}

/** Whether it is to be removed, or was never finished. */
export async function isGistDeleted(db: Db, number: number): Promise<boolean> {
  const row = await db
    .selectFrom('gists')
    .select('deleted_at')
    .where('number', '=', number)
    .executeTakeFirst();
  return row === undefined || row.deleted_at !== null;
}

/** With everything that refers to it. */
export async function deleteGistRow(db: Db, number: number): Promise<void> {
  await db.deleteFrom('gists').where('number', '=', number).where('deleted_at', 'is not', null).execute();
}

interface GistCounts {
  publicGists: number;
  secretGists: number;
}

export async function countGistsOf(db: Db, ownerId: string): Promise<GistCounts> {
  const rows = await db
    .selectFrom('gists')
    .select(({ fn }) => ['is_public', fn.countAll<number>().as('total')])
    .where('owner_id', '=', ownerId)
    .where('deleted_at', 'is', null)
    .groupBy('is_public')
    .execute();
  const countOf = (isPublic: number) => rows.find((row) => row.is_public === isPublic)?.total ?? 0;
  return { publicGists: countOf(1), secretGists: countOf(0) };
}

export function gistFrom(row: Selectable<GistRow>): Gist {
  return {
    number: row.number,
    id: row.id,
    ownerId: row.owner_id,
    description: row.description,
    isPublic: row.is_public === 1,
    parentNumber: row.parent_number,
    commentCount: row.comment_count,
    starCount: row.star_count,
    forkCount: row.fork_count,
    files: JSON.parse(row.files) as GistFile[],
    head: row.head ?? '',
    revisionCount: row.revision_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export const DELETE_GISTS_OF = 'host.delete-gists-of';

export async function hasGistWrite(tx: Db, id: string): Promise<boolean> {
  const row = await tx.selectFrom('due').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

/** Belongs into the transaction in which the account ends. */
export function gistRemovalStatement(db: Db, ownerId: string, now: number): SqlStatement {
  const work = {
    id: `${DELETE_GISTS_OF}:${ownerId}`,
    kind: DELETE_GISTS_OF,
    payload: JSON.stringify({ ownerId }),
  };
  return db
    .insertInto('due')
    .values({ ...work, due_at: now, owner: null, attempts: 0, last_error: null, created_at: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .compile();
}
