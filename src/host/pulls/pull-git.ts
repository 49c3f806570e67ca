// The git side of pull requests: where their commits are, how many there are, and the reference that keeps them.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { GitCommit } from '../git/objects/commit-object.ts';
import { listMissingCommitIds } from '../git/history/history.ts';
import { copyObjects } from '../git/merge/copy-objects.ts';
import { MAX_PULL_COMMITS, measurePull, type PullEnds, type PullMeasure } from '../git/merge/pull-changes.ts';
import type { GitTarget } from '../git/git-target.ts';
import type { GitRepository } from '../git/repository.ts';
import { RefUpdateRefused, updateRefs } from '../git/refs/update-refs.ts';
import type { NewIssueEvent } from '../timeline/store.ts';
import { countInflated } from '../transport/receive.ts';
import { branchRef, pullHeadRef, type Pull } from './pull.ts';
import { findPull, type PullUpdate } from './store.ts';

/** The commit that a branch has; undefined where there is no such branch. */
export async function readBranch(git: GitRepository, branch: string): Promise<string | undefined> {
  return await git.readRef(branchRef(branch));
}

/** Reads the objects of both repositories, before anything is copied. */
export function targetOf(base: GitRepository, head: GitRepository): GitTarget {
  if (base.number === head.number) return base;
  return { program: base.program, folder: base.folder, alternates: [head.folder] };
}

/** What a pull request compares: while it is open, with the branch as it is now. */
export async function endsOf(git: GitRepository, pull: Pull, isOpen: boolean): Promise<PullEnds> {
  const current = isOpen ? await readBranch(git, pull.baseRef) : undefined;
  const ends = { base: current ?? pull.baseSha, head: pull.headSha };
  // Of what was imported, the source may not have had all commits.
  if ((await git.infos([ends.base, ends.head])).includes(undefined))
    throw new Failure('not-found', 'The repository does not have the commits of the pull request');
  return ends;
}

/** As the row has it. What was found about merging holds for other commits. */
export async function measureEnds(
  target: GitTarget,
  ends: PullEnds,
): Promise<{ measure: PullMeasure; update: PullUpdate }> {
  const measure = await measurePull(target, ends);
  return {
    measure,
    update: {
      baseSha: ends.base,
      headSha: ends.head,
      commitCount: measure.ahead,
      additions: measure.additions,
      deletions: measure.deletions,
      changedFiles: measure.files,
      mergeable: null,
      rebaseable: null,
    },
  };
}

/** Brings the commits of a fork into the repository, within the limits of a push to it, before a row names them. */
export async function bringCommits(
  { db, services }: Kernel,
  base: GitRepository,
  head: GitRepository,
  { head: commit, base: known }: PullEnds,
): Promise<void> {
  if (base.number === head.number || (await base.readInfo(commit)) !== undefined) return;
  const { maxPushBytes, inflation } = services.packs;
  await copyObjects(head, base, [commit], {
    without: [known],
    maxBytes: maxPushBytes,
    limits: inflation,
    check: (bytes, target) =>
      countInflated(db, { row: { table: 'repositories', number: base.number }, target, bytes }, inflation),
  });
}

const MAX_TRIES = 5;

/**
 * Writes `refs/pull/N/head` as the row has it. The row is committed first, with due work that does the same: a crash between the
 * two loses nothing.
 */
export async function writePullHead({ db, services }: Kernel, issueId: number): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const pull = await findPull(db, issueId);
    if (pull === undefined) return;
    const git = services.git.repository(pull.repositoryNumber);
    const name = pullHeadRef(pull.number);
    const from = await git.readRef(name);
    if (from === pull.headSha) return;
    try {
      await updateRefs(git, [{ name, from, to: pull.headSha }]);
    } catch (error) {
      // Another call has written it meanwhile, perhaps for an older row.
      if (!(error instanceof RefUpdateRefused) || tries === MAX_TRIES) throw error;
    }
  }
}

/** Texts of all commits of a row in timelines, in characters: their authors may be hostile. */
const MAX_TEXTS = 512 * 1024;
const MAX_MESSAGE = 65_536;
const MAX_PERSON = 1000;

/** The rows of the commits that `head` has and none of the others has, the oldest first. */
export async function describeCommits(
  git: GitRepository,
  head: string,
  without: readonly string[],
): Promise<NewIssueEvent[]> {
  const oids = await listMissingCommitIds(git, { tip: head, without, limit: MAX_PULL_COMMITS });
  const events: NewIssueEvent[] = [];
  let left = MAX_TEXTS;
  for (const oid of oids) {
    const commit = await git.readCommit(oid);
    if (commit === undefined) continue;
    left -= Math.min(commit.message.length, MAX_MESSAGE);
    if (left < 0) break;
    events.push({
      event: 'committed',
      isListed: false,
      actorId: null,
      commitId: oid,
      details: detailsOf(commit),
    });
  }
  return events.reverse();
}

function detailsOf({ tree, parents, author, committer, message }: GitCommit): Record<string, unknown> {
  const person = ({ name, email, ...time }: GitCommit['author']) => ({
    ...time,
    name: name.slice(0, MAX_PERSON),
    email: email.slice(0, MAX_PERSON),
  });
  return {
    tree,
    parents,
    author: person(author),
    committer: person(committer),
    message: message.slice(0, MAX_MESSAGE),
  };
}
