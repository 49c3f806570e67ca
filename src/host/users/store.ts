// Profiles of users in the database, and what they own.
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { EMPTY_USER_PROFILE, type UserProfile } from './profile.ts';

export interface StoredProfile {
  profile: UserProfile;
  /** 0 where nothing was ever said. */
  updatedAt: number;
}

export async function findProfile(db: Db, accountId: string): Promise<StoredProfile> {
  const profiles = await listProfiles(db, [accountId]);
  return profiles.get(accountId) ?? { profile: EMPTY_USER_PROFILE, updatedAt: 0 };
}

/** By account; those who have said nothing are missing. */
export async function listProfiles(
  db: Db,
  accountIds: readonly string[],
): Promise<Map<string, StoredProfile>> {
  if (accountIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('user_profiles')
    .selectAll()
    .where('account_id', 'in', accountIds)
    .execute();
  return new Map(
    rows.map((row) => [
      row.account_id,
      {
        profile: { ...EMPTY_USER_PROFILE, ...(JSON.parse(row.profile) as Partial<UserProfile>) },
        updatedAt: row.updated_at,
      },
    ]),
  );
}

export async function upsertProfile(
  tx: Db,
  accountId: string,
  profile: UserProfile,
  now: number,
): Promise<void> {
  const fields = { profile: JSON.stringify(profile), updated_at: now };
  await tx
    .insertInto('user_profiles')
    .values({ account_id: accountId, ...fields })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(fields))
    .execute();
}

export interface OwnedCounts {
  publicRepositories: number;
  privateRepositories: number;
  sizeKb: number;
}

export async function countRepositoriesOf(db: Db, ownerId: string): Promise<OwnedCounts> {
  const rows = await db
    .selectFrom('repositories')
    .select(({ fn }) => [
      'is_private',
      fn.countAll<number>().as('total'),
      fn.sum<number | string | null>('size_kb').as('size'),
    ])
    .where('owner_id', '=', ownerId)
    .where('deleted_at', 'is', null)
    .groupBy('is_private')
    .execute();
  const countOf = (isPrivate: number) => rows.find((row) => row.is_private === isPrivate)?.total ?? 0;
  return {
    publicRepositories: countOf(0),
    privateRepositories: countOf(1),
    sizeKb: rows.reduce((sum, { size }) => sum + Number(size ?? 0), 0),
  };
}

/** The accounts that the owner's private repositories are shared with; each counts once. */
export async function countPrivateCollaborators(db: Db, ownerId: string): Promise<number> {
  const { total } = await db
    .selectFrom('repositories')
    .innerJoin('collaborators', 'collaborators.repository_number', 'repositories.number')
    .select(({ fn }) => fn.count<number>('collaborators.account_id').distinct().as('total'))
    .where('repositories.owner_id', '=', ownerId)
    .where('repositories.is_private', '=', 1)
    .where('repositories.deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return total;
}

/** Deletes what a user has said, when the account ends. */
export function userRemovalStatements(db: Db, accountId: string): SqlStatement[] {
  return (['user_profiles', 'user_emails', 'user_keys'] as const).map((table) =>
    db.deleteFrom(table).where('account_id', '=', accountId).compile(),
  );
}
