// The one way in which issues are created and changed: the row, the lists that it is in, counts, its timeline and webhooks, in one transaction. ADR 0132.
import { actorIdOf, type ChangeTransaction } from '../../kernel/change/changes.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { problem } from '../../kernel/schema/schema.ts';
import type { Label } from '../labels/model.ts';
import { listLabelsOf, replaceIssueLabels, updateMilestoneOfLabels } from '../labels/store.ts';
import { addToMilestone, listMilestonesById } from '../milestones/store.ts';
import { listOwners } from '../owners/store.ts';
import { movePull } from '../pulls/move-pull.ts';
import { REPOSITORY_CHANNEL, repositoryNotFound, type FoundRepository } from '../repositories/access.ts';
import { lockRepository } from '../repositories/store.ts';
import { recordReferences } from '../texts/record-references.ts';
import { insertIssueEvents, type NewIssueEvent } from '../timeline/store.ts';
import { issueNotFound } from './access.ts';
import { ownedBy, subscribedBy } from './lists/facets.ts';
import type { Author, Issue, IssueState, LockReason, StateReason } from './issue.ts';
import { recordIssueActions, type IssueAction } from './record-actions.ts';
import { showMilestone } from './show-issues.ts';
import { addFacets, replaceFacets } from './lists/store-facets.ts';
import { listAssigneeIds, replaceAssignees } from './store-links.ts';
import { addToOpenIssueCount, insertIssue, lockIssue, updateIssue, type IssueUpdate } from './store.ts';

export interface IssueDraft {
  title: string;
  body: string | null;
  author: Author;
  isPull?: true;
  labels: readonly Label[];
  assigneeIds: readonly string[];
  milestoneId: number | null;
}

/** The caller has checked that labels, assignees and the milestone are those of the repository. */
export async function createIssue(
  tx: ChangeTransaction,
  found: FoundRepository,
  { labels, assigneeIds, isPull, ...draft }: IssueDraft,
): Promise<Issue> {
  const { number } = found.repository;
  const { now } = tx.actor;
  const inserted = await insertIssue(
    tx.db,
    { ...draft, repositoryNumber: number, isPull: isPull === true },
    now,
  );
  if (inserted === undefined) throw repositoryNotFound();
  const { issue, ownerId } = inserted;
  await tx.invalidate(REPOSITORY_CHANNEL);
  const empty: IssueParts = { labels: [], assigneeIds: [], milestoneId: null };
  const parts: IssueParts = { labels, assigneeIds, milestoneId: draft.milestoneId };
  await writeParts(tx, issue, empty, parts);
  if (issue.milestoneId !== null) await addToMilestone(tx.db, issue.milestoneId, countOf(issue.state, 1));
  const subscribers = [...new Set([draft.author.id, ...assigneeIds])].flatMap(subscriberFacet);
  await addFacets(tx.db, issue, [ownedBy(ownerId), ...subscribers]);
  const { events, actions } = await describeParts(tx, empty, parts);
  await insertIssueEvents(tx.db, issue, events, now);
  await recordReferences(tx, found, issue, issue.body);
  // A pull request is recorded when it has its own row too.
  if (!issue.isPull) await recordIssueActions(tx, found, issue, [{ action: 'opened' }, ...actions]);
  return issue;
}

function subscriberFacet(accountId: string | null): string[] {
  return accountId === null ? [] : [subscribedBy(accountId)];
}

/** Absent fields stay. Labels and assignees are computed from those that the issue has when it is locked. */
export interface IssueEdit {
  title?: string;
  body?: string | null;
  state?: IssueState;
  stateReason?: StateReason | null;
  labels?(present: readonly Label[]): readonly Label[];
  assigneeIds?(present: readonly string[]): readonly string[];
  milestoneId?: number | null;
  /** Null unlocks it. */
  lock?: { reason: LockReason | null } | null;
  /** The commit that closes it. */
  commitId?: string;
}

