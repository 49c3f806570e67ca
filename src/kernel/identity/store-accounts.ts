// Accounts: the owners of resources on the actors API and the host. Members, service tokens and bots are accounts.
import { chunk } from '../collections/chunk.ts';
import { Failure } from '../failure.ts';
import type { ChangeTransaction } from '../change/changes.ts';
import { lockName } from '../storage/locks.ts';
import type { Db } from '../storage/tables.ts';
import type { KnownCaller } from './caller.ts';
import { findBotAccount, isBotUsername } from './store-bots.ts';
import { LIBRARY_USERNAME } from './store-reserved-names.ts';
import {
  findMember,
  findOldestOwner,
  listMembersAfter,
  listMembersById,
  type Member,
  type MemberName,
} from './store-members.ts';
import type { BaseRole } from './policy.ts';
import type { Token } from './store-tokens.ts';

/** The account that owns what comes with the program. It has no credentials, and no member can take its name. */
export const LIBRARY_ID = '000000000000000000000001';

/** Its name where a member of an older database has the other one. Usernames of members contain no dot. */
const LIBRARY_OTHER_USERNAME = 'apify.library';

export interface Account extends Omit<Member, 'customRoles'> {
  isService?: true;
  /** A program that an API knows by itself. */
  isBot?: true;
}

/** Usernames of members contain no dot, so these can never collide with them. */
const SUFFIX = '.bot';
const USERNAME = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?\.bot$/;
const MAX_BASE = 32;

/** Above the numbers of members, and within the range of a GraphQL Int. It is the library's own; service tokens follow. */
const FIRST_NUMBER = 1_000_000_000;

/** Mail to it is never delivered: the domain is reserved for examples. */
const MAIL_DOMAIN = 'service.signalbox.example';

type ServiceToken = Pick<Token, 'id' | 'name' | 'role' | 'createdAt' | 'modifiedAt'>;

/** The account of a service token; created with the token, or at the first use of a token of an earlier release. */
export async function ensureServiceAccount(db: Db, token: ServiceToken): Promise<Account> {
  const base = baseOf(token.name);
  for (let first = 1; ;) {
    const known = await db
      .selectFrom('service_accounts')
      .selectAll()
      .where('token_id', '=', token.id)
      .executeTakeFirst();
    if (known !== undefined) return accountFrom(known, token);
    const free = await freeUsername(db, base, first);
    const made = await db
      .insertInto('service_accounts')
      .values({ token_id: token.id, username: free.username })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst();
    if (made !== undefined) return accountFrom(made, token);
    first = free.next;
  }
}

/** Derived from the token's first name: it is part of addresses, so renaming the token does not change it. */
function baseOf(name: string): string {
  const words = name.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '');
  const base = words
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_BASE)
    .replaceAll(/^-+|-+$/g, '');
  return base === '' ? 'service' : base;
}

const CANDIDATES = 50;

/** The first free one of `base.bot`, `base-2.bot` and so on. */
async function freeUsername(
  db: Db,
  base: string,
  first: number,
): Promise<{ username: string; next: number }> {
  for (let start = first; ; start += CANDIDATES) {
    const numbers = Array.from({ length: CANDIDATES }, (_, index) => start + index);
    const nameOf = (number: number) => `${base}${number === 1 ? '' : `-${number}`}${SUFFIX}`;
    const rows = await db
      .selectFrom('service_accounts')
      .select('username')
      .where('username', 'in', numbers.map(nameOf))
      .execute();
    const taken = new Set(rows.map(({ username }) => username));
    const free = numbers.find((number) => !taken.has(nameOf(number)));
    if (free !== undefined) return { username: nameOf(free), next: free + 1 };
  }
}

/** Finds a member, a service token, a bot or the library, but no removed members. */
export async function findAccount(db: Db, by: MemberName): Promise<Account | undefined> {
  if (isLibrary(by)) return await findLibraryAccount(db);
  if (!('username' in by))
    return (await findMember(db, by)) ?? (await findServiceAccount(db, by)) ?? (await findBotAccount(db, by));
  if (isBotUsername(by.username)) return await findBotAccount(db, by);
  if (USERNAME.test(by.username)) return await findServiceAccount(db, by);
  const member = await findMember(db, by);
  // A member of an older database may have the name.
  return member ?? (by.username === LIBRARY_USERNAME ? libraryAccount(LIBRARY_USERNAME) : undefined);
}

/** Whether it names the library and can name nobody else. */
function isLibrary(by: MemberName): boolean {
  if ('id' in by) return by.id === LIBRARY_ID;
  return 'username' in by ? by.username === LIBRARY_OTHER_USERNAME : by.number === FIRST_NUMBER;
}

async function findLibraryAccount(db: Db): Promise<Account> {
  const member = await findMember(db, { username: LIBRARY_USERNAME });
  return libraryAccount(member === undefined ? LIBRARY_USERNAME : LIBRARY_OTHER_USERNAME);
}

function libraryAccount(username: string): Account {
  return {
    id: LIBRARY_ID,
    number: FIRST_NUMBER,
    username,
    email: `${LIBRARY_USERNAME}@${MAIL_DOMAIN}`,
    firstName: 'Signalbox',
    lastName: undefined,
    role: 'no_access',
    createdAt: 0,
    updatedAt: 0,
  };
}

