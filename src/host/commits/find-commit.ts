// Finds the commit that a revision means, and the commits of ids, with the users behind their addresses.
import type { Static } from '../../kernel/schema.ts';
import { Failure } from '../../kernel/failure.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { GitCommit } from '../git/commit-object.ts';
import type { GitRepository } from '../git/repository.ts';
import { listAuthors } from '../owners/store-authors.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { toCommit, type CommitReply } from './model.ts';

/** Throws where no branch, tag or commit has this name: `missing`, or that the repository is empty. */
export async function findCommit(
  git: GitRepository,
  revision: string,
  missing = new Failure('not-found', `There is no branch, tag or commit ${revision}`),
): Promise<GitCommit> {
  const commit = await git.resolveCommit(revision);
  if (commit !== undefined) return commit;
  if ((await git.listRefs({ prefix: 'refs/heads/', limit: 1 })).length === 0) throw emptyRepository();
  throw missing;
}

/** The error of routes whose paths name a commit. */
export function noCommitFound(sha: string): Failure {
  return new Failure('invalid', `No commit found for SHA: ${sha.slice(0, 100)}`);
}

export function emptyRepository(): Failure {
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
