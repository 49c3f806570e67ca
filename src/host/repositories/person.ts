// The name and address of a user in commits that this server makes.
import type { Account } from '../../kernel/identity/store-accounts.ts';
import type { GitPerson } from '../git/commit-object.ts';
import { noreplyAddressOf } from '../owners/noreply-address.ts';

export function personOf(account: Account, time: number): GitPerson {
  const { username, firstName, lastName } = account;
  return {
    name: [firstName, lastName].filter(Boolean).join(' ') || username,
    email: noreplyAddressOf(account),
    time,
    zone: 0,
  };
}
