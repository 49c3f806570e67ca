// Finds owners: accounts and organizations by login or id.
import { sql } from 'kysely';
import { Failure } from '../../kernel/failure.ts';
import {
  findAccount,
  listAccounts,
  listAccountsAfter,
  type Account,
} from '../../kernel/identity/store-accounts.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { ownerOfOrganization } from '../organizations/model.ts';
import {
  findOrganization,
  listOrganizationsAfter,
  listOrganizationsById,
  shareLockOrganization,
} from '../organizations/store.ts';
import { ownerOfAccount, type RepositoryOwner } from './model.ts';

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
