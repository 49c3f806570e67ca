// Repositories in the database.
import type { Selectable } from 'kysely';
import { buildOnce } from '../../kernel/storage/build-once.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { lockName } from '../../kernel/storage/locks.ts';
import { DEFAULT_REPOSITORY_SETTINGS, type Repository, type RepositorySettings } from './repository.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { deleteRedirect } from './store-redirects.ts';
import type { RepositoryRow } from './tables.ts';

export async function findRepositoryByNumber(db: Db, number: number): Promise<Repository | undefined> {
  if (!Number.isSafeInteger(number)) return undefined;
  const row = await db
    .selectFrom('repositories')
    .selectAll()
    .where('number', '=', number)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row && repositoryFrom(row);
}

/** In whatever case. */
export async function findRepositoryByName(
  db: Db,
  owner: RepositoryOwner,
  name: string,
): Promise<Repository | undefined> {
  const [row] = (await db.executeQuery(selectByName(db, owner.id, foldedName(owner, name)))).rows;
  return row && repositoryFrom(row);
}

const selectByName = buildOnce((db, ownerId: string, folded: string) =>
  db
    .selectFrom('repositories')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('full_name', '=', folded)
    .where('deleted_at', 'is', null),
);

/** By number; those that are gone are missing. */
export async function listRepositoriesByNumber(
  db: Db,
  numbers: readonly number[],
): Promise<Map<number, Repository>> {
  if (numbers.length === 0) return new Map();
  const rows = await db
    .selectFrom('repositories')
    .selectAll()
    .where('number', 'in', numbers)
    .where('deleted_at', 'is', null)
    .execute();
  return new Map(rows.map((row) => [row.number, repositoryFrom(row)]));
}

/** Of one owner, in the order of their numbers. */
export async function listRepositoryNumbers(db: Db, ownerId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('repositories')
    .select('number')
    .where('owner_id', '=', ownerId)
    .where('deleted_at', 'is', null)
    .orderBy('number')
    .execute();
  return rows.map(({ number }) => number);
}

const MAX_NAME_LENGTH = 100;

/** The name itself, or with a number appended. The caller has called `lockRepositoryNames`. */
export async function findFreeRepositoryName(tx: Db, owner: RepositoryOwner, name: string): Promise<string> {
  for (let number = 0; ; number += 1) {
    const ending = number === 0 ? '' : `-${number}`;
    const wanted = name.slice(0, MAX_NAME_LENGTH - ending.length) + ending;
    if ((await findRepositoryByName(tx, owner, wanted)) === undefined) return wanted;
  }
}

/** Locks the row until the transaction ends. */
export async function lockRepository(tx: Db, number: number): Promise<Repository | undefined> {
  const row = await tx
    .selectFrom('repositories')
    .selectAll()
    .where('number', '=', number)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  return row && repositoryFrom(row);
}

/** Locks the names of an owner's repositories until the transaction ends. */
export function lockRepositoryNames(tx: Db, ownerId: string): Promise<void> {
  return lockName(tx, `repository-names:${ownerId}`);
}

export type NewRepository = Pick<
  Repository,
  'name' | 'description' | 'isPrivate' | 'defaultBranch' | 'settings' | 'license'
> &
  Partial<
    Pick<
      Repository,
      'parentNumber' | 'sourceNumber' | 'binding' | 'topics' | 'languages' | 'language' | 'sizeKb'
    >
  > & {
    /** Begins with the references of another repository, which nobody has pushed to it. */
    isCopy?: true;
  };

