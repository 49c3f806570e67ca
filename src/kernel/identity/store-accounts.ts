// Accounts: who owns things on the actors API and the host. A member is one, and so is every service token.
import { Failure } from '../failure.ts';
import type { ChangeTransaction } from '../change/changes.ts';
import { lockName } from '../storage/locks.ts';
import type { Db } from '../storage/tables.ts';
import type { KnownCaller } from './caller.ts';
import { findMember, findOldestOwner, type Member, type MemberName } from './store-members.ts';
import type { BaseRole } from './policy.ts';
import type { Token } from './store-tokens.ts';

export interface Account extends Omit<Member, 'customRoles'> {
  isService?: true;
}

/** No member's username has a dot, so that the two can never be the same. */
const SUFFIX = '.bot';
const USERNAME = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?\.bot$/;
const MAX_BASE = 32;

/** Above the numbers of members, and still what GraphQL calls an Int. */
const FIRST_NUMBER = 1_000_000_000;

/** Mail to it goes nowhere: the domain is reserved for examples. */
const MAIL_DOMAIN = 'service.signalbox.example';

type ServiceToken = Pick<Token, 'id' | 'name' | 'role' | 'createdAt' | 'modifiedAt'>;

/** The account of a service token; made with the token, or when a token of an earlier release is first used. */
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

/** From the token's name at the time: what it owns is addressed by it, so that it does not change with the name. */
function baseOf(name: string): string {
  const words = name.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '');
  const base = words
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_BASE)
    .replaceAll(/^-+|-+$/g, '');
  return base === '' ? 'service' : base;
}

const CANDIDATES = 50;

/** The first of `base.bot`, `base-2.bot` and so on that nobody has. */
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

/** A member or a service token; members who were removed are not found. */
export async function findAccount(db: Db, by: MemberName): Promise<Account | undefined> {
  if ('username' in by) {
    return USERNAME.test(by.username) ? findServiceAccount(db, by) : findMember(db, by);
  }
  return (await findMember(db, by)) ?? (await findServiceAccount(db, by));
}

/** By the ids of their tokens. */
export async function listServiceUsernames(db: Db): Promise<Map<string, string>> {
  const rows = await db.selectFrom('service_accounts').select(['token_id', 'username']).execute();
  return new Map(rows.map((row) => [row.token_id, row.username]));
}

const ID = /^[0-9a-f]{24}$/;

async function findServiceAccount(db: Db, by: MemberName): Promise<Account | undefined> {
  if ('id' in by && !ID.test(by.id)) return undefined;
  if ('number' in by && by.number <= FIRST_NUMBER) return undefined;
  const row = await db
    .selectFrom('service_accounts')
    .innerJoin('tokens', 'tokens.id', 'service_accounts.token_id')
    .select(['number', 'username', 'token_id', 'name', 'role', 'created_at', 'modified_at'])
    .where((eb) =>
      'id' in by
        ? eb('token_id', '=', by.id)
        : 'username' in by
          ? eb('username', '=', by.username)
          : eb('number', '=', by.number - FIRST_NUMBER),
    )
    .executeTakeFirst();
  if (row === undefined) return undefined;
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

/** In the transaction that makes something for the caller: a token that is deleted meanwhile must not own what comes after. */
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

/** Gives all that an account owns to another, in the transaction that ends the first. */
export type HandOver = (on: ChangeTransaction, from: Account, to: Account) => Promise<void>;

/**
 * First in every transaction that deletes a token, until it ends: of two service tokens that delete each other, the one
 * that comes second must find the first gone, and not leave to it what it owns.
 */
export function lockServiceAccounts(tx: Db): Promise<void> {
  return lockName(tx, 'service-accounts');
}

/**
 * Who gets what a service token owned: who deletes it. A token that deletes itself leaves it to the member who made it,
 * or, where that member is gone, to the owner who has been there for longest. So does the command line, which is nobody.
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
