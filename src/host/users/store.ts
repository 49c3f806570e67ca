// Profiles of users, their e-mail addresses and public keys in the database, and what they own.
import { sql, type Selectable } from 'kysely';
import type { Account } from '../../kernel/identity/store-accounts.ts';
import { awaitAll } from '../../kernel/storage/execute-all.ts';
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Slice } from '../../kernel/http/reply/page.ts';
import { countGistsOf } from '../gists/store.ts';
import { EMPTY_USER_PROFILE, type ShownPrivately, type ShownUser, type UserProfile } from './model.ts';
import type { ParsedKey, UserKey } from './key.ts';
import type { UserKeyRow } from './tables.ts';

interface StoredProfile {
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

interface OwnedCounts {
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

export async function readUser(db: Db, account: Account): Promise<ShownUser> {
  const [{ profile, updatedAt }, { publicRepositories }, { publicGists }] = await awaitAll([
    findProfile(db, account.id),
    countRepositoriesOf(db, account.id),
    countGistsOf(db, account.id),
  ]);
  const changedAt = Math.max(account.updatedAt, updatedAt);
  return { account, profile, updatedAt: changedAt, publicRepositories, publicGists };
}

export async function readOwnUser(db: Db, account: Account): Promise<ShownPrivately> {
  const [{ profile, updatedAt }, counts, collaborators, gists] = await awaitAll([
    findProfile(db, account.id),
    countRepositoriesOf(db, account.id),
    countPrivateCollaborators(db, account.id),
    countGistsOf(db, account.id),
  ]);
  const changedAt = Math.max(account.updatedAt, updatedAt);
  return { account, profile, updatedAt: changedAt, ...counts, collaborators, ...gists };
}

/** The oldest first. */
export async function listAddedEmails(db: Db, accountId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('user_emails')
    .select('email')
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('folded_email')
    .execute();
  return rows.map(({ email }) => email);
}

/** Which of the addresses are the primary one of some member, in lower case. */
export async function listPrimaryEmails(db: Db, emails: readonly string[]): Promise<string[]> {
  const folded = sql<string>`lower(email)`;
  const rows = await db
    .selectFrom('members')
    .select(folded.as('address'))
    .where(
      folded,
      'in',
      emails.map((email) => email.toLowerCase()),
    )
    .where('removed_at', 'is', null)
    .execute();
  return rows.map(({ address }) => address);
}

/** The account that has added the address to its primary one. */
export async function findAccountWithAddedEmail(db: Db, email: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('user_emails')
    .select('account_id')
    .where('folded_email', '=', email.toLowerCase())
    .executeTakeFirst();
  return row?.account_id;
}

/** Returns those that were inserted: the others are somebody's. */
export async function insertEmails(
  tx: Db,
  accountId: string,
  emails: readonly string[],
  now: number,
): Promise<string[]> {
  const rows = await tx
    .insertInto('user_emails')
    .values(
      emails.map((email) => ({
        folded_email: email.toLowerCase(),
        account_id: accountId,
        email,
        created_at: now,
      })),
    )
    .onConflict((conflict) => conflict.column('folded_email').doNothing())
    .returning('email')
    .execute();
  return rows.map(({ email }) => email);
}

/** Returns those that were deleted. */
export async function deleteEmails(tx: Db, accountId: string, emails: readonly string[]): Promise<string[]> {
  const rows = await tx
    .deleteFrom('user_emails')
    .where('account_id', '=', accountId)
    .where(
      'folded_email',
      'in',
      emails.map((email) => email.toLowerCase()),
    )
    .returning('folded_email')
    .execute();
  return rows.map((row) => row.folded_email);
}

/** The oldest first. */
export async function listUserKeys(
  db: Db,
  accountId: string,
  { offset, limit }: Slice,
): Promise<{ items: UserKey[]; total: number }> {
  const keys = db.selectFrom('user_keys').where('account_id', '=', accountId);
  const [rows, { total }] = await Promise.all([
    keys.selectAll().orderBy('number').offset(offset).limit(limit).execute(),
    keys.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { items: rows.map(keyFrom), total };
}

export async function findUserKey(db: Db, accountId: string, number: number): Promise<UserKey | undefined> {
  const row = await db
    .selectFrom('user_keys')
    .selectAll()
    .where('number', '=', number)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row && keyFrom(row);
}

/** Undefined where somebody has the key already. */
export async function insertUserKey(
  tx: Db,
  accountId: string,
  { title, publicKey, fingerprint }: Pick<ParsedKey, 'publicKey' | 'fingerprint'> & { title: string },
  now: number,
): Promise<UserKey | undefined> {
  const row = await tx
    .insertInto('user_keys')
    .values({ account_id: accountId, title, public_key: publicKey, fingerprint, created_at: now })
    .onConflict((conflict) => conflict.column('fingerprint').doNothing())
    .returningAll()
    .executeTakeFirst();
  return row && keyFrom(row);
}

export async function deleteUserKey(tx: Db, accountId: string, number: number): Promise<UserKey | undefined> {
  const row = await tx
    .deleteFrom('user_keys')
    .where('number', '=', number)
    .where('account_id', '=', accountId)
    .returningAll()
    .executeTakeFirst();
  return row && keyFrom(row);
}

function keyFrom(row: Selectable<UserKeyRow>): UserKey {
  return { number: row.number, title: row.title, publicKey: row.public_key, createdAt: row.created_at };
}