/** The caller has called `lockRepositoryNames` and checked that the name is free. A former name of it ends. */
export async function insertRepository(
  tx: Db,
  owner: RepositoryOwner,
  fields: NewRepository,
  now: number,
): Promise<Repository> {
  await deleteRedirect(tx, owner.id, fields.name);
  const row = await tx
    .insertInto('repositories')
    .values({
      owner_id: owner.id,
      name: fields.name,
      full_name: foldedName(owner, fields.name),
      description: fields.description,
      is_private: Number(fields.isPrivate),
      is_archived: 0,
      default_branch: fields.defaultBranch,
      settings: JSON.stringify(fields.settings),
      topics: JSON.stringify(fields.topics ?? []),
      languages: JSON.stringify(fields.languages ?? {}),
      language: fields.language ?? null,
      license: fields.license,
      size_kb: fields.sizeKb ?? 0,
      parent_number: fields.parentNumber ?? null,
      source_number: fields.sourceNumber ?? null,
      binding: fields.binding ?? null,
      star_count: 0,
      watch_count: 0,
      fork_count: 0,
      created_at: now,
      updated_at: now,
      pushed_at: now,
      deleted_at: null,
      refs_version: fields.isCopy === true ? 0 : 1,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return repositoryFrom(row);
}

export type RepositoryUpdate = Partial<
  Pick<Repository, 'description' | 'isPrivate' | 'isArchived' | 'defaultBranch' | 'settings' | 'topics'>
> & {
  /** A new name, a new owner, or both. */
  named?: { owner: RepositoryOwner; name: string };
};

/** Fields that are absent stay. */
export async function updateRepository(
  tx: Db,
  number: number,
  { settings, topics, named, ...fields }: RepositoryUpdate,
  now: number,
): Promise<Repository> {
  const row = await tx
    .updateTable('repositories')
    .set({
      ...(named && {
        owner_id: named.owner.id,
        name: named.name,
        full_name: foldedName(named.owner, named.name),
      }),
      ...(fields.description !== undefined && { description: fields.description }),
      ...(fields.isPrivate !== undefined && { is_private: Number(fields.isPrivate) }),
      ...(fields.isArchived !== undefined && { is_archived: Number(fields.isArchived) }),
      ...(fields.defaultBranch !== undefined && { default_branch: fields.defaultBranch }),
      ...(settings && { settings: JSON.stringify(settings) }),
      ...(topics && { topics: JSON.stringify(topics) }),
      updated_at: now,
    })
    .where('number', '=', number)
    .returningAll()
    .executeTakeFirstOrThrow();
  return repositoryFrom(row);
}

/** Unlike a push it leaves the times as they are. */
export async function updateCounts(
  db: Db,
  number: number,
  {
    sizeKb,
    languages,
    license,
  }: { sizeKb: number; languages: Record<string, number>; license: string | null },
): Promise<void> {
  const [largest] = Object.entries(languages).toSorted(([, a], [, b]) => b - a);
  await db
    .updateTable('repositories')
    .set({ size_kb: sizeKb, languages: JSON.stringify(languages), language: largest?.[0] ?? null, license })
    .where('number', '=', number)
    .execute();
}

/**
 * From then on nobody finds it, and it is no longer counted as a fork. Background work deletes its folder and then the
 * row.
 */
export async function markRepositoryDeleted(tx: Db, number: number, now: number): Promise<void> {
  const row = await tx
    .updateTable('repositories')
    .set({ deleted_at: now })
    .where('number', '=', number)
    .where('deleted_at', 'is', null)
    .returning('parent_number')
    .executeTakeFirst();
  if (row?.parent_number != null) await addToForkCount(tx, row.parent_number, -1);
}

/** In the transaction that inserts or deletes the fork. */
export async function addToForkCount(tx: Db, parent: number, difference: 1 | -1): Promise<void> {
  await tx
    .updateTable('repositories')
    .set((eb) => ({ fork_count: eb('fork_count', '+', difference) }))
    .where('number', '=', parent)
    .execute();
}

/** With everything that refers to it. */
export async function deleteRepositoryRow(db: Db, number: number): Promise<void> {
  await db
    .deleteFrom('repositories')
    .where('number', '=', number)
    .where('deleted_at', 'is not', null)
    .execute();
}

function foldedName({ login }: RepositoryOwner, name: string): string {
  return `${login}/${name}`.toLowerCase();
}

export function repositoryFrom(row: Selectable<RepositoryRow>): Repository {
  return {
    number: row.number,
    ownerId: row.owner_id,
    name: row.name,
    description: row.description,
    isPrivate: row.is_private === 1,
    isArchived: row.is_archived === 1,
    defaultBranch: row.default_branch,
    settings: {
      ...DEFAULT_REPOSITORY_SETTINGS,
      ...(JSON.parse(row.settings) as Partial<RepositorySettings>),
    },
    topics: JSON.parse(row.topics) as string[],
    languages: JSON.parse(row.languages) as Record<string, number>,
    language: row.language,
    license: row.license,
    sizeKb: row.size_kb,
    parentNumber: row.parent_number,
    sourceNumber: row.source_number,
    binding: row.binding,
    starCount: row.star_count,
    watchCount: row.watch_count,
    forkCount: row.fork_count,
    openIssueCount: row.open_issue_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    pushedAt: row.pushed_at,
  };
}
