// Users as resources of policies, the lock under which a user's own data changes, and the error for a user that is not there.
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { can } from '../../kernel/identity/policy.ts';
import { shareLockAccount, type Account } from '../../kernel/identity/store-accounts.ts';
import { lockName } from '../../kernel/storage/locks.ts';
import type { Db } from '../../kernel/storage/tables.ts';

export function userResource({ username }: Pick<Account, 'username'>): string {
  return `user/${username}`;
}

export function mayViewEmails(caller: KnownCaller): boolean {
  return can(caller, 'viewEmails', userResource(accountOf(caller)));
}

/** Until the transaction ends nobody else changes the profile, addresses or keys of the caller. */
export async function lockUser(tx: Db, caller: KnownCaller): Promise<void> {
  await shareLockAccount(tx, caller);
  await lockName(tx, `host-user:${accountOf(caller).id}`);
}

/** The error for a user that is not there. */
export function userNotFound(name: string): Failure {
  return new Failure('not-found', `There is no user ${name}`);
}
