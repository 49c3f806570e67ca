// Decides whether a caller may have a new repository of an owner: their own account, or an organization that allows it; and what they may do with it.
import { Failure } from '../../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../../kernel/identity/caller.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import { actsOnAccount, installationOf } from '../../apps/program.ts';
import { upsertCollaborator } from '../../collaborators/store.ts';
import { ownerOfOrganization, type Organization } from '../../organizations/model.ts';
import { findOrganization } from '../../organizations/store.ts';
import { ownerOfAccount, type RepositoryOwner } from '../../owners/model.ts';
import { findUser } from '../../owners/store.ts';
import { administersHost } from '../caller-roles.ts';
import type { Repository } from '../repository.ts';
import { listAccountMemberships } from '../store-lists.ts';

/** Throws unless the caller may create the repository there. */
export async function findCreationOwner(
  db: Db,
  caller: KnownCaller,
  login: string,
  isPrivate: boolean,
): Promise<RepositoryOwner> {
  const own = ownerOfAccount(accountOf(caller));
  // Bots own nothing.
  if (installationOf(caller) === undefined && own.login.toLowerCase() === login.toLowerCase()) return own;
  const organization = await findOrganization(db, { login });
  if (organization !== undefined) {
    if (!administersHost(caller) && !actsOnAccount(caller, organization.id))
      await requireMayCreate(db, caller, organization, isPrivate);
    return ownerOfOrganization(organization);
  }
  const user = administersHost(caller) ? await findUser(db, login) : undefined;
  if (user !== undefined) return ownerOfAccount(user);
  throw noOwner(login);
}

async function requireMayCreate(
  db: Db,
  caller: KnownCaller,
  { id, login, settings }: Organization,
  isPrivate: boolean,
): Promise<void> {
  const memberships = await listAccountMemberships(db, accountOf(caller).id);
  const membership = memberships.find(({ organizationId }) => organizationId === id);
  if (membership?.role === 'admin') return;
  const mayCreate = isPrivate
    ? settings.membersCanCreatePrivateRepositories
    : settings.membersCanCreatePublicRepositories;
  if (membership !== undefined && settings.membersCanCreateRepositories && mayCreate) return;
  // Where it is deleted meanwhile, its memberships are gone, too.
  if ((await findOrganization(db, { id })) === undefined) throw noOwner(login);
  throw new Failure('denied', `You may not create such repositories in the organization ${login}.`);
}

function noOwner(login: string): Failure {
  return new Failure('not-found', `There is no owner ${login} whose repositories you may create`);
}

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
