// Pull requests follow the branches that pushes move: new commits, deleted branches, and heads that have reached their base.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { systemActor } from '../../kernel/identity/actor.ts';
import { hasWorkBelow, type DueHandler } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { isAncestor, listMissingCommitIds } from '../git/history/history.ts';
import type { GitRepository } from '../git/repository.ts';
import { lockIssue } from '../issues/store.ts';
import { listOwners } from '../owners/store.ts';
import { makesApprovalsStale } from '../protection/stale-reviews.ts';
import { listRecordedRefs } from '../pushes/store.ts';
import { settleMerge } from '../pull-merges/settle-merge.ts';
import { listMergeIntentsInto } from '../pull-merges/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { findRepositoryByNumber } from '../repositories/store.ts';
import { moveComments } from '../review-comments/move-comments.ts';
import { hasIssueEvent, insertIssueEvents } from '../timeline/store.ts';
import {
  closeAsMerged,
  closeWithoutBranch,
  editPull,
  moveHead,
  renamePullBranch,
  setHeadPusher,
} from './change-pull.ts';
import { findNextBase } from './find-next-base.ts';
import { findPusher } from './find-pusher.ts';
import { branchRef, type Pull } from './pull.ts';
import {
  bringCommits,
  describeCommits,
  measureEnds,
  readBranch,
  targetOf,
  writePullHead,
} from './pull-git.ts';
import { FOLLOW_PUSH, followPushId, SYNC_PULL, type FollowedMove } from './schedule-work.ts';
import {
  findHeadPusher,
  findPull,
  isPullOpen,
  listClosedPullsFrom,
  listPullsFrom,
  listPullsInto,
} from './store.ts';

/** Each pull request in a transaction of its own. What is done already is not done again. */
export function pullHandlers(kernel: Kernel): Record<string, DueHandler> {
  const { db } = kernel;
  return {
    async [FOLLOW_PUSH]({ payload }, signal) {
      const move = JSON.parse(payload) as FollowedMove;
      // First: what was merged here is known better than its commits say.
      for (const intent of await listMergeIntentsInto(db, move.number, move.branch))
        await settleMerge(kernel, intent);
      if (move.renamedTo !== undefined && (await followRenaming(kernel, move, move.renamedTo))) return;
      for (const pull of await listReached(kernel, move)) {
        if (signal.aborted) throw signal.reason as Error;
        await followBase(kernel, pull, move);
      }
      for (const pull of await listPullsFrom(db, move.number, move.branch)) {
        if (signal.aborted) throw signal.reason as Error;
        await followHead(kernel, pull, move);
      }
      if (move.to === undefined && move.from !== undefined) await recordDeletion(kernel, move, move.from);
    },
    async [SYNC_PULL]({ payload }, signal) {
      const { issueId } = JSON.parse(payload) as { issueId: number };
      await syncPull(kernel, issueId);
      const current = (await isPullOpen(db, issueId)) ? await findPull(db, issueId) : undefined;
      if (current !== undefined) await moveComments(kernel, current, signal);
    },
  };
}

/** False where the branch of the new name is gone, too: then it counts as deleted. */
async function followRenaming(kernel: Kernel, move: FollowedMove, to: string): Promise<boolean> {
  const { db, services } = kernel;
  const { number, branch: from } = move;
  if ((await readBranch(services.git.repository(number), to)) === undefined) return false;
  const sides = [
    ...(await listPullsInto(db, number, from)).map((pull) => ({ pull, which: 'base' as const })),
    ...(await listPullsFrom(db, number, from)).map((pull) => ({ pull, which: 'head' as const })),
  ];
  for (const { pull, which } of sides)
    await change(kernel, pull, move, (tx, found) =>
      renamePullBranch(tx, found, pull.issueId, { which, from, to }),
    );
  return true;
}

/** Brings it up to date with its branch, whoever has pushed that. */
export async function syncPull(kernel: Kernel, issueId: number): Promise<void> {
  const { db } = kernel;
  const pull = (await isPullOpen(db, issueId)) ? await findPull(db, issueId) : undefined;
  if (pull !== undefined && pull.headRepositoryNumber !== null)
    await followHead(kernel, pull, { number: pull.headRepositoryNumber, branch: pull.headRef });
  await writePullHead(kernel, issueId);
}

/** More commits than these are not read to find out which heads are among them. */
const MAX_NEW = 100_000;

