// Who may register apps for whom: people for themselves, and admins of an organization for it.
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { can, requirePermission } from '../../kernel/identity/policy.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { openOrganization } from '../organizations/access.ts';
import { ownerOfOrganization } from '../organizations/model.ts';
import { ownerOfAccount, type RepositoryOwner } from '../owners/model.ts';
import { listOwners } from '../owners/store.ts';

/** Throws unless the caller is the account of this login, or administers the organization. */
export async function openManagedAccount(
  db: Db,
  caller: KnownCaller,
  login: string,
): Promise<RepositoryOwner> {
  const own = ownerOfAccount(accountOf(caller));
  if (login.toLowerCase() === own.login.toLowerCase()) return own;
  const call = {
    caller,
    params: { org: login },
    can: (resource: string, action = 'updateOrganization') => can(caller, action, resource),
    requirePermission: (resource: string, action = 'updateOrganization') =>
      requirePermission(caller, action, resource),
  };
  const { organization } = await openOrganization(db, call, 'admin', { login });
  return ownerOfOrganization(organization);
}

/** The same by id. */
export async function openManagedOwner(db: Db, caller: KnownCaller, id: string): Promise<RepositoryOwner> {
  const own = accountOf(caller);
  if (own.id === id) return ownerOfAccount(own);
  const owner = (await listOwners(db, [id])).get(id);
  if (owner?.type !== 'Organization') throw new Failure('denied', 'This belongs to another account.');
  return await openManagedAccount(db, caller, owner.login);
}
