// The one way in which open pull requests change: edits, another base, drafts, new commits and the end as merged, each in one transaction.
import { actorIdOf, type ChangeTransaction } from '../../kernel/change/changes.ts';
import { editIssue, type IssueEdit } from '../issues/change-issue.ts';
import { fromBranchIn, intoBranchIn } from '../issues/lists/facets.ts';
import type { Issue } from '../issues/issue.ts';
import { recordIssueActions, type IssueAction } from '../issues/record-actions.ts';
import { mergedIn } from '../issues/people/store-associations.ts';
import { addFacets, deleteFacet } from '../issues/lists/store-facets.ts';
import { lockIssue, updateIssue } from '../issues/store.ts';
import { deleteMergeIntentsOf, type MergeIntent } from '../pull-merges/store.ts';
import { repositoryNotFound, type FoundRepository } from '../repositories/access.ts';
import { lockRepository } from '../repositories/store.ts';
import { dismissApprovals } from '../reviews/change-review.ts';
import { insertIssueEvents, type NewIssueEvent } from '../timeline/store.ts';
import { alreadyOpen, closedBase, openKeyOf, pullNotFound, type Pull } from './pull.ts';
import { scheduleFinish, scheduleMergeCheck, scheduleOwnerRequests, scheduleSync } from './schedule-work.ts';
import {
  findPull,
  isKeyOpen,
  updateHeadPusher,
  updateOpenKey,
  updatePull,
  type PullUpdate,
} from './store.ts';

interface LockedPull {
  issue: Issue;
  pull: Pull;
}

/** The repository first, as everywhere: its row is the lock of its pull requests. */
export async function lockPull(
  tx: Pick<ChangeTransaction, 'db'>,
  found: FoundRepository,
  id: number,
): Promise<LockedPull> {
  if ((await lockRepository(tx.db, found.repository.number)) === undefined) throw repositoryNotFound();
  const issue = await lockIssue(tx.db, id);
  const pull = await findPull(tx.db, id);
  if (issue === undefined || pull === undefined) throw pullNotFound();
  return { issue, pull };
}

export interface PullEdit extends Pick<IssueEdit, 'title' | 'body' | 'state'> {
  mayMaintainerModify?: boolean;
  /** Another branch, and what its commit and the head's have. */
  base?: { ref: string; update: PullUpdate; headLabel: string };
}

/** What is the same as before changes nothing and is not recorded. */
export async function editPull(
  tx: ChangeTransaction,
  found: FoundRepository,
  id: number,
  { mayMaintainerModify, base, ...edit }: PullEdit,
): Promise<Issue> {
  const { issue, pull } = await lockPull(tx, found, id);
  // It may have been merged while the ends were measured.
  if (base !== undefined && issue.state === 'closed') throw closedBase();
  if (mayMaintainerModify !== undefined && mayMaintainerModify !== pull.mayMaintainerModify)
    await updatePull(tx.db, pull, { mayMaintainerModify });
  const edited = await editIssue(tx, found, id, edit);
  return base === undefined ? edited : await changeBase(tx, found, edited, base);
}

async function changeBase(
  tx: ChangeTransaction,
  found: FoundRepository,
  issue: Issue,
  { ref, update, headLabel }: NonNullable<PullEdit['base']>,
): Promise<Issue> {
  const { db } = tx;
  const pull = await findPull(db, issue.id);
  if (pull === undefined) throw pullNotFound();
  if (pull.baseRef === ref) return issue;
  const moved = { ...pull, baseRef: ref };
  if (issue.state === 'open' && (await isKeyOpen(db, openKeyOf(moved)))) throw alreadyOpen(headLabel);
  // The head may have moved since it was measured: then due work does so again.
  const { headSha: _measured, ...others } = update;
  const changed = await updatePull(db, pull, { ...others, baseRef: ref });
  await deleteFacet(db, issue, intoBranchIn(issue.repositoryNumber, pull.baseRef));
  await addFacets(db, issue, [intoBranchIn(issue.repositoryNumber, changed.baseRef)]);
  await scheduleSync(db, issue.id, tx.actor.now);
  await scheduleMergeCheck(db, changed, tx.actor.now);
  const changes = { base: { ref: { from: pull.baseRef }, sha: { from: pull.baseSha } } };
  return await recordChange(tx, found, issue, {
    events: [{ event: 'base_ref_changed', actorId: actorIdOf(tx) }],
    actions: [{ action: 'edited', changes }],
  });
}