/** What is the same as before changes nothing and is not recorded. */
export async function editIssue(
  tx: ChangeTransaction,
  found: FoundRepository,
  id: number,
  edit: IssueEdit,
): Promise<Issue> {
  const { db, actor } = tx;
  // First, as everywhere: counts change under this lock.
  const isCounted = edit.state !== undefined || edit.milestoneId !== undefined;
  if (isCounted && (await lockRepository(db, found.repository.number)) === undefined)
    throw repositoryNotFound();
  const issue = await lockIssue(db, id);
  if (issue === undefined) throw issueNotFound();
  const before: IssueParts = {
    labels: (await listLabelsOf(db, [id])).get(id) ?? [],
    assigneeIds: (await listAssigneeIds(db, [id])).get(id) ?? [],
    milestoneId: issue.milestoneId,
  };
  const after: IssueParts = {
    labels: edit.labels?.(before.labels) ?? before.labels,
    assigneeIds: edit.assigneeIds?.(before.assigneeIds) ?? before.assigneeIds,
    milestoneId: edit.milestoneId === undefined ? before.milestoneId : edit.milestoneId,
  };
  const own = describeOwn(issue, edit, actorIdOf(tx));
  const parts = await describeParts(tx, before, after);
  const events = [...own.events, ...parts.events];
  const actions = [...own.actions, ...parts.actions];
  if (events.length === 0 && actions.length === 0) return issue;
  const update = { ...updateOf(issue, edit, tx), milestoneId: after.milestoneId };
  const changed = await updateIssue(db, issue, { ...update, updatedAt: actor.now });
  if (changed.state !== issue.state) {
    if (issue.isPull) await movePull(tx, changed);
    await addToOpenIssueCount(db, found.repository.number, changed.state === 'open' ? 1 : -1);
    await tx.invalidate(REPOSITORY_CHANNEL);
  }
  await moveInMilestones(tx, issue, changed);
  if (parts.events.length > 0) await writeParts(tx, changed, before, after);
  const assigned = after.assigneeIds.filter((one) => !before.assigneeIds.includes(one));
  await addFacets(db, changed, assigned.flatMap(subscriberFacet));
  await insertIssueEvents(db, changed, events, actor.now);
  if (changed.body !== issue.body) await recordReferences(tx, found, changed, changed.body);
  await recordIssueActions(tx, found, changed, actions);
  return changed;
}

function updateOf(issue: Issue, edit: IssueEdit, tx: ChangeTransaction): IssueUpdate {
  const { title, body, state, stateReason, lock } = edit;
  const isMoved = state !== undefined && state !== issue.state;
  return {
    ...(title !== undefined && { title }),
    ...(body !== undefined && { body }),
    ...(isMoved && state === 'closed'
      ? {
          state,
          stateReason: closingReason(issue, stateReason),
          closedAt: tx.actor.now,
          closedById: actorIdOf(tx),
        }
      : {}),
    ...(isMoved && state === 'open'
      ? { state, stateReason: issue.isPull ? null : ('reopened' as const), closedAt: null, closedById: null }
      : {}),
    ...(lock !== undefined && { isLocked: lock !== null, lockReason: lock?.reason ?? null }),
  };
}

/** Pull requests have none. What is closed was not reopened, whatever a request says. */
function closingReason({ isPull }: Issue, wanted: StateReason | null | undefined): StateReason | null {
  if (isPull) return null;
  return wanted == null || wanted === 'reopened' ? 'completed' : wanted;
}

interface Described {
  events: NewIssueEvent[];
  actions: IssueAction[];
}

/** What changes in the row itself. */
function describeOwn(issue: Issue, edit: IssueEdit, actorId: string | null): Described {
  const { title = issue.title, body = issue.body, state = issue.state, lock, commitId } = edit;
  const events: NewIssueEvent[] = [];
  const actions: IssueAction[] = [];
  const changes = {
    ...(title !== issue.title && { title: { from: issue.title } }),
    ...(body !== issue.body && { body: { from: issue.body } }),
  };
  if (changes.title !== undefined)
    events.push({ event: 'renamed', actorId, details: { rename: { from: issue.title, to: title } } });
  if (Object.keys(changes).length > 0) actions.push({ action: 'edited', changes });
  if (state !== issue.state) {
    const event = state === 'closed' ? 'closed' : 'reopened';
    const reason = state === 'closed' ? closingReason(issue, edit.stateReason) : null;
    events.push({ event, actorId, ...(commitId && { commitId }), details: { state_reason: reason } });
    actions.push({ action: event });
  }
  const isLocked = lock === undefined ? issue.isLocked : lock !== null;
  if (isLocked !== issue.isLocked) {
    const event = isLocked ? 'locked' : 'unlocked';
    events.push({ event, actorId, details: { lock_reason: lock?.reason ?? null } });
    actions.push({ action: event });
  }
  return { events, actions };
}

