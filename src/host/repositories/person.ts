// The name and address of a user in commits that this server makes.
import type { Account } from '../../kernel/identity/store-accounts.ts';
import type { GitPerson } from '../git/commit-object.ts';

/** The real address stays private: everybody can read the commits of a public repository. */
export function personOf({ username, number, firstName, lastName }: Account, time: number): GitPerson {
  return {
    name: [firstName, lastName].filter(Boolean).join(' ') || username,
    email: `${number}+${username}@users.noreply.signalbox.example`,
    time,
    zone: 0,
  };
}
