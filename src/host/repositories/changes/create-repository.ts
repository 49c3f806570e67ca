// Creates repositories: the row with its audit entry, the folder, and the commit that it may begin with.
import type { ChangeActor } from '../../../kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../../kernel/change/changes.ts';
import { Failure } from '../../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../../kernel/identity/caller.ts';
import { shareLockAccount } from '../../../kernel/identity/store-accounts.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import type { Db } from '../../../kernel/storage/tables.ts';
import { recordEvent } from '../../events/record-event.ts';
import { personOf, type RepositoryOwner } from '../../owners/model.ts';
import { shareLockOwner } from '../../owners/store.ts';
import { commitFiles } from '../../git/commit-files.ts';
import { ignoredFilesOf, IGNORE_TEMPLATES } from '../../gitignore/templates.ts';
import { insertDefaultLabels } from '../../labels/store.ts';
import { changeRefs } from '../../pushes/push.ts';
import { findLicenseId } from '../../licenses/license.ts';
import { licenseTextOf } from '../../licenses/recognize-license.ts';
import { REPOSITORY_CHANNEL, type FoundRepository } from '../access.ts';
import { DEFAULT_REPOSITORY_SETTINGS } from '../repository.ts';
import { auditedRepository, isPrivateIn, settingsAfter, type SentRepository } from '../requests.ts';
import { insertRepository, lockRepositoryNames, type NewRepository } from '../store.ts';
import { grantToCreator } from './creation-owner.ts';
import { scheduleDeletion } from './repository-work.ts';
import { checkedName, checkNameFree, repositoryChange } from './change-repository.ts';

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
  if (repository.parentNumber === null) await insertDefaultLabels(db, repository.number);
  if (actor.caller !== undefined) await grantToCreator(db, actor.caller, repository, owner, actor.now);
  tx.record({
    ...repositoryChange('createRepository', 'created', found),
    after: auditedRepository(repository),
  });
  await recordEvent(tx, { name: 'repository', action: 'created', details: {} }, { found });
  await tx.invalidate(REPOSITORY_CHANNEL);
  return found;
}

/** With the commit that the repository may begin with: README, licence and ignored files. */
async function createFolder(
  kernel: Kernel,
  actor: { caller: KnownCaller; now: number },
  found: FoundRepository,
  files: ReadonlyMap<string, string>,
): Promise<void> {
  const { number, defaultBranch } = found.repository;
  const git = await kernel.services.git.createRepository(number, defaultBranch);
  if (files.size === 0) return;
  const ref = `refs/heads/${defaultBranch}`;
  const person = personOf(accountOf(actor.caller), actor.now);
  const commit = {
    ref,
    parent: undefined,
    changes: [...files].map(([path, text]) => ({ path, content: Buffer.from(text) })),
    author: person,
    committer: person,
    message: 'Initial commit\n',
  };
  await commitFiles(git, commit, (updates) => changeRefs(kernel, actor, found, updates));
}

interface InitialFiles {
  /** Contents by path. Empty where the repository begins without a commit. */
  files: Map<string, string>;
  /** The SPDX identifier of the chosen licence. */
  license: string | null;
}

interface InitialFacts {
  name: string;
  /** The full name of the licence's holder. */
  owner: string;
  year: number;
}

function initialFilesOf(sent: SentRepository, { name, owner, year }: InitialFacts): InitialFiles {
  const files = new Map<string, string>();
  const { auto_init: begins, gitignore_template: ignore, license_template: licenseKey, description } = sent;
  if (begins === true) {
    const about = description ? `\n${description}\n` : '';
    files.set('README.md', `# ${name}\n${about}`);
  }
  if (ignore) files.set('.gitignore', ignoredFiles(ignore));
  if (!licenseKey) return { files, license: null };
  const { id, text } = findLicense(licenseKey);
  files.set('LICENSE', fillLicense(text, owner, year));
  return { files, license: id };
}

function ignoredFiles(template: string): string {
  const patterns = ignoredFilesOf(template);
  if (patterns !== undefined) return patterns;
  throw invalidTemplate('gitignore_template', template, IGNORE_TEMPLATES.join(', '));
}

function findLicense(key: string): { id: string; text: string } {
  const id = findLicenseId(key);
  if (id === undefined)
    throw invalidTemplate('license_template', key, 'an SPDX identifier, such as mit or apache-2.0');
  return { id, text: licenseTextOf(id) };
}

/** The places for year and holder are written in a few ways. */
function fillLicense(text: string, owner: string, year: number): string {
  const filled = text
    .replaceAll(/[<[{]\s*(?:year|yyyy)\s*[>\]}]/gi, String(year))
    .replaceAll(
      /[<[{]\s*(?:copyright holders?|name of (?:copyright owner|author)|fullname|owner)\s*[>\]}]/gi,
      () => owner,
    );
  return filled.endsWith('\n') ? filled : `${filled}\n`;
}

function invalidTemplate(field: string, given: string, known: string): Failure {
  return new Failure('invalid', `"${given}" is no template: use one of ${known}`, {
    fields: [{ field, message: `must be one of: ${known}` }],
  });
}
