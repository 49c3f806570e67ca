// Adds and removes sub-issues and dependencies: rows, both timelines and webhooks, in one transaction that no other link is changed in.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { Failure } from '../../kernel/failure.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { problem } from '../../kernel/schema/schema.ts';
import { issueNotFound } from '../issues/access.ts';
import type { Issue } from '../issues/issue.ts';
import { listIssuesById, lockIssue, updateIssue } from '../issues/store.ts';
import { listOwners } from '../owners/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { listRepositoriesByNumber } from '../repositories/store.ts';
import { insertIssueEvents } from '../timeline/store.ts';
import { recordLink, type LinkEnd } from './record-link.ts';
import { countDependencies, deleteDependency, insertDependency, listBlockers } from './store-dependencies.ts';
import { countLevels, listSubIssueIds, listWithParents, lockIssueLinks, updateParent } from './store.ts';

export const MAX_SUB_ISSUES = 100;
/** Of sub-issues below an issue that has no parent. */
export const MAX_LEVELS = 8;
/** In each direction. */
export const MAX_DEPENDENCIES = 50;
/** An issue that waits for more, through others, gets no more: looking for circles has to end. */
const MAX_WAITING = 10_000;

/** The two issues of a link, by their ids. */
export interface SubIssueLink {
  parentId: number;
  subIssueId: number;
}

/** The caller has checked that the actor may change both. With `replacesParent` it leaves the parent that it has. */
export async function addSubIssue(
  tx: ChangeTransaction,
  { parentId, subIssueId }: SubIssueLink,
  { replacesParent }: { replacesParent: boolean },
): Promise<void> {
  const { db } = tx;
  await lockIssueLinks(db);
  const formerId = (await listIssuesById(db, [subIssueId])).get(subIssueId)?.parentId ?? null;
  const ends = await lockEnds(tx, [parentId, subIssueId, ...(formerId === null ? [] : [formerId])]);
  const parent = endOf(ends, parentId);
  const subIssue = endOf(ends, subIssueId);
  requireIssuesOnly('sub_issue_id', parent, subIssue);
  if (parent.found.repository.ownerId !== subIssue.found.repository.ownerId)
    throw problem('sub_issue_id', 'must be of a repository of the same owner');
  if (formerId === parentId) throw problem('sub_issue_id', 'is a sub-issue of the issue already');
  if (formerId !== null && !replacesParent)
    throw problem('sub_issue_id', 'has a parent, and may have one only: see replace_parent');
  const line = await listWithParents(db, parentId);
  if (line.includes(subIssueId)) throw problem('sub_issue_id', 'must not be the issue or above it');
  if (line.length + (await countLevels(db, subIssueId)) - 1 > MAX_LEVELS)
    throw problem('sub_issue_id', `would make more than ${MAX_LEVELS} levels of sub-issues`);
  if ((await listSubIssueIds(db, parentId)).length >= MAX_SUB_ISSUES)
    throw problem('sub_issue_id', `is one too many: an issue has at most ${MAX_SUB_ISSUES} sub-issues`);
  await updateParent(db, subIssueId, parentId);
  const moved = { ...subIssue, issue: { ...subIssue.issue, parentId } };
  if (formerId !== null) await recordSubIssue(tx, endOf(ends, formerId), moved, 'removed');
  await recordSubIssue(tx, parent, moved, 'added');
}

/** Throws where it is not a sub-issue of that parent. */
export async function removeSubIssue(
  tx: ChangeTransaction,
  { parentId, subIssueId }: SubIssueLink,
): Promise<void> {
  await lockIssueLinks(tx.db);
  const ends = await lockEnds(tx, [parentId, subIssueId]);
  const subIssue = endOf(ends, subIssueId);
  if (subIssue.issue.parentId !== parentId) throw noSuchSubIssue();
  await updateParent(tx.db, subIssueId, null);
  const freed = { ...subIssue, issue: { ...subIssue.issue, parentId: null } };
  await recordSubIssue(tx, endOf(ends, parentId), freed, 'removed');
}

export interface Dependency {
  blockedId: number;
  blockingId: number;
}

/** The caller has checked that the actor may change both. */
export async function addDependency(
  tx: ChangeTransaction,
  { blockedId, blockingId }: Dependency,
): Promise<void> {
  const { db, actor } = tx;
  await lockIssueLinks(db);
  const ends = await lockEnds(tx, [blockedId, blockingId]);
  const blocked = endOf(ends, blockedId);
  const blocking = endOf(ends, blockingId);
  requireIssuesOnly('issue_id', blocked, blocking);
  if (blockedId === blockingId) throw problem('issue_id', 'must not be the issue itself');
  if (!(await insertDependency(db, { issueId: blockedId, blockerId: blockingId, now: actor.now })))
    throw problem('issue_id', 'blocks the issue already');
  for (const [id, direction] of [
    [blockedId, 'blocked_by'],
    [blockingId, 'blocking'],
  ] as const)
    if ((await countDependencies(db, id, direction)) > MAX_DEPENDENCIES)
      throw problem('issue_id', `is one too many: ${MAX_DEPENDENCIES} in each direction are allowed`);
  const waitsFor = await listBlockers(db, blockingId, MAX_WAITING);
  if (waitsFor.includes(blockedId)) throw problem('issue_id', 'must not wait for the issue itself');
  if (waitsFor.length >= MAX_WAITING) throw problem('issue_id', 'waits for too many issues');
  await recordDependency(tx, blocked, blocking, 'added');
}

