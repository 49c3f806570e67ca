// Users as GraphQL shows them.
import { listAccounts, type Account } from '../../kernel/identity/store-accounts.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { nodeIdOfAccount } from '../owners/model.ts';
import { EMPTY_USER_PROFILE, publicNameOf } from '../users/model.ts';
import { listProfiles } from '../users/store.ts';
import { siteOf } from '../site.ts';

export function toUser(account: Account, base: string) {
  return {
    __typename: 'User',
    id: nodeIdOfAccount(account),
    databaseId: account.number,
    login: account.username,
    url: `${siteOf(base)}/${account.username}`,
    createdAt: new Date(account.createdAt).toISOString(),
    updatedAt: new Date(account.updatedAt).toISOString(),
  };
}

type UserNode = ReturnType<typeof toUser> & { name: string | null };

/** By id; accounts that are gone are missing. */
export async function listUserNodes(
  db: Db,
  ids: readonly string[],
  base: string,
): Promise<Map<string, UserNode>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Map();
  const [accounts, profiles] = await Promise.all([listAccounts(db, wanted), listProfiles(db, wanted)]);
  return new Map(
    [...accounts].map(([id, account]) => {
      const name = publicNameOf(account, profiles.get(id)?.profile ?? EMPTY_USER_PROFILE);
      return [id, { ...toUser(account, base), name }];
    }),
  );
}
