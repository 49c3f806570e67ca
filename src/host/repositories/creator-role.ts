// What those who create a repository of an organization may do with it.
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { installationOf } from '../apps/program.ts';
import { upsertCollaborator } from '../collaborators/store.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { administersHost } from './caller-roles.ts';
import type { Repository } from './repository.ts';
import { listAccountMemberships } from './store-lists.ts';

/** Members who are no admins of the organization administer what they create: otherwise they could only read it. */
export async function grantToCreator(
  tx: Db,
  caller: KnownCaller,
  { number }: Repository,
  owner: RepositoryOwner,
  now: number,
): Promise<void> {
  if (owner.type !== 'Organization' || installationOf(caller) !== undefined || administersHost(caller))
    return;
  const accountId = accountOf(caller).id;
  const memberships = await listAccountMemberships(tx, accountId);
  const membership = memberships.find(({ organizationId }) => organizationId === owner.id);
  if (membership?.role === 'member') await upsertCollaborator(tx, number, { accountId, role: 'admin' }, now);
}