/** Those that may be merged by it, or whose base is gone: one walk through the new commits for all. */
async function listReached({ db, services }: Kernel, move: FollowedMove): Promise<Pull[]> {
  const { number, branch, from, to } = move;
  const pulls = await listPullsInto(db, number, branch);
  if (pulls.length === 0 || to === undefined || from === undefined) return pulls;
  const git = services.git.repository(number);
  const infos = await git.infos([from, to]);
  if (infos.includes(undefined)) return pulls;
  const oids = new Set(await listMissingCommitIds(git, { tip: to, without: [from], limit: MAX_NEW }));
  return oids.size === MAX_NEW ? pulls : pulls.filter(({ headSha }) => oids.has(headSha));
}

/** A head that has reached the base is merged; a base that is gone closes it. */
async function followBase(kernel: Kernel, pull: Pull, move: FollowedMove): Promise<void> {
  if (await settleMerged(kernel, pull, move)) return;
  const git = kernel.services.git.repository(pull.repositoryNumber);
  if (move.to !== undefined || (await readBranch(git, pull.baseRef)) !== undefined) return;
  const base = await findNextBase(kernel, pull, move.from);
  await change(kernel, pull, move, async (tx, found) =>
    base === undefined
      ? await closeWithoutBranch(tx, found, pull.issueId, 'base')
      : void (await editPull(tx, found, pull.issueId, { base })),
  );
}

/** Further commits of the base are not looked through for the one that merged. */
const MAX_LOOKED = 2048;

/** True where the base has the head by now. */
async function settleMerged(kernel: Kernel, pull: Pull, move: FollowedMove): Promise<boolean> {
  const git = kernel.services.git.repository(pull.repositoryNumber);
  const base = await readBranch(git, pull.baseRef);
  const { headSha, issueId } = pull;
  if (base === undefined || !(await isAncestor(git, headSha, base))) return false;
  const mergeCommitSha = await findMergeCommit(git, headSha, base);
  const before =
    move.branch === pull.baseRef && move.number === pull.repositoryNumber ? move.from : undefined;
  const isBefore = before !== undefined && !(await holds(git, before, headSha));
  const facts = { headSha, mergeCommitSha, baseSha: isBefore ? before : pull.baseSha };
  await change(kernel, pull, move, (tx, found) => closeAsMerged(tx, found, issueId, facts));
  return true;
}

async function holds(git: GitRepository, commit: string, ancestor: string): Promise<boolean> {
  return (await git.readInfo(commit)) !== undefined && (await isAncestor(git, ancestor, commit));
}

/** The merge that has the head as a parent; the head itself where the base was moved forward to it. */
async function findMergeCommit(git: GitRepository, head: string, base: string): Promise<string> {
  const oids = await listMissingCommitIds(git, { tip: base, without: [head], limit: MAX_LOOKED });
  for (const oid of oids.reverse()) {
    const commit = await git.readCommit(oid);
    if (commit === undefined || !commit.parents.includes(head)) continue;
    return commit.parents.length > 1 && commit.parents[0] !== head ? oid : head;
  }
  return head;
}

const MAX_TRIES = 20;

/**
 * Where the pull request has the commit that this push moved from, it takes that which it moved to; else it takes the one that the branch has,
 * because pushes may be followed out of their order.
 */
async function followHead(kernel: Kernel, pull: Pull, move: FollowedMove): Promise<void> {
  const git = kernel.services.git.repository(pull.repositoryNumber);
  const headGit = kernel.services.git.repository(move.number);
  let current: Pull | undefined = pull;
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const isNext = current.headSha === move.from && move.to !== undefined;
    const branch = await readBranch(headGit, move.branch);
    const to = isNext && (await headGit.readInfo(move.to!)) !== undefined ? move.to : branch;
    if (to === current.headSha) {
      await recordPusher(kernel, current, move);
      return await writePullHead(kernel, pull.issueId);
    }
    const by = await withPusher(kernel, move, to);
    if (to === undefined) return await followDeletion(kernel, current, by);
    if (await takeCommits(kernel, current, { git, headGit, to, move: by })) return;
    current = (await isPullOpen(kernel.db, pull.issueId))
      ? await findPull(kernel.db, pull.issueId)
      : undefined;
    if (current === undefined) return;
  }
  throw new Error(`Too many pushes to pull request ${pull.issueId} at once.`);
}

