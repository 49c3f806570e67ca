// Gives a repository to another owner: its former address leads to the new one.
import type { ChangeTransaction } from '../../../kernel/change/changes.ts';
import { updateEntryOwner } from '../../../kernel/change/store.ts';
import type { TransferOwnership } from '../../../kernel/identity/store-accounts.ts';
import { leaveInstallations } from '../../apps/leave-installations.ts';
import { scheduleRelisting } from '../../code-scanning/schedule-scanning.ts';
import { deleteCollaborator, endLostInterests } from '../../collaborators/store.ts';
import type { EventDetails } from '../../events/model.ts';
import { recordEvent } from '../../events/record-event.ts';
import { scheduleIssueMove } from '../../issues/schedule-issues.ts';
import type { RepositoryOwner } from '../../owners/model.ts';
import { ownerOfAccount } from '../../owners/model.ts';
import { shareLockOwner } from '../../owners/store.ts';
import { replaceCustomRoles } from '../../repository-roles/store.ts';
import { deleteStrandedTeams } from '../../protection/store-actors.ts';
import { deleteTeamsOfRepository } from '../../teams/store-repositories.ts';
import {
  REPOSITORY_CHANNEL,
  entryOwnerOf,
  repositoryNotFound,
  repositorySubject,
  type FoundRepository,
} from '../access.ts';
import { repositoryChange, checkNameFree } from './change-repository.ts';
import type { Repository } from '../repository.ts';
import { auditedRepository } from '../requests.ts';
import {
  findFreeRepositoryName,
  listRepositoryNumbers,
  lockRepository,
  lockRepositoryNames,
  updateRepository,
} from '../store.ts';
import { deleteRedirect, insertRedirect } from '../store-redirects.ts';

/**
 * The caller has checked that the actor may give it and that the other may have it. The teams of the old owner lose it, and
 * custom roles become the roles that they extend. `addGrants` may add others to a new owner's repository.
 */
export async function transferRepository(
  tx: ChangeTransaction,
  { repository: { number }, owner }: FoundRepository,
  to: { owner: RepositoryOwner; name: string },
  addGrants?: (repository: Repository) => Promise<void>,
): Promise<FoundRepository> {
  const { db, actor } = tx;
  await shareLockOwner(db, to.owner);
  // In one order for all, so that two transfers cannot wait for each other.
  for (const id of [owner.id, to.owner.id].toSorted()) await lockRepositoryNames(db, id);
  const before = await lockRepository(db, number);
  if (before === undefined || before.ownerId !== owner.id) throw repositoryNotFound();
  await checkNameFree(db, to.owner, to.name);
  await deleteRedirect(db, to.owner.id, to.name);
  await insertRedirect(db, before, actor.now);
  if (owner.id !== to.owner.id) await leaveInstallations(tx, { repository: before, owner });
  const updated = await updateRepository(db, number, { named: to }, actor.now);
  if (owner.id !== to.owner.id) {
    await deleteTeamsOfRepository(db, number);
    await replaceCustomRoles(db, number, owner.id);
    await deleteCollaborator(db, number, to.owner.id);
    await addGrants?.(updated);
    await deleteStrandedTeams(db, updated);
    await scheduleRelisting(db, number, actor.now);
    await scheduleIssueMove(db, number, actor.now);
    await updateEntryOwner(db, { subject: repositorySubject(number) }, to.owner.id);
  }
  const moved = { repository: updated, owner: to.owner };
  const repository = updated.isPrivate ? await endLostInterests(db, moved) : updated;
  tx.record({
    ...repositoryChange('updateRepository', 'transferred', { repository: before, owner }),
    ...entryOwnerOf(moved),
    before: { ...auditedRepository(before), owner: owner.login },
    after: { ...auditedRepository(repository), owner: to.owner.login },
  });
  const found = { repository, owner: to.owner };
  const from = owner.type === 'Organization' ? { organization: owner } : { user: owner };
  const details = { changes: { owner: { from } } } satisfies EventDetails['repository.transferred'];
  await recordEvent(tx, { name: 'repository', action: 'transferred', details }, { found });
  await tx.invalidate(REPOSITORY_CHANNEL);
  return found;
}

/** Everything that a deleted account owns goes to another, under names that are free there. */
export const transferRepositories: TransferOwnership = async (tx, from, to) => {
  const { db } = tx;
  const [owner, heir] = [ownerOfAccount(from), ownerOfAccount(to)];
  for (const id of [owner.id, heir.id].toSorted()) await lockRepositoryNames(db, id);
  for (const number of await listRepositoryNumbers(db, owner.id)) {
    const repository = await lockRepository(db, number);
    if (repository === undefined) continue;
    const name = await findFreeRepositoryName(db, heir, repository.name);
    await transferRepository(tx, { repository, owner }, { owner: heir, name });
  }
};
