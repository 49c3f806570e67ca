// Writes and removes single files, each with one commit on a branch.
import { Failure } from '../../kernel/failure.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { commitFiles, type CommittedFiles } from '../git/commit-files.ts';
import type { GitCommit } from '../git/commit-object.ts';
import type { GitRepository } from '../git/repository.ts';
import { checkPath, isBranchName } from '../git/revision.ts';
import { ONE_COMMIT } from '../protection/changed-history.ts';
import { requireRefChange, type RefChange } from '../protection/check-ref-changes.ts';
import { changeRefs } from '../pushes/change-refs.ts';
import type { FoundRepository } from '../repositories/access.ts';
import type { Repository } from '../repositories/repository.ts';
import { personsOf } from './file-commit.ts';
import { contentNotFound } from './find-content.ts';

interface SentChange {
  path: string;
  /** Undefined removes the file. */
  content: Buffer | undefined;
  message: string;
  sha?: string;
  branch?: string;
  author?: { name: string; email: string; date?: string };
  committer?: { name: string; email: string; date?: string };
}

export interface WrittenFile extends CommittedFiles {
  branch: string;
  isNew: boolean;
}

/** Where anything is wrong, nothing is written. */
export async function writeFile(
  kernel: Kernel,
  actor: { caller: KnownCaller; now: number },
  found: FoundRepository,
  sent: SentChange,
): Promise<WrittenFile> {
  const { repository } = found;
  checkPath(sent.path);
  const git = kernel.services.git.repository(repository.number);
  const branch = (sent.branch ?? repository.defaultBranch).replace(/^refs\/heads\//, '');
  const ref = `refs/heads/${branch}`;
  const parent = await findBranchCommit(git, repository, branch);
  const isNew = await checkSha(git, parent, sent);
  const commit = {
    ref,
    parent,
    changes: [{ path: sent.path, content: sent.content }],
    ...personsOf(sent, actor),
    message: sent.message,
    check: (update: RefChange) =>
      requireRefChange(kernel, found, actor.caller, update, {
        history: ONE_COMMIT,
        failed: `Could not ${sent.content === undefined ? 'delete' : isNew ? 'create' : 'update'} file`,
      }),
  };
  const committed = await commitFiles(git, commit, (updates) => changeRefs(kernel, actor, found, updates));
  return { ...committed, branch, isNew };
}

/** Undefined where the default branch is created by its first commit. */
async function findBranchCommit(
  git: GitRepository,
  { defaultBranch }: Repository,
  branch: string,
): Promise<GitCommit | undefined> {
  const oid = isBranchName(branch) ? await git.readRef(`refs/heads/${branch}`) : undefined;
  if (oid !== undefined) return await git.readCommit(oid);
  if (branch === defaultBranch) return undefined;
  throw new Failure('not-found', `Branch ${branch} not found`, { code: 'no-branch' });
}

/** Returns whether there is no such file yet. */
async function checkSha(
  git: GitRepository,
  parent: GitCommit | undefined,
  { path, sha, content }: SentChange,
): Promise<boolean> {
  const current = parent && (await git.findEntry(parent.oid, path));
  const isRemoval = content === undefined;
  if (current?.kind === 'tree' || current?.kind === 'commit')
    throw new Failure('invalid', `${path} is not a file`);
  if (current === undefined && isRemoval) throw contentNotFound();
  if (current !== undefined && sha === undefined)
    throw new Failure('invalid', 'Invalid request.\n\n"sha" wasn\'t supplied.');
  if (sha !== undefined && current?.oid !== sha)
    throw new Failure('conflict', `${path} does not match ${sha}`);
  return current === undefined;
}
