// Fills the folders of forks and of repositories from templates. Due work does it again where a server died before it had.
import { Failure } from '../../kernel/failure.ts';
import type { BackgroundWork } from '../../kernel/http/protocol.ts';
import { findAccount, type Account } from '../../kernel/identity/store-accounts.ts';
import { schedule } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { type GitTarget, runChange, streamGit } from '../git/git-target.ts';
import { buildCommit } from '../git/objects/new-object.ts';
import { checkedObjectId } from '../git/objects/object-id.ts';
import type { GitRepository } from '../git/repository.ts';
import { updateRefs } from '../git/refs/update-refs.ts';
import { writeObjects } from '../git/objects/write-objects.ts';
import { limitedWork } from '../maintenance/schedule-maintenance.ts';
import { personOf } from '../owners/model.ts';
import type { Repository } from '../repositories/repository.ts';
import { findRepositoryByNumber } from '../repositories/store.ts';

const COPY_REPOSITORY = 'host.copy-repository';
/** Usually the call that creates the repository has filled its folder long before. */
const RETRY_MS = 30_000;

export interface CopyWork {
  /** Of the new repository. */
  number: number;
  /** Of the one that it is copied from. */
  from: number;
  /** For a fork: the full name of the only branch to copy. */
  onlyBranch?: string;
  /** Copies files without their history, in the name of an account. */
  template?: { hasAllBranches: boolean; accountId: string; at: number };
}

/** In the transaction that inserts the repository. */
export async function scheduleCopy(tx: Db, work: CopyWork, now: number): Promise<void> {
  const id = `${COPY_REPOSITORY}:${work.number}`;
  const payload = JSON.stringify(work);
  await schedule(tx, { id, kind: COPY_REPOSITORY, payload, dueAt: now + RETRY_MS }, now);
}

/** Where it fails, the scheduled work tries it again: until then the repository is read as an empty one. */
export async function copyNow(kernel: Kernel, work: CopyWork): Promise<void> {
  try {
    await copyOnce(kernel, work);
  } catch (error) {
    kernel.log.warn({ err: error, repository: work.number }, 'A repository is to be copied later');
  }
}

export function copyHandlers(kernel: Kernel): BackgroundWork {
  return {
    handlers: {
      [COPY_REPOSITORY]: limitedWork(kernel, async ({ payload }) => {
        await copyOnce(kernel, JSON.parse(payload) as CopyWork);
      }),
    },
  };
}

async function copyOnce(kernel: Kernel, work: CopyWork): Promise<void> {
  const { db, services } = kernel;
  const { git } = services;
  const { number } = work;
  const repository = await findRepositoryByNumber(db, number);
  if (repository === undefined || (await git.exists(number))) return;
  try {
    await fillFolder(kernel, repository, work);
  } catch (error) {
    // Another process may have been faster.
    if (!(await git.exists(number))) throw error;
  }
  // If it was deleted meanwhile, nothing else removes the folder.
  if ((await findRepositoryByNumber(db, number)) === undefined) await git.removeRepository(number);
}

async function fillFolder(
  { db, services: { git } }: Kernel,
  { number, defaultBranch }: Repository,
  { from, onlyBranch, template }: CopyWork,
): Promise<void> {
  const account = template && (await findAccount(db, { id: template.accountId }));
  const source = await findRepositoryByNumber(db, from);
  const hasSource = await git.exists(from);
  if (!hasSource && source !== undefined)
    throw new Failure('unavailable', `The repository ${from} is itself still being copied.`);
  if (!hasSource || (template !== undefined && account === undefined))
    await git.createRepository(number, defaultBranch);
  else if (template !== undefined)
    await git.fillRepository(number, defaultBranch, (target) =>
      writeTemplate(git.repository(from), target, { ...template, defaultBranch, account: account! }),
    );
  else
    await git.forkRepository(from, number, {
      defaultBranch,
      ...(onlyBranch && { onlyBranch }),
      // What was pushed to a private repository and taken back is nobody else's.
      onlyReachable: source?.isPrivate ?? true,
    });
}

const MAX_BRANCHES = 1000;

interface TemplateOptions {
  defaultBranch: string;
  hasAllBranches: boolean;
  /** The author of the commits. */
  account: Account;
  at: number;
}

/** One commit for each branch, without the template's history. The new repository is empty where the template is. */
async function writeTemplate(
  template: GitRepository,
  target: GitTarget,
  { defaultBranch, hasAllBranches, account, at }: TemplateOptions,
): Promise<void> {
  const main = `refs/heads/${defaultBranch}`;
  const listed = await template.listRefs({
    prefix: hasAllBranches ? 'refs/heads/' : main,
    limit: MAX_BRANCHES,
  });
  const refs = hasAllBranches ? listed : listed.filter(({ name }) => name === main);
  const commits = await Promise.all(refs.map(({ oid }) => template.readCommit(oid)));
  const trees = commits.map((commit) => commit!.tree);
  if (trees.length === 0) return;
  await copyTrees(template, target, [...new Set(trees)]);
  const person = personOf(account, at);
  const initial = (tree: string) =>
    buildCommit({ tree, parents: [], author: person, committer: person, message: 'Initial commit\n' });
  const objects = trees.map(initial);
  await writeObjects(target, objects);
  await updateRefs(
    target,
    refs.map(({ name }, index) => ({ name, from: undefined, to: objects[index]!.oid })),
  );
}

const TIMEOUT_MS = 120_000;
const MAX_OUTPUT = 1024;

/**
 * With all that is in them, and without the commits that have them. `target` is a repository that nobody else uses
 * yet.
 */
async function copyTrees(source: GitTarget, target: GitTarget, trees: readonly string[]): Promise<void> {
  const wanted = trees.map((tree) => `${checkedObjectId(tree)}\n`).join('');
  const pack = streamGit(source, ['pack-objects', '--revs', '--stdout', '-q'], {
    input: wanted,
    work: 'transfer',
    timeoutMs: TIMEOUT_MS,
  });
  await runChange(target, ['index-pack', '--stdin', '--strict'], {
    input: pack,
    work: 'transfer',
    timeoutMs: TIMEOUT_MS,
    maxOutput: MAX_OUTPUT,
  });
}