/** Other work may come before that of the push. Whose push it was must be right all the same: they do not approve it. */
async function withPusher(kernel: Kernel, move: FollowedMove, to: string | undefined): Promise<FollowedMove> {
  const isOwn = to === undefined ? move.to === undefined && move.from !== undefined : move.to === to;
  return isOwn ? move : { ...move, pusherId: await findPusher(kernel, move, to) };
}

/** Where other work has taken the head over before. */
async function recordPusher(kernel: Kernel, pull: Pull, move: FollowedMove): Promise<void> {
  const { issueId, headSha } = pull;
  if (move.pusherId === undefined || move.to !== headSha) return;
  if ((await findHeadPusher(kernel.db, issueId)) !== null) return;
  await change(kernel, pull, move, (tx, found) => setHeadPusher(tx, found, issueId, headSha));
}

/** A head that was merged and deleted with one push is merged. */
async function followDeletion(kernel: Kernel, pull: Pull, move: FollowedMove): Promise<void> {
  // The repository of a fork that is being deleted has no branches any more, and its pull requests go on.
  if ((await findRepositoryByNumber(kernel.db, move.number)) === undefined) return;
  if (await settleMerged(kernel, pull, move)) return;
  if (await isLeftToOthers(kernel, move)) return;
  await change(kernel, pull, move, (tx, found) =>
    closeWithoutBranch(tx, found, pull.issueId, 'head', move.branch),
  );
}

/** Only the work of the move that deleted the branch knows whether it goes on under another name; for one that was opened later there is none. */
async function isLeftToOthers({ db }: Kernel, { number, branch, from, to }: FollowedMove): Promise<boolean> {
  if (to !== undefined) return true;
  if (from !== undefined) return false;
  const recorded = await listRecordedRefs(db, number, [branchRef(branch)]);
  return recorded.size > 0 || (await hasWorkBelow(db, followPushId(number)));
}

interface HeadMove {
  git: GitRepository;
  headGit: GitRepository;
  to: string;
  move: FollowedMove;
}

/** False where another push came first. */
async function takeCommits(
  kernel: Kernel,
  pull: Pull,
  { git, headGit, to, move }: HeadMove,
): Promise<boolean> {
  const { issueId, headSha: from } = pull;
  const base = (await readBranch(git, pull.baseRef)) ?? pull.baseSha;
  const ends = { base, head: to };
  const { update } = await measureEnds(targetOf(git, headGit), ends);
  await bringCommits(kernel, git, headGit, ends);
  const isKnown = (await git.readInfo(from)) !== undefined;
  const isForced = !isKnown || !(await isAncestor(git, from, to));
  const commits = await describeCommits(git, to, isKnown ? [base, from] : [base]);
  const makesStale = await makesApprovalsStale(kernel.db, git, pull, ends);
  const head = { from, update: { ...update, headSha: to }, isForced, makesStale, commits };
  const isTaken = await change(kernel, pull, move, (tx, found) => moveHead(tx, found, issueId, head));
  if (isTaken === true) await writePullHead(kernel, issueId);
  return isTaken !== false;
}

/** Closed pull requests remember that their branch was deleted, once. */
async function recordDeletion(kernel: Kernel, move: FollowedMove, from: string): Promise<void> {
  const deleted = { event: 'head_ref_deleted', actorId: move.pusherId ?? null };
  for (const pull of await listClosedPullsFrom(kernel.db, move.number, move.branch, from))
    await change(kernel, pull, move, async ({ db, actor }) => {
      const issue = await lockIssue(db, pull.issueId);
      if (issue === undefined || (await hasIssueEvent(db, issue.id, deleted.event))) return;
      await insertIssueEvents(db, issue, [deleted], actor.now);
    });
}

/** As the person who pushed. Undefined where the repository is gone. */
async function change<Result>(
  { db, changes, clock, identity }: Kernel,
  { repositoryNumber }: Pull,
  { pusherId }: FollowedMove,
  work: (tx: ChangeTransaction, found: FoundRepository) => Promise<Result>,
): Promise<Result | undefined> {
  const repository = await findRepositoryByNumber(db, repositoryNumber);
  const owner = repository && (await listOwners(db, [repository.ownerId])).get(repository.ownerId);
  if (repository === undefined || owner === undefined) return undefined;
  const now = clock.now();
  const caller = pusherId === undefined ? undefined : await identity.callerOfAccount(db, pusherId, now);
  const actor = systemActor({ now, id: FOLLOW_PUSH, ...(caller && { caller }) });
  return await changes.run(actor, (tx) => work(tx, { repository, owner }));
}