/** What stands in tables of its own. */
interface IssueParts {
  labels: readonly Label[];
  assigneeIds: readonly string[];
  milestoneId: number | null;
}

async function describeParts(
  tx: ChangeTransaction,
  before: IssueParts,
  after: IssueParts,
): Promise<Described> {
  const actorId = actorIdOf(tx);
  const events: NewIssueEvent[] = [];
  const actions: IssueAction[] = [];
  for (const [event, labels] of [
    ['labeled', without(after.labels, before.labels)],
    ['unlabeled', without(before.labels, after.labels)],
  ] as const)
    for (const label of labels) {
      events.push({ event, actorId, details: { label: { name: label.name, color: label.color } } });
      actions.push({ action: event, label });
    }
  const assigned = after.assigneeIds.filter((id) => !before.assigneeIds.includes(id));
  const unassigned = before.assigneeIds.filter((id) => !after.assigneeIds.includes(id));
  const people = await listOwners(tx.db, [...assigned, ...unassigned]);
  for (const [event, ids] of [
    ['assigned', assigned],
    ['unassigned', unassigned],
  ] as const)
    for (const id of ids) {
      events.push({ event, actorId, details: { assignee: id, assigner: actorId } });
      const assignee = people.get(id);
      if (assignee !== undefined) actions.push({ action: event, assignee });
    }
  await describeMilestones(tx, before.milestoneId, after.milestoneId, { events, actions });
  return { events, actions };
}

function without(labels: readonly Label[], others: readonly Label[]): Label[] {
  const ids = new Set(others.map(({ id }) => id));
  return labels.filter(({ id }) => !ids.has(id));
}

async function describeMilestones(
  { db, actor: { caller } }: ChangeTransaction,
  from: number | null,
  to: number | null,
  { events, actions }: Described,
): Promise<void> {
  if (from === to) return;
  const actorId = caller === undefined ? null : accountOf(caller).id;
  const found = await listMilestonesById(
    db,
    [from, to].filter((id) => id !== null),
  );
  // The repository is locked, so that it cannot be deleted from here on.
  if (to !== null && !found.has(to)) throw problem('milestone', 'is no milestone of the repository');
  const creators = await listOwners(
    db,
    [...found.values()].flatMap(({ creator }) => creator.id ?? []),
  );
  for (const [event, id] of [
    ['demilestoned', from],
    ['milestoned', to],
  ] as const) {
    const milestone = id === null ? undefined : found.get(id);
    if (milestone === undefined) continue;
    events.push({ event, actorId, details: { milestone: { title: milestone.title } } });
    actions.push({ action: event, milestone: showMilestone(milestone, creators) });
  }
}

async function writeParts(
  { db }: ChangeTransaction,
  issue: Issue,
  before: IssueParts,
  after: IssueParts,
): Promise<void> {
  const { labels, assigneeIds } = after;
  await replaceIssueLabels(db, issue, {
    added: without(labels, before.labels),
    removed: without(before.labels, labels),
  });
  if (before.milestoneId !== issue.milestoneId)
    await updateMilestoneOfLabels(db, [issue.id], issue.milestoneId);
  const removed = before.assigneeIds.filter((id) => !assigneeIds.includes(id));
  await replaceAssignees(db, issue.id, { assigneeIds, removed });
  const labelIds = labels.map(({ id }) => id);
  await replaceFacets(db, { issue, labelIds, assigneeIds });
}

/** The caller has locked the repository. */
async function moveInMilestones({ db }: ChangeTransaction, before: Issue, after: Issue): Promise<void> {
  if (before.milestoneId === after.milestoneId && before.state === after.state) return;
  if (before.milestoneId !== null) await addToMilestone(db, before.milestoneId, countOf(before.state, -1));
  if (after.milestoneId !== null) await addToMilestone(db, after.milestoneId, countOf(after.state, 1));
}

function countOf(state: IssueState, difference: 1 | -1): { open: number; closed: number } {
  return state === 'open' ? { open: difference, closed: 0 } : { open: 0, closed: difference };
}
