// Creates, changes and deletes repositories, each in one transaction with its audit entry.
import type { ChangeActor } from '../../../kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../../kernel/change/changes.ts';
import type { Change } from '../../../kernel/change/change.ts';
import { schedule } from '../../../kernel/jobs/due-store.ts';
import { Failure } from '../../../kernel/failure.ts';
import type { KnownCaller } from '../../../kernel/identity/caller.ts';
import { shareLockAccount } from '../../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import { scheduleRelisting } from '../../code-scanning/schedule-scanning.ts';
import { endLostInterests } from '../../collaborators/store.ts';
import { recordEvent } from '../../events/record-event.ts';
import { isBranchName } from '../../git/refs/revision.ts';
import { leaveInstallations } from '../../apps/leave-installations.ts';
import { deleteRepositoryFromInstallations } from '../../apps/store-reach.ts';
import { scheduleHookRemoval } from '../../hooks/change-hooks.ts';
import type { RepositoryOwner } from '../../owners/model.ts';
import { shareLockOwner } from '../../owners/store.ts';
import { REPOSITORY_CHANNEL, entryOwnerOf, repositoryNotFound, type FoundRepository } from '../access.ts';
import { grantToCreator } from './creation-owner.ts';
import { createFolder, initialFilesOf } from './first-commit.ts';
import { scheduleHead, writeHead } from './default-branch-work.ts';
import { recordChanges } from './record-changes.ts';
import {
  DEFAULT_REPOSITORY_SETTINGS,
  isRepositoryName,
  type Repository,
  type RepositoryBinding,
  repositoryResource,
} from '../repository.ts';
import {
  auditedRepository,
  isPrivateIn,
  settingsAfter,
  toRepositoryName,
  type SentRepository,
  checkSecurityFeatures,
} from '../requests.ts';
import {
  findRepositoryByName,
  insertRepository,
  lockRepository,
  lockRepositoryNames,
  markRepositoryDeleted,
  updateRepository,
  type NewRepository,
  type RepositoryUpdate,
} from '../store.ts';
import { deleteRedirect, insertRedirect } from '../store-redirects.ts';
import { orphanWithheldForks } from '../store-visibility.ts';

export const DELETE_REPOSITORY = 'host.delete-repository';
const DEFAULT_BRANCH = 'main';

type Actor = ChangeActor & { caller: KnownCaller };

/** Gives others access to a new repository, in the transaction that inserts it. */
type AddGrants = (tx: ChangeTransaction, found: FoundRepository) => Promise<void>;

/** The caller has checked that the actor may create repositories of the owner. */
export async function createRepository(
  kernel: Kernel,
  actor: Actor,
  owner: RepositoryOwner,
  sent: SentRepository & { name: string },
  addGrants?: AddGrants,
): Promise<FoundRepository> {
  kernel.services.git.require();
  const name = checkedName(sent.name);
  const initial = initialFilesOf(sent, {
    name,
    owner: owner.login,
    year: new Date(actor.now).getUTCFullYear(),
  });
  const fields = {
    name,
    description: sent.description || null,
    isPrivate: isPrivateIn(sent) ?? false,
    defaultBranch: DEFAULT_BRANCH,
    settings: settingsAfter(DEFAULT_REPOSITORY_SETTINGS, sent),
    license: initial.license,
  };
  const found = await insertNamed(kernel, actor, owner, fields, addGrants);
  try {
    await createFolder(kernel, actor, found, initial.files);
  } catch (error) {
    // A repository without its first commit must not stay: the reply is an error.
    await kernel.db.transaction().execute(async (tx) => {
      await scheduleDeletion(tx, found.repository.number, kernel.clock.now());
      await recordEvent({ db: tx, actor }, { name: 'repository', action: 'deleted', details: {} }, { found });
    });
    kernel.services.repositories.clear();
    throw error;
  }
  return found;
}

/** Inserts the row with its audit entry. */
async function insertNamed(
  kernel: Kernel,
  actor: Actor,
  owner: RepositoryOwner,
  fields: NewRepository,
  addGrants?: AddGrants,
): Promise<FoundRepository> {
  return await kernel.changes.run(actor, async (tx) => {
    await lockCreation(tx.db, actor.caller, owner);
    const found = await insertLocked(tx, owner, fields);
    await addGrants?.(tx, found);
    return found;
  });
}

/** Locks what a new repository depends on: the account of the caller, and the names of the owner. */
export async function lockCreation(tx: Db, caller: KnownCaller, owner: RepositoryOwner): Promise<void> {
  await shareLockAccount(tx, caller);
  await shareLockOwner(tx, owner);
  await lockRepositoryNames(tx, owner.id);
}

/** The caller has called `lockCreation`. */
export async function insertLocked(
  tx: ChangeTransaction,
  owner: RepositoryOwner,
  fields: NewRepository,
): Promise<FoundRepository> {
  const { db, actor } = tx;
  await checkNameFree(db, owner, fields.name);
  const repository = await insertRepository(db, owner, fields, actor.now);
  const found = { repository, owner };
  if (actor.caller !== undefined) await grantToCreator(db, actor.caller, repository, owner, actor.now);
  tx.record({
    ...repositoryChange('createRepository', 'created', found),
    after: auditedRepository(repository),
  });
  await recordEvent(tx, { name: 'repository', action: 'created', details: {} }, { found });
  await tx.invalidate(REPOSITORY_CHANNEL);
  return found;
}

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
  if (changed.defaultBranch !== opened.defaultBranch) await writeHead(kernel, changed);
  return { repository: changed, owner };
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

/** Nobody finds it from then on; background work deletes its folder. */
export async function scheduleDeletion(tx: Db, number: number, now: number): Promise<void> {
  await orphanWithheldForks(tx, number);
  await markRepositoryDeleted(tx, number, now);
  const id = `${DELETE_REPOSITORY}:${number}`;
  await schedule(tx, { id, kind: DELETE_REPOSITORY, payload: JSON.stringify({ number }), dueAt: now }, now);
  await scheduleHookRemoval(tx, { repository: number }, now);
  await deleteRepositoryFromInstallations(tx, number);
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
