// Changes and deletes repositories, each in one transaction with its audit entry and events.
import { isDeepStrictEqual } from 'node:util';
import { systemActor, type ChangeActor } from '../../../kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../../kernel/change/changes.ts';
import type { Change } from '../../../kernel/change/change.ts';
import { Failure } from '../../../kernel/failure.ts';
import type { KnownCaller } from '../../../kernel/identity/caller.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import { scheduleRelisting } from '../../code-scanning/schedule-scanning.ts';
import { endLostInterests } from '../../collaborators/store.ts';
import { recordEvent, recordEvents } from '../../events/record-event.ts';
import { isBranchName } from '../../git/refs/revision.ts';
import { leaveInstallations } from '../../apps/leave-installations.ts';
import type { RepositoryOwner } from '../../owners/model.ts';
import type { EventDetails, HostEvent } from '../../events/model.ts';
import { REPOSITORY_CHANNEL, entryOwnerOf, repositoryNotFound, type FoundRepository } from '../access.ts';
import {
  isRepositoryName,
  repositoryResource,
  type Repository,
  type RepositoryBinding,
} from '../repository.ts';
import {
  auditedRepository,
  isPrivateIn,
  settingsAfter,
  toRepositoryName,
  checkSecurityFeatures,
  type SentRepository,
} from '../requests.ts';
import {
  findRepositoryByName,
  lockRepository,
  lockRepositoryNames,
  updateRepository,
  listRepositoryNumbers,
  type RepositoryUpdate,
} from '../store.ts';
import { deleteRedirect, insertRedirect } from '../store-redirects.ts';
import { scheduleDeletion, scheduleHead, writeHeadNow } from './repository-work.ts';

type Actor = ChangeActor & { caller: KnownCaller };

/** Fields that are absent stay. The old name leads to the new one from then on. */
export async function changeRepository(
  kernel: Kernel,
  actor: Actor,
  { repository: opened, owner }: FoundRepository,
  sent: SentRepository,
  topics?: string[],
): Promise<FoundRepository> {
  const name = sent.name === undefined ? undefined : checkedName(sent.name);
  checkSecurityFeatures(sent.security_and_analysis ?? {});
  const branch = sent.default_branch;
  if (branch !== undefined) await checkBranch(kernel, opened, branch);
  const isPrivate = isPrivateIn(sent);
  const changed = await kernel.changes.run(actor, async (tx) => {
    const { db } = tx;
    if (name !== undefined) await lockRepositoryNames(db, owner.id);
    const before = await lockRepository(db, opened.number);
    if (before === undefined || before.ownerId !== owner.id) throw repositoryNotFound();
    if (before.isArchived && sent.archived !== false) throw archived();
    if (isPrivate === false && before.isPrivate && before.binding !== null)
      throw staysPrivate(before.binding);
    const isRenamed = name !== undefined && name !== before.name;
    const update: RepositoryUpdate = {
      ...(isRenamed && { named: { owner, name } }),
      ...(sent.description !== undefined && { description: sent.description || null }),
      ...(isPrivate !== undefined && { isPrivate }),
      ...(sent.archived !== undefined && { isArchived: sent.archived }),
      ...(branch !== undefined && { defaultBranch: branch }),
      settings: settingsAfter(before.settings, sent),
      ...(topics && { topics }),
    };
    if (isRenamed && name.toLowerCase() !== before.name.toLowerCase()) {
      await checkNameFree(db, owner, name);
      await deleteRedirect(db, owner.id, name);
      await insertRedirect(db, before, actor.now);
    }
    const updated = await updateRepository(db, before.number, update, actor.now);
    const repository =
      updated.isPrivate && !before.isPrivate
        ? await endLostInterests(db, { repository: updated, owner })
        : updated;
    tx.record({
      ...repositoryChange('updateRepository', 'updated', { repository, owner }),
      before: auditedRepository(before),
      after: auditedRepository(repository),
    });
    await recordChanges(tx, before, { repository, owner });
    if (repository.defaultBranch !== before.defaultBranch) {
      await scheduleHead(db, repository.number, actor.now);
      await scheduleRelisting(db, repository.number, actor.now);
    }
    await tx.invalidate(REPOSITORY_CHANNEL);
    return repository;
  });
  if (changed.defaultBranch !== opened.defaultBranch) await writeHeadNow(kernel, changed.number);
  return { repository: changed, owner };
}

/** One event for each kind of change that webhooks tell apart. */
async function recordChanges(
  tx: ChangeTransaction,
  before: Repository,
  found: FoundRepository,
): Promise<void> {
  await recordEvents(tx, eventsOf(before, found.repository), { found });
}

