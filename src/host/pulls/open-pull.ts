// Opens a pull request: a new issue or one that there is, with the row of its branches, its commits and its webhooks, in one transaction.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { createIssue } from '../issues/change-issue.ts';
import { fromBranchIn, intoBranchIn } from '../issues/lists/facets.ts';
import type { Author, Issue } from '../issues/issue.ts';
import { recordIssueActions } from '../issues/record-actions.ts';
import { addFacets, replaceFacets } from '../issues/lists/store-facets.ts';
import { listAssigneeIds } from '../issues/store-links.ts';
import { convertToPull, findIssue, lockIssue } from '../issues/store.ts';
import { listLabelsOf } from '../labels/store.ts';
import { repositoryNotFound, type FoundRepository } from '../repositories/access.ts';
import { lockRepository } from '../repositories/store.ts';
import { insertIssueEvents, type NewIssueEvent } from '../timeline/store.ts';
import type { PullHead } from './find-head.ts';
import { alreadyOpen, openKeyOf, pullRefused, UNCHECKED, type Pull } from './pull.ts';
import { bringCommits, describeCommits, measureEnds, readBranch, targetOf } from './pull-git.ts';
import { scheduleMergeCheck, scheduleOwnerRequests, scheduleSync } from './schedule-work.ts';
import { insertPull, isKeyOpen, updateHeadPusher, type PullUpdate } from './store.ts';

export interface PullDraft {
  base: string;
  head: PullHead;
  isDraft: boolean;
  mayMaintainerModify: boolean;
  /** A new issue, or the number of one that becomes the pull request. */
  issue: { title: string; body: string | null; author: Author } | { number: number };
}

/** What both branches have, with the commits of the head in the base repository. */
export interface PreparedPull {
  update: PullUpdate & Required<Pick<PullUpdate, 'baseSha' | 'headSha'>>;
  commits: NewIssueEvent[];
}

/** Nothing is copied before it is known that there is something to merge. */
export async function preparePull(
  kernel: Kernel,
  { repository, owner }: FoundRepository,
  { base, head }: Pick<PullDraft, 'base' | 'head'>,
): Promise<PreparedPull> {
  const git = kernel.services.git.repository(repository.number);
  const baseSha = await readBranch(git, base);
  if (baseSha === undefined) throw pullRefused('is invalid', 'base', 'invalid');
  const isSame = head.found.repository.number === repository.number;
  const names = isSame ? [base, head.branch] : [`${owner.login}:${base}`, head.label];
  if (isSame && base === head.branch) throw noCommits(names);
  const ends = { base: baseSha, head: head.sha };
  const { measure, update } = await measureEnds(targetOf(git, head.git), ends);
  if (measure.mergeBase === undefined)
    throw pullRefused(`The ${base} branch has no history in common with ${head.label}`);
  if (measure.ahead === 0) throw noCommits(names);
  await bringCommits(kernel, git, head.git, ends);
  return {
    update: { ...update, baseSha, headSha: head.sha },
    commits: await describeCommits(git, head.sha, [baseSha]),
  };
}

function noCommits([base, head]: readonly string[]) {
  return pullRefused(`No commits between ${base} and ${head}`);
}

/** The caller has prepared it, and checked who asks for it. */
export async function openPull(
  tx: ChangeTransaction,
  found: FoundRepository,
  draft: PullDraft,
  { update, commits }: PreparedPull,
): Promise<Issue> {
  const { db, actor } = tx;
  const { number } = found.repository;
  if ((await lockRepository(db, number)) === undefined) throw repositoryNotFound();
  const { head, base, isDraft, mayMaintainerModify } = draft;
  const branches = {
    repositoryNumber: number,
    baseRef: base,
    headRepositoryNumber: head.found.repository.number,
    headRef: head.branch,
  };
  if (await isKeyOpen(db, openKeyOf(branches))) throw alreadyOpen(head.label);
  const issue = await writeIssue(tx, found, draft.issue);
  const pull: Pull = {
    ...EMPTY,
    ...branches,
    ...update,
    issueId: issue.id,
    number: issue.number,
    headOwnerId: head.found.owner.id,
    isDraft,
    mayMaintainerModify,
  };
  await insertPull(db, pull);
  // Who pushed the commits before it was opened is not recorded.
  if (actor.caller !== undefined) await updateHeadPusher(db, issue.id, accountOf(actor.caller).id);
  await addFacets(db, issue, [
    intoBranchIn(number, base),
    fromBranchIn(number, head.found.owner.id, head.branch),
  ]);
  await insertIssueEvents(db, issue, commits, actor.now);
  await recordIssueActions(tx, found, issue, [{ action: 'opened' }]);
  await scheduleSync(db, issue.id, actor.now);
  if (!isDraft) await scheduleOwnerRequests(db, issue.id, actor.now);
  await scheduleMergeCheck(db, pull, actor.now);
  return issue;
}

const EMPTY = {
  ...UNCHECKED,
  mergedAt: null,
  mergedById: null,
  mergeCommitSha: null,
  commitCount: 0,
  additions: 0,
  deletions: 0,
  changedFiles: 0,
  reviewCommentCount: 0,
};

async function writeIssue(
  tx: ChangeTransaction,
  found: FoundRepository,
  wanted: PullDraft['issue'],
): Promise<Issue> {
  if ('number' in wanted) return await convertIssue(tx, found, wanted.number);
  return await createIssue(tx, found, {
    ...wanted,
    isPull: true,
    labels: [],
    assigneeIds: [],
    milestoneId: null,
  });
}

/** It keeps its number, its author and all that was said. The caller has locked the repository. */
async function convertIssue(
  { db, actor }: ChangeTransaction,
  { repository }: FoundRepository,
  number: number,
): Promise<Issue> {
  const named = await findIssue(db, repository.number, number);
  const issue = named && (await lockIssue(db, named.id));
  if (issue === undefined || issue.isPull || issue.state !== 'open')
    throw pullRefused('is invalid', 'issue', 'invalid');
  const converted = await convertToPull(db, issue, actor.now);
  const labels = (await listLabelsOf(db, [issue.id])).get(issue.id) ?? [];
  await replaceFacets(db, {
    issue: converted,
    labelIds: labels.map(({ id }) => id),
    assigneeIds: (await listAssigneeIds(db, [issue.id])).get(issue.id) ?? [],
  });
  return converted;
}