/** By id; those that are gone are missing. */
export async function listAccounts(db: Db, ids: readonly string[]): Promise<Map<string, Account>> {
  const wanted = [...new Set(ids)];
  const accounts = new Map<string, Account>();
  for (const some of chunk(wanted)) {
    for (const member of await listMembersById(db, some)) accounts.set(member.id, member);
  }
  // Few accounts are not members.
  for (const id of wanted.filter((one) => !accounts.has(one))) {
    const account = await findAccount(db, { id });
    if (account !== undefined) accounts.set(id, account);
  }
  return accounts;
}

/** Usernames by token id. */
export async function listServiceUsernames(db: Db): Promise<Map<string, string>> {
  const rows = await db.selectFrom('service_accounts').select(['token_id', 'username']).execute();
  return new Map(rows.map((row) => [row.token_id, row.username]));
}

const ID = /^[0-9a-f]{24}$/;

async function findServiceAccount(db: Db, by: MemberName): Promise<Account | undefined> {
  if ('id' in by && !ID.test(by.id)) return undefined;
  if ('number' in by && by.number <= FIRST_NUMBER) return undefined;
  const row = await selectServiceAccounts(db)
    .where((eb) =>
      'id' in by
        ? eb('token_id', '=', by.id)
        : 'username' in by
          ? eb('username', '=', by.username)
          : eb('number', '=', by.number - FIRST_NUMBER),
    )
    .executeTakeFirst();
  return row && serviceAccountFrom(row);
}

/** Members and service tokens with larger numbers, by number. The library is not among them. */
export async function listAccountsAfter(db: Db, number: number, limit: number): Promise<Account[]> {
  const members = await listMembersAfter(db, number, limit);
  if (members.length >= limit) return members;
  const rows = await selectServiceAccounts(db)
    .where('number', '>', Math.max(0, number - FIRST_NUMBER))
    .orderBy('number')
    .limit(limit - members.length)
    .execute();
  return [...members, ...rows.map(serviceAccountFrom)];
}

function selectServiceAccounts(db: Db) {
  return db
    .selectFrom('service_accounts')
    .innerJoin('tokens', 'tokens.id', 'service_accounts.token_id')
    .select(['number', 'username', 'token_id', 'name', 'role', 'created_at', 'modified_at']);
}

interface ServiceAccountRow {
  number: number;
  username: string;
  token_id: string;
  name: string;
  role: string | null;
  created_at: number;
  modified_at: number;
}

function serviceAccountFrom(row: ServiceAccountRow): Account {
  const { token_id: id, name, role, created_at: createdAt, modified_at: modifiedAt } = row;
  const power = role === null ? {} : { role: role as BaseRole };
  return accountFrom(row, { id, name, createdAt, modifiedAt, ...power });
}

function accountFrom(
  { number, username }: { number: number; username: string },
  token: ServiceToken,
): Account {
  return {
    id: token.id,
    number: FIRST_NUMBER + number,
    username,
    email: `${username}@${MAIL_DOMAIN}`,
    firstName: token.name === '' ? undefined : token.name,
    lastName: undefined,
    role: token.role ?? 'no_access',
    createdAt: token.createdAt,
    updatedAt: token.modifiedAt,
    isService: true,
  };
}

/** For transactions that create a resource of the caller: a token deleted meanwhile must not own it. */
export async function shareLockAccount(tx: Db, { account }: KnownCaller): Promise<void> {
  if (account?.isService !== true) return;
  const held = await tx
    .selectFrom('service_accounts')
    .select('number')
    .where('token_id', '=', account.id)
    .forShare()
    .executeTakeFirst();
  if (held === undefined) throw deletedMeanwhile();
}

/** Transfers everything an account owns to another, in the transaction that deletes the first. */
export type TransferOwnership = (tx: ChangeTransaction, from: Account, to: Account) => Promise<void>;

/** Ends what must not outlive a member, in the transaction that removes them, while they are still there. */
export type EndMember = (tx: ChangeTransaction, member: Account) => Promise<void>;

/**
 * The first lock of every transaction that deletes a token. If two service tokens delete each other, the second must find
 * the first gone instead of leaving its resources to it.
 */
export function lockServiceAccounts(tx: Db): Promise<void> {
  return lockName(tx, 'service-accounts');
}

/**
 * The new owner of a deleted service token's resources: the account that deletes it. If a token deletes itself, or the
 * command line does, it is the member who created it or, if that member was removed, the oldest owner.
 */
export async function findHeir(tx: Db, token: Token, deleter: Account | undefined): Promise<Account> {
  if (deleter !== undefined && deleter.id !== token.id) {
    const living = await findAccount(tx, { id: deleter.id });
    if (living !== undefined) return living;
    throw deletedMeanwhile();
  }
  const heir = (await findMember(tx, { id: token.memberId })) ?? (await findOldestOwner(tx));
  if (heir === undefined) throw new Failure('conflict', 'There is nobody who could own what the token owns');
  return heir;
}

function deletedMeanwhile(): Failure {
  return new Failure('unauthenticated', 'The access token was deleted meanwhile');
}
