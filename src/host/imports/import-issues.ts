// Writes imported issues and pull requests, with their numbers, times, states and authors, and with what follows from them: lists and counts.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { problem } from '../../kernel/schema/schema.ts';
import { fromBranchIn, intoBranchIn, ownedBy, subscribedBy } from '../issues/lists/facets.ts';
import type { Issue, IssueState } from '../issues/issue.ts';
import { checkedBody, checkedTitle } from '../issues/requests.ts';
import { mergedIn } from '../issues/people/store-associations.ts';
import { addFacets, replaceFacets } from '../issues/lists/store-facets.ts';
import { replaceAssignees } from '../issues/store-links.ts';
import { insertIssue, updateIssue } from '../issues/store.ts';
import type { Label } from '../labels/model.ts';
import { checkedLabelName, PLAIN_COLOR } from '../labels/requests.ts';
import { insertLabels, listLabelsByName, replaceIssueLabels } from '../labels/store.ts';
import { addToMilestone } from '../milestones/store.ts';
import { openKeyOf, type Pull } from '../pulls/pull.ts';
import { scheduleSync } from '../pulls/schedule-work.ts';
import { insertPull, isKeyOpen } from '../pulls/store.ts';
import { repositoryNotFound, type FoundRepository } from '../repositories/access.ts';
import { foldCase } from '../../kernel/text/fold-case.ts';
import { parseTime } from '../times.ts';
import { insertIssueEvents } from '../timeline/store.ts';
import type { BatchResult, SentIssue, SentPull } from './model.ts';
import type { ImportedPeople } from './people.ts';
import type { PreparedCommits } from './prepare-pulls.ts';
import { insertImported, listImported, lockIssuesByNumber, listMilestoneIds } from './store.ts';

interface IssueImport {
  found: FoundRepository;
  people: ImportedPeople;
  commits: ReadonlyMap<number, PreparedCommits>;
}

interface ImportedIssues extends BatchResult {
  /** The pull requests whose commits are here. */
  pulls: { number: number; headSha: string }[];
}

/** The caller has locked the repository. A number that another issue has is a conflict, and nothing is written. */
export async function importIssues(
  tx: ChangeTransaction,
  work: IssueImport,
  sent: readonly SentIssue[],
): Promise<ImportedIssues> {
  const { db } = tx;
  const { number: repositoryNumber } = work.found.repository;
  checkNumbers(sent);
  const known = await listImported(
    db,
    repositoryNumber,
    'issue',
    sent.map(({ source_id: id }) => id),
  );
  const taken = await lockIssuesByNumber(
    db,
    repositoryNumber,
    sent.map(({ number }) => number),
  );
  const added = sent.filter((issue) => {
    const present = taken.get(issue.number);
    if (present !== undefined && known.get(issue.source_id) === present.id) return false;
    if (present !== undefined)
      throw new Failure('conflict', `The number ${issue.number} is taken by another issue.`);
    if (known.has(issue.source_id))
      throw new Failure('conflict', `Issue ${issue.source_id} was imported with another number.`);
    return true;
  });
  const labels = await findLabels(tx, repositoryNumber, added);
  const milestones = await listMilestoneIds(
    db,
    repositoryNumber,
    added.flatMap(({ milestone }) => milestone ?? []),
  );
  const inserted = [];
  const pulls = [];
  const leftOut: BatchResult['left_out'] = [];
  for (const issue of added) {
    const milestoneId = issue.milestone === null ? null : milestones.get(issue.milestone);
    if (milestoneId === undefined)
      throw problem('milestone', `must be one of the repository, not ${issue.milestone}`);
    const { id, state } = await importIssue(tx, work, issue, {
      milestoneId,
      labels: labelsOf(issue, labels),
    });
    inserted.push({ sourceId: issue.source_id, id, updatedAt: parseTime('updated_at', issue.updated_at) });
    if (state !== issue.state)
      leftOut.push({ kind: 'issue', source_id: issue.source_id, reason: withoutCommits(issue) });
    if (issue.pull !== undefined && work.commits.get(issue.number)?.isHere === true)
      pulls.push({ number: issue.number, headSha: issue.pull.head.sha });
  }
  await insertImported(db, repositoryNumber, 'issue', inserted);
  return { created: added.length, unchanged: sent.length - added.length, left_out: leftOut, pulls };
}