/** Makes it a draft, or ready for reviews. */
export async function changeDraft(
  tx: ChangeTransaction,
  found: FoundRepository,
  id: number,
  isDraft: boolean,
): Promise<Issue> {
  const { issue, pull } = await lockPull(tx, found, id);
  if (pull.isDraft === isDraft) return issue;
  await updatePull(tx.db, pull, { isDraft });
  if (!isDraft) await scheduleOwnerRequests(tx.db, id, tx.actor.now);
  return await recordChange(tx, found, issue, {
    events: [{ event: isDraft ? 'convert_to_draft' : 'ready_for_review', actorId: actorIdOf(tx) }],
    actions: [{ action: isDraft ? 'converted_to_draft' : 'ready_for_review' }],
  });
}

export interface NewHead {
  /** The commit that the pull request had. */
  from: string;
  update: PullUpdate & { headSha: string };
  isForced: boolean;
  /** Whether approvals of what the pull request brought before are dismissed. */
  makesStale: boolean;
  commits: readonly NewIssueEvent[];
}

/** False where it is closed, or another push came first: then nothing is changed. */
export async function moveHead(
  tx: ChangeTransaction,
  found: FoundRepository,
  id: number,
  { from, update, isForced, makesStale, commits }: NewHead,
): Promise<boolean> {
  const { issue, pull } = await lockPull(tx, found, id);
  if (issue.state !== 'open' || pull.headSha !== from) return false;
  await updatePull(tx.db, pull, update);
  await updateHeadPusher(tx.db, id, actorIdOf(tx));
  await scheduleSync(tx.db, id, tx.actor.now);
  await scheduleMergeCheck(tx.db, pull, tx.actor.now);
  const forced = {
    event: 'head_ref_force_pushed',
    actorId: actorIdOf(tx),
    commitId: update.headSha,
  };
  const changed = await recordChange(tx, found, issue, {
    events: [...commits, ...(isForced ? [forced] : [])],
    actions: [{ action: 'synchronize', before: from, after: update.headSha }],
  });
  if (makesStale) await dismissApprovals(tx, found, changed, update.headSha);
  return true;
}

/** The push of this head is recorded after the head was taken over: due work without a pusher has found it first. */
export async function setHeadPusher(
  tx: ChangeTransaction,
  found: FoundRepository,
  id: number,
  headSha: string,
): Promise<void> {
  const { pull } = await lockPull(tx, found, id);
  if (pull.headSha === headSha) await updateHeadPusher(tx.db, id, actorIdOf(tx));
}

export interface MergeFacts {
  /** The head that was merged. */
  headSha: string;
  /** The commit that merged it, and that of the base before. */
  mergeCommitSha: string;
  baseSha: string;
}

/** False where it is closed, or has another head. The commits are on the base branch already. */
export async function closeAsMerged(
  tx: ChangeTransaction,
  found: FoundRepository,
  id: number,
  { headSha, mergeCommitSha, baseSha }: MergeFacts,
): Promise<boolean> {
  const locked = await lockPull(tx, found, id);
  if (locked.issue.state !== 'open' || locked.pull.headSha !== headSha) return false;
  const update = { mergedById: actorIdOf(tx), mergeCommitSha, baseSha };
  await recordMerge(tx, found, locked, update, { deletesHead: false, dueAt: tx.actor.now });
  return true;
}

/** Its branch, or that which it is to be merged into, goes on under another name. What both have stays. */
export async function renamePullBranch(
  tx: ChangeTransaction,
  found: FoundRepository,
  id: number,
  { which, from, to }: { which: 'head' | 'base'; from: string; to: string },
): Promise<void> {
  const { issue, pull } = await lockPull(tx, found, id);
  const { headOwnerId, repositoryNumber: number } = pull;
  const known = which === 'head' ? pull.headRef : pull.baseRef;
  if (issue.state !== 'open' || known !== from) return;
  const update = which === 'head' ? { headRef: to } : { baseRef: to };
  // Somebody has opened another of the new name already.
  if (await isKeyOpen(tx.db, openKeyOf({ ...pull, ...update })))
    return await closeWithoutBranch(tx, found, id, which);
  await updatePull(tx.db, pull, update);
  // Pushes to the old name may not have been followed yet.
  if (which === 'head') await scheduleSync(tx.db, id, tx.actor.now);
  const facetOf = (branch: string) =>
    which === 'base' ? intoBranchIn(number, branch) : fromBranchIn(number, headOwnerId ?? '', branch);
  await deleteFacet(tx.db, issue, facetOf(from));
  await addFacets(tx.db, issue, [facetOf(to)]);
  const changes = { base: { ref: { from }, sha: { from: pull.baseSha } } };
  await recordChange(tx, found, issue, {
    events: which === 'base' ? [{ event: 'base_ref_changed', actorId: actorIdOf(tx) }] : [],
    actions: which === 'base' ? [{ action: 'edited', changes }] : [],
  });
}

