// Adds and removes collaborators of a repository.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { problem } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { EventDetails, HostEvent } from '../events/model.ts';
import { recordEvent } from '../events/record-event.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { deleteAccountActors } from '../protection/store-actors.ts';
import {
  REPOSITORY_CHANNEL,
  repositoryNotFound,
  entryOwnerOf,
  type FoundRepository,
} from '../repositories/access.ts';
import { rolesOfAccount } from '../repositories/caller-roles.ts';
import {
  includesRole,
  type Repository,
  repositoryResource,
  type RepositoryRole,
} from '../repositories/repository.ts';
import { lockRepository } from '../repositories/store.ts';
import { readGrantedRole } from '../repository-roles/store.ts';
import { deleteStar } from '../stars/store.ts';
import { deleteWatch } from '../watches/store.ts';
import { deleteCollaborator, findCollaboratorRole, upsertCollaborator } from './store.ts';

/** There are no invitations: the account has the role at once. */
export async function addCollaborator(
  tx: ChangeTransaction,
  found: FoundRepository,
  user: RepositoryOwner,
  permission: string,
): Promise<void> {
  const { db, actor } = tx;
  const repository = await lockShared(db, found);
  if (user.type === 'Organization') throw problem('username', 'is an organization, which cannot collaborate');
  if (user.id === repository.ownerId) throw problem('username', 'is the owner of the repository');
  const role = await readGrantedRole(db, repository.ownerId, permission);
  const before = await findCollaboratorRole(db, repository.number, user.id);
  if (before === role) return;
  await upsertCollaborator(db, repository.number, { accountId: user.id, role }, actor.now);
  if (before !== undefined) {
    const roles = await rolesOfAccount(db, user.id, [repository]);
    await endPushing(db, repository, roles.get(repository.number), user);
  }
  recordCollaborator(tx, found, {
    verb:
      before === undefined
        ? `added the collaborator ${user.login} to`
        : `changed the role of ${user.login} on`,
    ...(before !== undefined && { before: { collaborator: user.login, role: before } }),
    after: { collaborator: user.login, role },
  });
  const place = { found: { repository, owner: found.owner } };
  await recordEvent(tx, before === undefined ? addedEvent(user, role) : editedEvent(user, before), place);
  await tx.invalidate(REPOSITORY_CHANNEL);
}

/** The star and the watch of a repository that the account no longer sees end with the role. */
export async function removeCollaborator(
  tx: ChangeTransaction,
  found: FoundRepository,
  user: RepositoryOwner,
): Promise<void> {
  const { db } = tx;
  const repository = await lockShared(db, found);
  const before = await findCollaboratorRole(db, repository.number, user.id);
  if (before === undefined) return;
  await deleteCollaborator(db, repository.number, user.id);
  const role = (await rolesOfAccount(db, user.id, [repository])).get(repository.number);
  await endPushing(db, repository, role, user);
  if (role === undefined) {
    await deleteStar(db, user.id, repository.number);
    await deleteWatch(db, user.id, repository.number);
  }
  recordCollaborator(tx, found, {
    verb: `removed the collaborator ${user.login} from`,
    before: { collaborator: user.login, role: before },
  });
  const details = { member: user } satisfies EventDetails['member.removed'];
  const place = { found: { repository, owner: found.owner } };
  await recordEvent(tx, { name: 'member', action: 'removed', details }, place);
  await tx.invalidate(REPOSITORY_CHANNEL);
}

/** Rules for branches no longer name those who may not push. */
async function endPushing(
  tx: Db,
  { number }: Repository,
  role: RepositoryRole | undefined,
  { id }: RepositoryOwner,
): Promise<void> {
  if (!includesRole(role, 'write')) await deleteAccountActors(tx, id, { number });
}

function addedEvent(member: RepositoryOwner, role: string): HostEvent {
  const details: EventDetails['member.added'] = {
    member,
    ...((role === 'write' || role === 'admin') && { changes: { permission: { to: role } } }),
  };
  return { name: 'member', action: 'added', details: { ...details } };
}

function editedEvent(member: RepositoryOwner, from: string): HostEvent {
  const details = { member, changes: { old_permission: { from } } } satisfies EventDetails['member.edited'];
  return { name: 'member', action: 'edited', details };
}

async function lockShared(tx: Db, { repository: { number } }: FoundRepository): Promise<Repository> {
  const repository = await lockRepository(tx, number);
  if (repository === undefined) throw repositoryNotFound();
  return repository;
}

function recordCollaborator(
  tx: ChangeTransaction,
  found: FoundRepository,
  { verb, ...change }: { verb: string; before?: unknown; after?: unknown },
): void {
  tx.record({
    accesses: [{ action: 'updateCollaborators', resource: repositoryResource(found) }],
    kind: 'repository',
    name: found.repository.name,
    verb,
    ...entryOwnerOf(found),
    ...change,
  });
}