function eventsOf(before: Repository, after: Repository): HostEvent[] {
  const events: HostEvent[] = [];
  const add = (action: string, details: HostEvent['details'] = {}) =>
    events.push({ name: 'repository', action, details });
  if (after.name !== before.name)
    add('renamed', {
      changes: { repository: { name: { from: before.name } } },
    } satisfies EventDetails['repository.renamed']);
  const changes = editsOf(before, after);
  if (Object.keys(changes).length > 0) add('edited', { changes });
  if (after.isPrivate && !before.isPrivate) add('privatized');
  if (!after.isPrivate && before.isPrivate) {
    add('publicized');
    events.push({ name: 'public', details: {} });
  }
  if (after.isArchived !== before.isArchived) add(after.isArchived ? 'archived' : 'unarchived');
  return events;
}

function editsOf(before: Repository, after: Repository): EventDetails['repository.edited']['changes'] {
  return {
    ...(after.description !== before.description && { description: { from: before.description } }),
    ...(after.settings.homepage !== before.settings.homepage && {
      homepage: { from: before.settings.homepage },
    }),
    ...(after.defaultBranch !== before.defaultBranch && { default_branch: { from: before.defaultBranch } }),
    ...(!isDeepStrictEqual(after.topics, before.topics) && { topics: { from: before.topics } }),
  };
}

/** Nobody finds it from now on; background work deletes its folder. */
export async function removeRepository(
  kernel: Kernel,
  actor: Actor,
  { repository: { number }, owner }: FoundRepository,
): Promise<void> {
  await kernel.changes.run(actor, async (tx) => {
    const { db } = tx;
    const repository = await lockRepository(db, number);
    if (repository === undefined || repository.ownerId !== owner.id) throw repositoryNotFound();
    await leaveInstallations(tx, { repository, owner });
    await scheduleDeletion(db, number, actor.now);
    tx.record({
      ...repositoryChange('deleteRepository', 'deleted', { repository, owner }),
      before: auditedRepository(repository),
    });
    const found = { repository, owner };
    await recordEvent(tx, { name: 'repository', action: 'deleted', details: {} }, { found });
    await tx.invalidate(REPOSITORY_CHANNEL);
  });
}

/** Everything that an organization owns, in the transaction that deletes it. */
export async function removeOwnedRepositories(tx: ChangeTransaction, owner: RepositoryOwner): Promise<void> {
  // Deleting the owner was authorized, and this follows from it.
  const consequence = tx.as(systemActor(tx.actor));
  const { db, actor } = consequence;
  await lockRepositoryNames(db, owner.id);
  for (const number of await listRepositoryNumbers(db, owner.id)) {
    const repository = await lockRepository(db, number);
    if (repository === undefined) continue;
    await scheduleDeletion(db, number, actor.now);
    consequence.record({
      ...repositoryChange('deleteRepository', 'deleted', { repository, owner }),
      before: auditedRepository(repository),
    });
    const event = { name: 'repository', action: 'deleted', details: {} } as const;
    await recordEvent(consequence, event, { found: { repository, owner } });
  }
}

/** What a clone checks out must exist. */
async function checkBranch({ services: { git } }: Kernel, { number }: Repository, branch: string) {
  const oid = isBranchName(branch) ? await git.repository(number).readRef(`refs/heads/${branch}`) : undefined;
  if (oid !== undefined) return;
  throw new Failure('invalid', `There is no branch ${branch}`, {
    fields: [{ field: 'default_branch', message: 'must be a branch of the repository' }],
  });
}

/** The caller has called `lockRepositoryNames`. */
export async function checkNameFree(tx: Db, owner: RepositoryOwner, name: string): Promise<void> {
  if ((await findRepositoryByName(tx, owner, name)) === undefined) return;
  const message = 'already exists on this account';
  throw new Failure('invalid', 'Repository creation failed.', { fields: [{ field: 'name', message }] });
}

export function repositoryChange(action: string, verb: string, found: FoundRepository): Change {
  return {
    accesses: [{ action, resource: repositoryResource(found) }],
    kind: 'repository',
    name: found.repository.name,
    verb: `${verb} the repository`,
    ...entryOwnerOf(found),
  };
}

/** Throws where the name cannot be one. */
export function checkedName(sent: string): string {
  const name = toRepositoryName(sent);
  if (isRepositoryName(name)) return name;
  const message =
    'must be 1 to 100 letters, digits, hyphens, underscores and dots, and must not end with .git, .wiki or .atom';
  throw new Failure('invalid', `"${sent}" cannot be the name of a repository`, {
    fields: [{ field: 'name', message }],
  });
}

/** Who may read private code must not be able to publish a copy of it. */
function staysPrivate(binding: RepositoryBinding): Failure {
  const origin =
    binding === 'template' ? 'A repository from a private template' : 'A fork of a private repository';
  return new Failure('invalid', `${origin} stays private.`);
}

function archived(): Failure {
  return new Failure('denied', 'The repository is archived, and read-only. Send "archived": false first.');
}