/** Throws where there is no such dependency. */
export async function removeDependency(
  tx: ChangeTransaction,
  { blockedId, blockingId }: Dependency,
): Promise<void> {
  await lockIssueLinks(tx.db);
  const ends = await lockEnds(tx, [blockedId, blockingId]);
  if (!(await deleteDependency(tx.db, blockedId, blockingId))) throw noSuchBlocker();
  await recordDependency(tx, endOf(ends, blockedId), endOf(ends, blockingId), 'removed');
}

/** The same whether there is none or the caller may not see it. The codes make the message appear: many send numbers for ids. */
export function noSuchSubIssue(): Failure {
  return new Failure('not-found', 'The provided sub-issue does not exist', { code: 'no-such-sub-issue' });
}

export function noSuchBlocker(): Failure {
  return new Failure('not-found', 'The provided issue does not exist', { code: 'no-such-issue' });
}

/** In the order of their ids, so that no two transactions wait for each other. Those that are gone are missing. */
async function lockEnds(tx: ChangeTransaction, ids: readonly number[]): Promise<Map<number, LinkEnd>> {
  const issues: Issue[] = [];
  for (const id of [...new Set(ids)].toSorted((one, other) => one - other)) {
    const issue = await lockIssue(tx.db, id);
    if (issue !== undefined) issues.push(issue);
  }
  const found = await readFound(tx, issues);
  return new Map(
    issues.flatMap((issue) => {
      const place = found.get(issue.repositoryNumber);
      return place === undefined ? [] : [[issue.id, { issue, found: place }]];
    }),
  );
}

async function readFound(
  { db }: ChangeTransaction,
  issues: readonly Issue[],
): Promise<Map<number, FoundRepository>> {
  const numbers = [...new Set(issues.map(({ repositoryNumber }) => repositoryNumber))];
  const repositories = await listRepositoriesByNumber(db, numbers);
  const owners = await listOwners(
    db,
    [...repositories.values()].map(({ ownerId }) => ownerId),
  );
  return new Map(
    [...repositories].flatMap(([number, repository]) => {
      const owner = owners.get(repository.ownerId);
      return owner === undefined ? [] : [[number, { repository, owner }]];
    }),
  );
}

function endOf(ends: ReadonlyMap<number, LinkEnd>, id: number): LinkEnd {
  const end = ends.get(id);
  if (end === undefined) throw issueNotFound();
  return end;
}

function requireIssuesOnly(field: string, own: LinkEnd, other: LinkEnd): void {
  if (own.issue.isPull) throw problem('issue_number', 'must not be a pull request');
  if (other.issue.isPull) throw problem(field, 'must not be a pull request');
}

type Step = 'added' | 'removed';

async function recordSubIssue(
  tx: ChangeTransaction,
  parent: LinkEnd,
  subIssue: LinkEnd,
  step: Step,
): Promise<void> {
  await writeEvent(tx, parent, `sub_issue_${step}`, subIssue);
  await writeEvent(tx, subIssue, `parent_issue_${step}`, parent);
  await recordLink(tx, 'sub_issues', { parent, subIssue }, [
    { action: `sub_issue_${step}`, at: parent, other: subIssue },
    { action: `parent_issue_${step}`, at: subIssue, other: parent },
  ]);
}

async function recordDependency(
  tx: ChangeTransaction,
  blocked: LinkEnd,
  blocking: LinkEnd,
  step: Step,
): Promise<void> {
  await writeEvent(tx, blocked, `blocked_by_${step}`, blocking);
  await writeEvent(tx, blocking, `blocking_${step}`, blocked);
  await recordLink(tx, 'issue_dependencies', { blocked, blocking }, [
    { action: `blocked_by_${step}`, at: blocked, other: blocking },
    { action: `blocking_${step}`, at: blocking, other: blocked },
  ]);
}

/** The issue counts as changed. */
async function writeEvent(
  { db, actor }: ChangeTransaction,
  { issue }: LinkEnd,
  event: string,
  other: LinkEnd,
): Promise<void> {
  const actorId = actor.caller === undefined ? null : accountOf(actor.caller).id;
  await insertIssueEvents(db, issue, [{ event, actorId, subjectId: other.issue.id }], actor.now);
  await updateIssue(db, issue, { updatedAt: actor.now });
}