function withoutCommits({ number }: SentIssue): string {
  return `Pull request ${number} is closed here, because its commits are missing.`;
}

function checkNumbers(sent: readonly SentIssue[]): void {
  for (const key of ['number', 'source_id'] as const) {
    const values = sent.map((issue) => issue[key]);
    if (new Set(values).size < values.length) throw problem(`issues.${key}`, 'must be there once in a batch');
  }
}

/** By folded name. Those that the repository does not have are created. */
async function findLabels(
  { db }: ChangeTransaction,
  repositoryNumber: number,
  issues: readonly SentIssue[],
): Promise<Map<string, Label>> {
  const names = new Map<string, string>();
  for (const name of issues.flatMap((issue) => issue.labels)) {
    const checked = checkedLabelName('labels', name);
    names.set(foldCase(checked), checked);
  }
  const present = await listLabelsByName(db, repositoryNumber, [...names.values()]);
  for (const { name } of present) names.delete(foldCase(name));
  const missing = [...names.values()].map((name) => ({ name, color: PLAIN_COLOR, description: null }));
  const added = missing.length === 0 ? [] : await insertLabels(db, repositoryNumber, missing);
  return new Map([...present, ...added].map((label) => [foldCase(label.name), label]));
}

function labelsOf({ labels }: SentIssue, known: ReadonlyMap<string, Label>): Label[] {
  const own = labels.flatMap((name) => known.get(foldCase(checkedLabelName('labels', name))) ?? []);
  return [...new Map(own.map((label) => [label.id, label])).values()];
}

interface IssueParts {
  milestoneId: number | null;
  labels: readonly Label[];
}

async function importIssue(
  tx: ChangeTransaction,
  work: IssueImport,
  sent: SentIssue,
  { milestoneId, labels }: IssueParts,
): Promise<Issue> {
  const { db, actor } = tx;
  const { found, people } = work;
  const state = stateOf(work, sent);
  const author = people.author(sent.author);
  const times = timesOf(sent, state);
  const inserted = await insertIssue(
    db,
    {
      repositoryNumber: found.repository.number,
      number: sent.number,
      isPull: sent.pull !== undefined,
      author,
      title: checkedTitle(sent.title),
      body: checkedBody(sent.body),
      milestoneId,
      state,
      stateReason: sent.pull === undefined ? sent.state_reason : null,
      closedById: state === 'closed' ? people.idOf(sent.closed_by) : null,
      ...times,
    },
    actor.now,
  );
  if (inserted === undefined) throw repositoryNotFound();
  const { ownerId } = inserted;
  const lock = { isLocked: true, lockReason: sent.lock_reason };
  const issue = sent.locked ? await updateIssue(db, inserted.issue, lock) : inserted.issue;
  const assigneeIds = people.assignees(sent.assignees);
  await replaceIssueLabels(db, issue, { added: labels, removed: [] });
  await replaceAssignees(db, issue.id, { assigneeIds, removed: [] });
  await replaceFacets(db, { issue, labelIds: labels.map(({ id }) => id), assigneeIds });
  const subscribers = [...new Set([author.id, ...assigneeIds])].filter((id) => id !== null);
  await addFacets(db, issue, [ownedBy(ownerId), ...subscribers.map(subscribedBy)]);
  if (milestoneId !== null)
    await addToMilestone(db, milestoneId, state === 'open' ? { open: 1, closed: 0 } : { open: 0, closed: 1 });
  if (sent.pull !== undefined) await importPull(tx, work, issue, sent.pull);
  await insertClosing(tx, work, issue, sent);
  return issue;
}

