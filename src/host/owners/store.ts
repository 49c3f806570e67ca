// Finds owners: accounts and organizations by login or id, and accounts by the e-mail addresses of authors and committers.
import { sql } from 'kysely';
import { Failure } from '../../kernel/failure.ts';
import {
  findAccount,
  listAccounts,
  listAccountsAfter,
  type Account,
} from '../../kernel/identity/store-accounts.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { chunk } from '../../kernel/collections/chunk.ts';
import { ownerOfOrganization } from '../organizations/model.ts';
import {
  findOrganization,
  listOrganizationsAfter,
  listOrganizationsById,
  shareLockOrganization,
} from '../organizations/store.ts';
import { ownerOfAccount, numberInNoreplyAddress, type RepositoryOwner } from './model.ts';

/** In whatever case. */
export async function findOwner(db: Db, login: string): Promise<RepositoryOwner | undefined> {
  const account = await findUser(db, login);
  if (account !== undefined) return ownerOfAccount(account);
  const organization = await findOrganization(db, { login });
  return organization && ownerOfOrganization(organization);
}

/** The expression of the index. */
const foldedUsername = sql<string>`lower(username)`;

/** In whatever case; of two that differ in case alone, the one that is written so. */
export async function findUser(db: Db, login: string): Promise<Account | undefined> {
  const exact = await findAccount(db, { username: login });
  if (exact !== undefined || login.includes('\0')) return exact;
  const row = await db
    .selectFrom('members')
    .select('id')
    .where(foldedUsername, '=', login.toLowerCase())
    .where('removed_at', 'is', null)
    .orderBy('number')
    .limit(1)
    .executeTakeFirst();
  return row && (await findAccount(db, { id: row.id }));
}

/** By id; those that are gone are missing. */
export async function listOwners(db: Db, ids: readonly string[]): Promise<Map<string, RepositoryOwner>> {
  const owners = new Map<string, RepositoryOwner>();
  const organizations = await listOrganizationsById(db, [...new Set(ids)]);
  for (const organization of organizations) owners.set(organization.id, ownerOfOrganization(organization));
  const others = ids.filter((id) => !owners.has(id));
  for (const [id, account] of await listAccounts(db, others)) owners.set(id, ownerOfAccount(account));
  return owners;
}

/**
 * Those with larger numbers, by number: members, then service tokens, and organizations. Bots are left out, as their names
 * would say which apps there are that are not public.
 */
export async function listOwnersAfter(db: Db, number: number, limit: number): Promise<RepositoryOwner[]> {
  const owners = (await listAccountsAfter(db, number, limit)).map(ownerOfAccount);
  if (owners.length >= limit) return owners;
  const organizations = await listOrganizationsAfter(db, number, limit - owners.length);
  return [...owners, ...organizations.map(ownerOfOrganization)];
}

/** For transactions that give an owner a repository: an organization deleted meanwhile must not own it. */
export async function shareLockOwner(tx: Db, { id, type }: RepositoryOwner): Promise<void> {
  if (type !== 'Organization' || (await shareLockOrganization(tx, id))) return;
  throw new Failure('not-found', 'The organization was deleted meanwhile');
}

/** Longer texts in commits are not addresses of accounts. */
const MAX_LENGTH = 254;
/** The numbers of accounts are 32-bit integers in PostgreSQL. */
const MAX_NUMBER = 2 ** 31 - 1;

/**
 * By address as given, in whatever case; those of nobody are missing. Addresses that users have added do not count:
 * nothing proves that they are theirs, and commits of other people would seem to be made by them.
 */
export async function listAuthors(db: Db, emails: Iterable<string>): Promise<Map<string, RepositoryOwner>> {
  const foldedOf = new Map<string, string>();
  for (const email of emails) if (isAddress(email)) foldedOf.set(email, email.toLowerCase());
  const ids = await listIds(db, [...new Set(foldedOf.values())]);
  const accounts = await listAccounts(db, [...ids.values()]);
  const authors = new Map<string, RepositoryOwner>();
  for (const [email, folded] of foldedOf) {
    const account = accounts.get(ids.get(folded) ?? '');
    if (account !== undefined) authors.set(email, ownerOfAccount(account));
  }
  return authors;
}

/** Commits that others made contain any text; PostgreSQL takes no NUL. */
function isAddress(email: string): boolean {
  return email.length <= MAX_LENGTH && email.includes('@') && !email.includes('\0');
}

/** The ids of accounts by address in lower case. */
async function listIds(db: Db, emails: readonly string[]): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const numbers = new Map<string, number>();
  for (const email of emails) {
    const number = numberInNoreplyAddress(email);
    if (number !== undefined && number <= MAX_NUMBER) numbers.set(email, number);
  }
  const idOf = await listIdsByNumber(db, [...new Set(numbers.values())]);
  for (const [email, number] of numbers) {
    const id = idOf.get(number);
    if (id !== undefined) ids.set(email, id);
  }
  for (const some of chunk(emails.filter((email) => !numbers.has(email)))) {
    for (const { email, id } of await listPrimary(db, some)) ids.set(email, id);
  }
  return ids;
}

async function listIdsByNumber(db: Db, numbers: readonly number[]): Promise<Map<number, string>> {
  const ids = new Map<number, string>();
  for (const some of chunk(numbers)) {
    const rows = await db
      .selectFrom('members')
      .select(['number', 'id'])
      .where('number', 'in', some)
      .where('removed_at', 'is', null)
      .execute();
    for (const { number, id } of rows) ids.set(number, id);
  }
  // Few accounts are not members.
  for (const number of numbers.filter((one) => !ids.has(one))) {
    const account = await findAccount(db, { number });
    if (account !== undefined) ids.set(number, account.id);
  }
  return ids;
}

/** Two members may have the same address: the newer is first, so that the older replaces it. */
function listPrimary(db: Db, emails: readonly string[]): Promise<{ email: string; id: string }[]> {
  const folded = sql<string>`lower(email)`;
  return db
    .selectFrom('members')
    .select([folded.as('email'), 'id'])
    .where(folded, 'in', emails)
    .where('removed_at', 'is', null)
    .orderBy('number', 'desc')
    .execute();
}
