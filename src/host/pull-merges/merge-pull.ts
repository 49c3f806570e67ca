// Merges a pull request: objects, intent, reference, rows. A crash between any two of them leaves it merged or not, never half. ADR 0139.
import { Failure } from '../../kernel/failure.ts';
import type { ChangeActor } from '../../kernel/identity/actor.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { passCheckpoint } from '../../kernel/jobs/checkpoint.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { GitRepository } from '../git/repository.ts';
import { RefUpdateRefused, type RefUpdate } from '../git/refs/update-refs.ts';
import { listIssuesById } from '../issues/store.ts';
import { findMergeViolations } from '../protection/check-merge.ts';
import type { OpenedPull } from '../pulls/access.ts';
import { closeByIntent, lockPull } from '../pulls/change-pull.ts';
import { syncPull } from '../pulls/follow-pushes.ts';
import { branchRef, notMergeable, pullNotFound, type Pull } from '../pulls/pull.ts';
import { readBranch } from '../pulls/pull-git.ts';
import { findPull } from '../pulls/store.ts';
import { changeRefs } from '../pushes/push.ts';
import type { RepositorySettings } from '../repositories/repository.ts';
import { insertCommitReference } from '../texts/store-references.ts';
import { createCommit, type MergeMethod } from './create-commit.ts';
import type { SentMessage } from './commit-message.ts';
import { settleMerge } from './settle-merge.ts';
import { deleteMergeIntent, insertMergeIntent, listMergeIntentsOf, type MergeIntent } from './store.ts';

interface PullMergeOrder extends SentMessage {
  method: MergeMethod;
  /** That the head must have. */
  sha?: string | undefined;
}

type MergeActor = ChangeActor & { caller: KnownCaller };

/** Long after most calls are over, and soon after a crash. */
const FINISH_AFTER_MS = 10_000;

/** Returns the commit that the base has then. */
export async function mergePull(
  kernel: Kernel,
  actor: MergeActor,
  called: OpenedPull,
  order: PullMergeOrder,
): Promise<string> {
  requireMethod(called.repository.settings, order.method);
  const opened = await withCurrentHead(kernel, called);
  requireMergeable(opened, order.sha);
  const git = kernel.services.git.repository(opened.repository.number);
  const base = await readBranch(git, opened.pull.baseRef);
  if (base === undefined) throw notMergeable();
  // After the base was read: a merge whose commit is not there by now cannot bring it without moving the base again.
  for (const intent of await listMergeIntentsOf(kernel.db, opened.issue.id))
    if (await settleMerge(kernel, intent)) throw notMergeable();
  await requireRules(kernel, actor, opened, { git, base, method: order.method });
  const { caller, now } = actor;
  const commitId = await createCommit(kernel, git, opened, { ...order, base, caller, now });
  passCheckpoint('made the commit of a merge');
  const intent = await recordIntent(kernel, actor, opened, { base, commitId, sha: order.sha });
  passCheckpoint('recorded the intent of a merge');
  await moveBase(kernel, actor, opened, intent);
  passCheckpoint('recorded the push of a merge');
  const finish = { dueAt: kernel.clock.now() + FINISH_AFTER_MS };
  // Due work may have come first, with the same result.
  await kernel.changes.run(actor, (tx) => closeByIntent(tx, opened, intent, finish));
  passCheckpoint('closed a merged pull request');
  return commitId;
}

const SWITCHES: Record<MergeMethod, readonly [keyof RepositorySettings, string]> = {
  merge: ['allowMergeCommit', 'Merge commits are not allowed on this repository.'],
  squash: ['allowSquashMerge', 'Squash merges are not allowed on this repository.'],
  rebase: ['allowRebaseMerge', 'Rebase merges are not allowed on this repository.'],
};

function requireMethod(settings: RepositorySettings, method: MergeMethod): void {
  const [setting, refusal] = SWITCHES[method];
  if (settings[setting] === false) throw notMergeable(refusal);
}