/** An open pull request needs its commits. */
function stateOf({ commits }: IssueImport, { number, state, pull }: SentIssue): IssueState {
  if (pull === undefined) return state;
  if (pull.merged_at !== null && state === 'open')
    throw problem('issues.state', 'must be closed where a pull request is merged');
  return commits.get(number)?.isHere === true ? state : 'closed';
}

function timesOf(sent: SentIssue, state: IssueState): Pick<Issue, 'createdAt' | 'updatedAt' | 'closedAt'> {
  const updatedAt = parseTime('updated_at', sent.updated_at);
  const closedAt = sent.closed_at === null ? updatedAt : parseTime('closed_at', sent.closed_at);
  return {
    createdAt: parseTime('created_at', sent.created_at),
    updatedAt,
    closedAt: state === 'closed' ? closedAt : null,
  };
}

/** The timeline says when it ended. */
async function insertClosing(
  { db }: ChangeTransaction,
  { people }: IssueImport,
  issue: Issue,
  { pull, closed_by: closedBy }: SentIssue,
): Promise<void> {
  if (issue.closedAt === null) return;
  const by = (login: string | null) => {
    const { id, name } = people.author(login);
    return { actorId: id, ...(name !== null && { actorName: name }) };
  };
  if (pull !== undefined && pull.merged_at !== null) {
    const commit = pull.merge_commit_sha === null ? {} : { commitId: pull.merge_commit_sha };
    const merged = { event: 'merged', ...by(pull.merged_by), ...commit };
    await insertIssueEvents(db, issue, [merged], parseTime('merged_at', pull.merged_at));
  }
  const closer = closedBy ?? pull?.merged_by ?? null;
  const closed = { event: 'closed', ...by(closer), details: { state_reason: issue.stateReason } };
  await insertIssueEvents(db, issue, [closed], issue.closedAt);
}

async function importPull(
  { db, actor }: ChangeTransaction,
  { found, people, commits }: IssueImport,
  issue: Issue,
  sent: SentPull,
): Promise<void> {
  const { number: repositoryNumber } = found.repository;
  const { base, head } = sent;
  const prepared = commits.get(issue.number);
  const headOwnerId = head.is_fork ? people.idOf(head.owner) : found.owner.id;
  const pull: Pull = {
    issueId: issue.id,
    repositoryNumber,
    number: issue.number,
    baseRef: base.ref,
    baseSha: prepared?.baseSha ?? base.sha,
    headRepositoryNumber: head.is_fork ? null : repositoryNumber,
    headOwnerId,
    headRef: head.ref,
    headSha: head.sha,
    isDraft: sent.draft,
    mayMaintainerModify: sent.maintainer_can_modify,
    mergeable: null,
    rebaseable: null,
    checkedBase: null,
    testMergeSha: null,
    mergedAt: sent.merged_at === null ? null : parseTime('merged_at', sent.merged_at),
    mergedById: people.idOf(sent.merged_by),
    mergeCommitSha: sent.merged_at === null ? null : sent.merge_commit_sha,
    commitCount: sent.commits,
    additions: sent.additions,
    deletions: sent.deletions,
    changedFiles: sent.changed_files,
    reviewCommentCount: 0,
  };
  const isOpen = issue.state === 'open';
  if (isOpen && (await isKeyOpen(db, openKeyOf(pull))))
    throw new Failure(
      'conflict',
      `Another pull request from ${head.ref} to ${base.ref} is open than number ${issue.number}.`,
    );
  await insertPull(db, pull, isOpen);
  await addFacets(db, issue, [
    intoBranchIn(repositoryNumber, base.ref),
    ...(headOwnerId === null ? [] : [fromBranchIn(repositoryNumber, headOwnerId, head.ref)]),
    ...(pull.mergedAt !== null && issue.author.id !== null
      ? [mergedIn(repositoryNumber, issue.author.id)]
      : []),
  ]);
  await insertIssueEvents(db, issue, prepared?.commits ?? [], issue.createdAt);
  if (prepared?.isHere === true) await scheduleSync(db, issue.id, actor.now);
}