/**
 * Of a merge that was made here, whose commit is on the base branch: it is merged as it was when that began, though it was closed, pushed
 * to, or given another base since. Whoever comes second changes nothing.
 */
export async function closeByIntent(
  tx: ChangeTransaction,
  found: FoundRepository,
  { issueId, commitId, state, mergedById }: MergeIntent,
  finish: FinishTime,
): Promise<void> {
  const { db, actor } = tx;
  const { issue, pull } = await lockPull(tx, found, issueId);
  if (pull.mergedAt !== null) return await deleteMergeIntentsOf(db, issueId);
  if (pull.baseRef !== state.baseRef) {
    // Another may have been opened for its former branches.
    await updateOpenKey(db, pull, false);
    await deleteFacet(db, issue, intoBranchIn(issue.repositoryNumber, pull.baseRef));
    await addFacets(db, issue, [intoBranchIn(issue.repositoryNumber, state.baseRef)]);
  }
  if (pull.headSha !== state.headSha) await scheduleSync(db, issueId, actor.now);
  const update = { ...state, mergedById, mergeCommitSha: commitId };
  await recordMerge(tx, found, { issue, pull }, update, { ...finish, deletesHead: true });
}

/** When due work does what follows from the merge, unless that is done before. */
interface FinishTime {
  dueAt: number;
}

/** The caller has locked the pull request. */
async function recordMerge(
  tx: ChangeTransaction,
  found: FoundRepository,
  { issue, pull }: LockedPull,
  update: PullUpdate & { mergedById: string | null; mergeCommitSha: string },
  finish: FinishTime & { deletesHead: boolean },
): Promise<void> {
  const { db, actor } = tx;
  const { mergedById, mergeCommitSha } = update;
  await deleteMergeIntentsOf(db, issue.id);
  await updatePull(db, pull, { ...update, mergedAt: actor.now });
  const merged = { event: 'merged', actorId: mergedById, commitId: mergeCommitSha };
  await insertIssueEvents(db, issue, [merged], actor.now);
  if (issue.author.id !== null)
    await addFacets(db, issue, [mergedIn(issue.repositoryNumber, issue.author.id)]);
  await scheduleFinish(db, { issueId: issue.id, ...finish }, actor.now);
  if (issue.state === 'open') await editIssue(tx, found, issue.id, { state: 'closed' });
  else await recordIssueActions(tx, found, issue, [{ action: 'closed' }]);
}

/** Its branch, or that which it was to be merged into, is gone. Nothing is changed where it has another branch than `ref` by now. */
export async function closeWithoutBranch(
  tx: ChangeTransaction,
  found: FoundRepository,
  id: number,
  which: 'head' | 'base',
  ref?: string,
): Promise<void> {
  const { issue, pull } = await lockPull(tx, found, id);
  const known = which === 'head' ? pull.headRef : pull.baseRef;
  if (issue.state !== 'open' || (ref !== undefined && known !== ref)) return;
  await editIssue(tx, found, id, { state: 'closed' });
  const deleted = { event: `${which}_ref_deleted`, actorId: actorIdOf(tx) };
  await insertIssueEvents(tx.db, issue, [deleted], tx.actor.now);
}

interface RecordedChange {
  events: readonly NewIssueEvent[];
  actions: readonly IssueAction[];
}

/** The time of change, the timeline and webhooks. The caller has locked the issue. */
async function recordChange(
  tx: ChangeTransaction,
  found: FoundRepository,
  issue: Issue,
  { events, actions }: RecordedChange,
): Promise<Issue> {
  const { now } = tx.actor;
  const changed = await updateIssue(tx.db, issue, { updatedAt: now });
  await insertIssueEvents(tx.db, changed, events, now);
  await recordIssueActions(tx, found, changed, actions);
  return changed;
}
