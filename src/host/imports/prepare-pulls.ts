// What git knows of the pull requests of a batch: whether their commits are here, and which these are.
import type { GitRepository } from '../git/repository.ts';
import { readBranch, describeCommits } from '../pulls/pull-git.ts';
import type { NewIssueEvent } from '../timeline/store.ts';
import type { SentIssue } from './model.ts';

export interface PreparedCommits {
  /** Whether the repository has the head. */
  isHere: boolean;
  /** The commit of the base that the head is compared with. */
  baseSha: string;
  /** Rows of the timeline. */
  commits: NewIssueEvent[];
}

/** By number. Reads git, so no transaction is open. */
export async function prepareCommits(
  git: GitRepository,
  issues: readonly SentIssue[],
): Promise<Map<number, PreparedCommits>> {
  const pulls = issues.flatMap(({ number, pull }) => (pull === undefined ? [] : { number, pull }));
  const infos = await git.infos(pulls.flatMap(({ pull }) => [pull.head.sha, pull.base.sha]));
  const prepared = new Map<number, PreparedCommits>();
  for (const [index, { number, pull }] of pulls.entries()) {
    const isHere = infos[2 * index]?.type === 'commit';
    const isBaseHere = infos[2 * index + 1]?.type === 'commit';
    // A base whose history was rewritten has another commit now.
    const base = isBaseHere ? pull.base.sha : await readBranch(git, pull.base.ref);
    const commits = isHere && base !== undefined ? await describeCommits(git, pull.head.sha, [base]) : [];
    prepared.set(number, { isHere, baseSha: base ?? pull.base.sha, commits });
  }
  return prepared;
}
