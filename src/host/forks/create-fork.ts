// Creates forks and repositories from templates: the row, its audit entry and the due work that copies are one transaction.
import type { ChangeActor } from '../../kernel/identity/actor.ts';
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { EventDetails } from '../events/model.ts';
import { recordEvent } from '../events/record-event.ts';
import { findOrganization } from '../organizations/store.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { repositoryNotFound, type FoundRepository } from '../repositories/access.ts';
import { insertLocked, lockCreation } from '../repositories/changes/create-repository.ts';
import {
  DEFAULT_REPOSITORY_SETTINGS,
  type Repository,
  type RepositoryBinding,
} from '../repositories/repository.ts';
import {
  addToForkCount,
  findFreeRepositoryName,
  lockRepository,
  type NewRepository,
} from '../repositories/store.ts';
import { isWithheld } from '../repositories/store-visibility.ts';
import { copyNow, scheduleCopy, type CopyWork } from './copy-work.ts';
import { findInFamily } from './store.ts';

type Actor = ChangeActor & { caller: KnownCaller };

export interface NewFork {
  owner: RepositoryOwner;
  /** That of the parent if absent, with a number where it is taken. */
  name: string | undefined;
  hasDefaultBranchOnly: boolean;
}

/** An owner has one repository of each family: where there is one already, it is returned. */
export async function createFork(
  kernel: Kernel,
  actor: Actor,
  { repository: opened, owner: parentOwner }: FoundRepository,
  { owner, name, hasDefaultBranchOnly }: NewFork,
): Promise<FoundRepository> {
  kernel.services.git.require();
  const { found, work } = await kernel.changes.run(
    actor,
    async (tx): Promise<{ found: FoundRepository; work?: CopyWork }> => {
      const { db } = tx;
      await lockCreation(db, actor.caller, owner);
      const parent = await lockRepository(db, opened.number);
      if (parent === undefined || parent.isPrivate !== opened.isPrivate) throw repositoryNotFound();
      const sourceNumber = await lockSource(db, parent);
      const existing = await findInFamily(db, owner.id, sourceNumber);
      if (existing !== undefined) return { found: { repository: existing, owner } };
      const created = await insertLocked(tx, owner, {
        ...copiedFields(parent),
        name: name ?? (await findFreeRepositoryName(db, owner, parent.name)),
        description: parent.description,
        isPrivate: parent.isPrivate,
        settings: { ...DEFAULT_REPOSITORY_SETTINGS, homepage: parent.settings.homepage, hasIssues: false },
        parentNumber: parent.number,
        sourceNumber,
        binding: parent.isPrivate ? 'fork' : null,
      });
      // Of a fork that was shared with somebody who may not read its source.
      if (await isWithheld(db, created.repository))
        throw new Failure(
          'denied',
          `A fork of a private repository needs an owner who may read its source, and ${owner.login} may not.`,
        );
      await addToForkCount(db, parent.number, 1);
      const details = { forkee: created } satisfies EventDetails['fork'];
      const forked = { ...parent, forkCount: parent.forkCount + 1 };
      await recordEvent(tx, { name: 'fork', details }, { found: { repository: forked, owner: parentOwner } });
      const copy: CopyWork = {
        number: created.repository.number,
        from: parent.number,
        ...(hasDefaultBranchOnly && { onlyBranch: `refs/heads/${parent.defaultBranch}` }),
      };
      await scheduleCopy(db, copy, actor.now);
      return { found: created, work: copy };
    },
  );
  if (work !== undefined) await copyNow(kernel, work);
  return found;
}

/** A source that is being deleted is no longer one. Forks have larger numbers than their sources: all lock them first. */
async function lockSource(tx: Db, { number, sourceNumber }: Repository): Promise<number> {
  const source = sourceNumber === null ? undefined : await lockRepository(tx, sourceNumber);
  return source?.number ?? number;
}

export interface NewFromTemplate {
  owner: RepositoryOwner;
  name: string;
  description: string | null;
  isPrivate: boolean;
  binding: RepositoryBinding | null;
  hasAllBranches: boolean;
}

export async function createFromTemplate(
  kernel: Kernel,
  actor: Actor,
  { repository: template }: FoundRepository,
  { owner, name, description, isPrivate, binding, hasAllBranches }: NewFromTemplate,
): Promise<FoundRepository> {
  kernel.services.git.require();
  const accountId = accountOf(actor.caller).id;
  const { found, work } = await kernel.changes.run(actor, async (tx) => {
    const { db } = tx;
    await lockCreation(db, actor.caller, owner);
    const settings = DEFAULT_REPOSITORY_SETTINGS;
    const fields = { ...copiedFields(template), name, description, isPrivate, settings, binding };
    const created = await insertLocked(tx, owner, fields);
    const copy: CopyWork = {
      number: created.repository.number,
      from: template.number,
      template: { hasAllBranches, accountId, at: actor.now },
    };
    await scheduleCopy(db, copy, actor.now);
    return { found: created, work: copy };
  });
  await copyNow(kernel, work);
  return found;
}

/** What the files decide. */
function copiedFields({
  defaultBranch,
  license,
  languages,
  language,
  sizeKb,
}: Repository): Pick<
  NewRepository,
  'defaultBranch' | 'license' | 'languages' | 'language' | 'sizeKb' | 'isCopy'
> {
  return { defaultBranch, license, languages, language, sizeKb, isCopy: true };
}

/** Forks of a private repository are copies that its owner no longer controls. */
export async function requireMayFork(db: Db, { repository, owner }: FoundRepository): Promise<void> {
  if (!repository.isPrivate) return;
  const organization =
    owner.type === 'Organization' ? await findOrganization(db, { id: owner.id }) : undefined;
  const isAllowed = organization?.settings.membersCanForkPrivateRepositories ?? true;
  if (repository.settings.allowForking && isAllowed) return;
  throw new Failure(
    'denied',
    'Forks of this private repository are not allowed. Its administrators can allow them.',
  );
}
