// Reads what a user's replies show: the account, its profile and counters.
import type { Account } from '../../kernel/identity/store-accounts.ts';
import { awaitAll } from '../../kernel/storage/execute-all.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { ShownPrivately, ShownUser } from './model.ts';
import { countRepositoriesOf, countPrivateCollaborators, findProfile } from './store.ts';

export async function readUser(db: Db, account: Account): Promise<ShownUser> {
  const [{ profile, updatedAt }, { publicRepositories }] = await awaitAll([
    findProfile(db, account.id),
    countRepositoriesOf(db, account.id),
  ]);
  return { account, profile, updatedAt: Math.max(account.updatedAt, updatedAt), publicRepositories };
}

export async function readOwnUser(db: Db, account: Account): Promise<ShownPrivately> {
  const [{ profile, updatedAt }, counts, collaborators] = await awaitAll([
    findProfile(db, account.id),
    countRepositoriesOf(db, account.id),
    countPrivateCollaborators(db, account.id),
  ]);
  return { account, profile, updatedAt: Math.max(account.updatedAt, updatedAt), ...counts, collaborators };
}
