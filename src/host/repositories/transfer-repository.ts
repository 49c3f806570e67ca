// Gives a repository to another owner: its former address leads to the new one.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { updateEntryOwner } from '../../kernel/change/store.ts';
import type { HandOver } from '../../kernel/identity/store-accounts.ts';
import { leaveInstallations } from '../apps/leave-installations.ts';
import { scheduleRelisting } from '../code-scanning/schedule-scanning.ts';
import { deleteCollaborator } from '../collaborators/store.ts';
import { endLostInterests } from '../collaborators/store-lost-interests.ts';
import type { EventDetails } from '../events/model.ts';
import { recordEvent } from '../events/record-event.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { ownerOfAccount } from '../owners/model.ts';
import { shareLockOwner } from '../owners/store.ts';
import { replaceCustomRoles } from '../repository-roles/store.ts';
import { deleteStrandedTeams } from '../protection/store-actors.ts';
import { deleteTeamsOfRepository } from '../teams/store-repositories.ts';
import {
  REPOSITORY_CHANNEL,
  entryOwnerOf,
  repositoryNotFound,
  repositorySubject,
  type FoundRepository,
} from './access.ts';
import { repositoryChange, checkNameFree } from './change-repository.ts';
import type { Repository } from './repository.ts';
import { auditedRepository } from './requests.ts';
import {
  findFreeRepositoryName,
  listRepositoryNumbers,
  lockRepository,
  lockRepositoryNames,
  updateRepository,
} from './store.ts';
import { deleteRedirect, insertRedirect } from './store-redirects.ts';

/**
 * The caller has checked that the actor may give it and that the other may have it. The teams of the old owner lose it, and
 * custom roles become the roles that they extend. `addGrants` may add others to a new owner's repository.
 */
export async function transferRepository(
  on: ChangeTransaction,
  { repository: { number }, owner }: FoundRepository,
  to: { owner: RepositoryOwner; name: string },
  addGrants?: (repository: Repository) => Promise<void>,
): Promise<FoundRepository> {
  const { db: tx, actor } = on;
  await shareLockOwner(tx, to.owner);
  // In one order for all, so that two transfers cannot wait for each other.
  for (const id of [owner.id, to.owner.id].toSorted()) await lockRepositoryNames(tx, id);
  const before = await lockRepository(tx, number);
  if (before === undefined || before.ownerId !== owner.id) throw repositoryNotFound();
  await checkNameFree(tx, to.owner, to.name);
  await deleteRedirect(tx, to.owner.id, to.name);
  await insertRedirect(tx, before, actor.now);
  if (owner.id !== to.owner.id) await leaveInstallations(on, { repository: before, owner });
  const updated = await updateRepository(tx, number, { named: to }, actor.now);
  if (owner.id !== to.owner.id) {
    await deleteTeamsOfRepository(tx, number);
    await replaceCustomRoles(tx, number, owner.id);
    await deleteCollaborator(tx, number, to.owner.id);
    await addGrants?.(updated);
    await deleteStrandedTeams(tx, updated);
    await scheduleRelisting(tx, number, actor.now);
    await updateEntryOwner(tx, { subject: repositorySubject(number) }, to.owner.id);
  }
  const moved = { repository: updated, owner: to.owner };
  const repository = updated.isPrivate ? await endLostInterests(tx, moved) : updated;
  on.record({
    ...repositoryChange('updateRepository', 'transferred', { repository: before, owner }),
    ...entryOwnerOf(moved),
    before: { ...auditedRepository(before), owner: owner.login },
    after: { ...auditedRepository(repository), owner: to.owner.login },
  });
  const found = { repository, owner: to.owner };
  const from = owner.type === 'Organization' ? { organization: owner } : { user: owner };
  const details = { changes: { owner: { from } } } satisfies EventDetails['repository.transferred'];
  await recordEvent(on, { name: 'repository', action: 'transferred', details }, { found });
  await on.invalidate(REPOSITORY_CHANNEL);
  return found;
}

/** Everything that a deleted account owns goes to another, under names that are free there. */
export const handOverRepositories: HandOver = async (on, from, to) => {
  const { db: tx } = on;
  const [owner, heir] = [ownerOfAccount(from), ownerOfAccount(to)];
  for (const id of [owner.id, heir.id].toSorted()) await lockRepositoryNames(tx, id);
  for (const number of await listRepositoryNumbers(tx, owner.id)) {
    const repository = await lockRepository(tx, number);
    if (repository === undefined) continue;
    const name = await findFreeRepositoryName(tx, heir, repository.name);
    await transferRepository(on, { repository, owner }, { owner: heir, name });
  }
};
