// Reads what a user's replies show: the account, its profile and counters.
import type { Account } from '../../kernel/identity/store-accounts.ts';
import { awaitAll } from '../../kernel/storage/execute-all.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { countGistsOf } from '../gists/store.ts';
import type { ShownPrivately, ShownUser } from './model.ts';
import { countRepositoriesOf, countPrivateCollaborators, findProfile } from './store.ts';

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