/** Pushes are followed by due work, which a caller who has just pushed need not wait for. */
async function withCurrentHead(kernel: Kernel, opened: OpenedPull): Promise<OpenedPull> {
  const { pull, issue } = opened;
  const { headRepositoryNumber: number, headRef } = pull;
  if (issue.state !== 'open' || number === null) return opened;
  const head = await readBranch(kernel.services.git.repository(number), headRef);
  if (head === pull.headSha) return opened;
  await syncPull(kernel, issue.id);
  const synced = (await listIssuesById(kernel.db, [issue.id])).get(issue.id);
  const syncedPull = await findPull(kernel.db, issue.id);
  if (synced === undefined || syncedPull === undefined) throw pullNotFound();
  return { ...opened, issue: synced, pull: syncedPull };
}

function requireMergeable(
  { issue, pull }: Pick<OpenedPull, 'issue' | 'pull'>,
  sha: string | undefined,
): void {
  if (issue.state !== 'open') throw notMergeable();
  if (sha !== undefined && sha.toLowerCase() !== pull.headSha) throw headModified();
  if (pull.isDraft) throw notMergeable('Pull Request is still a draft.');
}

interface RuledMerge {
  git: GitRepository;
  base: string;
  method: MergeMethod;
}

async function requireRules(
  kernel: Kernel,
  { caller }: MergeActor,
  opened: OpenedPull,
  { git, base, method }: RuledMerge,
): Promise<void> {
  const { issue, pull, role } = opened;
  const merge = { issue, pull, from: base, hasMerges: method === 'merge' };
  const violations = await findMergeViolations(kernel, opened, { caller, ...(role && { role }) }, merge, git);
  if (violations.length > 0) throw notMergeable(violations.map(({ message }) => message).join(' '));
}

interface PlannedCommit {
  base: string;
  commitId: string;
  sha: string | undefined;
}

/** From here on the pull request is merged if the base has the commit. */
async function recordIntent(
  { db }: Kernel,
  { caller, now }: MergeActor,
  opened: OpenedPull,
  { base, commitId, sha }: PlannedCommit,
): Promise<MergeIntent> {
  const { baseRef, headSha, commitCount, additions, deletions, changedFiles } = opened.pull;
  const intent: MergeIntent = {
    issueId: opened.issue.id,
    repositoryNumber: opened.repository.number,
    commitId,
    state: { baseRef, baseSha: base, headSha, commitCount, additions, deletions, changedFiles },
    mergedById: accountOf(caller).id,
    createdAt: now,
  };
  await db.transaction().execute(async (tx) => {
    const locked = await lockPull({ db: tx }, opened, intent.issueId);
    requireMergeable(locked, sha);
    if (locked.pull.headSha !== headSha) throw headModified();
    if (locked.pull.baseRef !== baseRef || !(await insertMergeIntent(tx, intent))) throw baseModified();
    // Its message names the pull request, whose timeline says already that it was merged.
    await insertCommitReference(tx, intent.issueId, commitId);
  });
  return intent;
}

/** Where it is not known whether the base has moved, the intent stays: due work looks. */
async function moveBase(
  kernel: Kernel,
  actor: MergeActor,
  opened: OpenedPull,
  intent: MergeIntent,
): Promise<void> {
  const { state, commitId } = intent;
  const base: RefUpdate = { name: branchRef(state.baseRef), from: state.baseSha, to: commitId };
  const head = headOf(opened, state.headSha);
  try {
    await changeRefs(kernel, actor, opened, head === undefined ? [base] : [base, head]);
  } catch (error) {
    if (!(error instanceof RefUpdateRefused)) throw error;
    await deleteMergeIntent(kernel.db, intent);
    throw error.ref === base.name ? baseModified() : headModified();
  }
}

/** Compared in the same transaction of git: what was pushed since is not passed off as merged. That of a fork is in another repository. */
function headOf({ pull }: { pull: Pull }, sha: string): RefUpdate | undefined {
  const { headRepositoryNumber: number, repositoryNumber, headRef } = pull;
  return number === repositoryNumber ? { name: branchRef(headRef), from: sha, to: sha } : undefined;
}

function baseModified(): Failure {
  return notMergeable('Base branch was modified. Review and try the merge again.');
}

function headModified(): Failure {
  return new Failure('conflict', 'Head branch was modified. Review and try the merge again.');
}
