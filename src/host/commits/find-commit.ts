// Finds the commit that a revision means, and the commits of ids, with the users behind their addresses; and the errors for what is not there.
import type { Static } from '../../kernel/schema/schema.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { GitCommit } from '../git/objects/commit-object.ts';
import type { GitRepository } from '../git/repository.ts';
import { absentPartAt } from '../absent-parts.ts';
import { listAuthors } from '../owners/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { toCommit, type CommitReply } from './model.ts';

/** Throws where no branch, tag or commit has this name: what `missing` returns, or that the repository is empty. */
export async function findCommit(
  git: GitRepository,
  revision: string,
  missing: () => Failure | Promise<Failure> = () =>
    new Failure('not-found', `There is no branch, tag or commit ${revision}`),
): Promise<GitCommit> {
  const commit = await git.resolveCommit(revision);
  if (commit !== undefined) return commit;
  if ((await git.listRefs({ prefix: 'refs/heads/', limit: 1 })).length === 0) throw emptyRepository();
  throw await missing();
}

/** The error of routes whose paths name a commit. */
export function noCommitFound(sha: string): Failure {
  return new Failure('invalid', `No commit found for SHA: ${sha.slice(0, 100)}`);
}

/** Names of branches have few slashes. */
const MAX_PARTS = 8;

/** Of an address that ends with the name of a commit. Where the beginning of that is one, the rest is an unknown path below. */
export async function noCommitAt(git: GitRepository, path: string, url: string): Promise<Failure> {
  const missing = new Failure('not-found', 'There is nothing at this path below the commit');
  if (absentPartAt(url) !== undefined) return missing;
  const parts = path.split('/', MAX_PARTS);
  for (let end = 1; end <= parts.length; end += 1) {
    const beginning = parts.slice(0, end).join('/');
    if (beginning !== path && (await git.resolveCommit(beginning)) !== undefined) return missing;
  }
  return noCommitFound(path);
}

function emptyRepository(): Failure {
  return new Failure('conflict', 'Git Repository is empty.');
}

/** In the order of the ids. */
export async function readCommits(git: GitRepository, oids: readonly string[]): Promise<GitCommit[]> {
  const commits = await Promise.all(oids.map((oid) => git.readCommit(oid)));
  return commits.filter((commit) => commit !== undefined);
}

/** As replies show them. */
export async function showCommits(
  db: Db,
  commits: readonly GitCommit[],
  found: FoundRepository,
  base: string,
): Promise<Static<typeof CommitReply>[]> {
  const emails = new Set(commits.flatMap(({ author, committer }) => [author.email, committer.email]));
  const authors = await listAuthors(db, emails);
  return commits.map((commit) => toCommit(commit, authors, found, base));
}

export async function showCommit(
  db: Db,
  commit: GitCommit,
  found: FoundRepository,
  base: string,
): Promise<Static<typeof CommitReply>> {
  const [shown] = await showCommits(db, [commit], found, base);
  return shown!;
}

/** Clients know a repository without commits by this error. */
export async function missingFrom(git: GitRepository, message: string): Promise<Failure> {
  return (await isEmpty(git)) ? emptyRepository() : new Failure('not-found', message);
}

/** Lists of an empty repository are that error, too. */
export async function checkNotEmpty(git: GitRepository): Promise<void> {
  if (await isEmpty(git)) throw emptyRepository();
}

async function isEmpty(git: GitRepository): Promise<boolean> {
  return (await git.listRefs({ prefix: 'refs/heads/', limit: 1 })).length === 0;
}

/** The error for a branch that does not exist. */
export function branchNotFound(): Failure {
  return new Failure('not-found', 'Branch not found', { code: 'branch' });
}
