// Finds the labels, assignees and the milestone that a request names, in the transaction that writes them.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { foldCase } from '../../kernel/text/fold-case.ts';
import { findOrCreateLabels } from '../labels/change-label.ts';
import type { Label } from '../labels/model.ts';
import { findMilestone } from '../milestones/store.ts';
import { repositoryNotFound } from '../repositories/access.ts';
import { lockRepository } from '../repositories/store.ts';
import type { OpenedIssues } from './access.ts';
import { findAssignable } from './people/assignees.ts';
import { MAX_LABELS, type Issue } from './issue.ts';
import { invalidField, type SentParts } from './requests.ts';
import { lockIssue } from './store.ts';

/** Absent where the request leaves it as it is. */
export interface ResolvedParts {
  labels?: readonly Label[];
  assigneeIds?: readonly string[];
  milestoneId?: number | null;
}

/** The repository and the issue, where there is one, are locked first: labels and milestones are locked after them everywhere. */
export async function resolveParts(
  tx: ChangeTransaction,
  opened: OpenedIssues,
  { labelNames, logins, milestone }: SentParts,
  issue?: Issue,
): Promise<ResolvedParts> {
  const { db } = tx;
  const { number } = opened.repository;
  if (labelNames !== undefined && new Set(labelNames.map(foldCase)).size > MAX_LABELS)
    throw invalidField('labels', `has too many (maximum is ${MAX_LABELS})`, 'custom');
  const assigneeIds = logins && (await findAllAssignable(tx, opened, logins, issue));
  const isLocked = labelNames !== undefined || milestone !== undefined;
  if (isLocked && (await lockRepository(db, number)) === undefined) throw repositoryNotFound();
  if (isLocked && issue !== undefined) await lockIssue(db, issue.id);
  return {
    ...(assigneeIds && { assigneeIds }),
    ...(milestone !== undefined && { milestoneId: await milestoneIdOf(tx, number, milestone) }),
    ...(labelNames && { labels: await findOrCreateLabels(tx, opened, labelNames) }),
  };
}

async function findAllAssignable(
  { db }: ChangeTransaction,
  opened: OpenedIssues,
  logins: readonly string[],
  issue: Issue | undefined,
): Promise<string[]> {
  const { ids, unknown } = await findAssignable(db, opened, logins, issue);
  if (unknown.length > 0)
    throw invalidField('assignees', `names ${unknown.join(', ')}, who cannot be assigned here`, 'invalid');
  return ids;
}

async function milestoneIdOf(
  { db }: ChangeTransaction,
  repositoryNumber: number,
  number: number | null,
): Promise<number | null> {
  if (number === null) return null;
  const milestone = await findMilestone(db, repositoryNumber, number);
  if (milestone === undefined)
    throw invalidField('milestone', 'is no milestone of the repository', 'invalid');
  return milestone.id;
}
