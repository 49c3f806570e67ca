// Records what happened to an issue or a pull request for webhooks and feeds, in the transaction of the change.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { anonymousAt } from '../../kernel/identity/caller.ts';
import type { HostEvent } from '../events/model.ts';
import { recordEvents } from '../events/record-event.ts';
import type { Label } from '../labels/model.ts';
import type { ShownMilestone } from '../milestones/model.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import type { RequestedTeam, ShownPull } from '../pulls/model.ts';
import { showPulls } from '../pulls/show-pulls.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { findRepositoryByNumber } from '../repositories/store.ts';
import type { Issue } from './issue.ts';
import type { ShownIssue } from './model.ts';
import { showIssues } from './show-issues.ts';

interface From<T> {
  from: T;
}

/** In the words of webhooks. */
export type IssueAction =
  | { action: 'opened' | 'closed' | 'reopened' | 'locked' | 'unlocked' }
  | {
      action: 'edited';
      changes: {
        title?: From<string>;
        body?: From<string | null>;
        /** Of pull requests. */
        base?: { ref: From<string>; sha: From<string> };
      };
    }
  /** Of pull requests. */
  | { action: 'synchronize'; before: string; after: string }
  | { action: 'converted_to_draft' | 'ready_for_review' }
  | { action: 'review_requested' | 'review_request_removed'; reviewer: RepositoryOwner }
  | { action: 'review_requested' | 'review_request_removed'; team: RequestedTeam }
  | { action: 'labeled' | 'unlabeled'; label: Label }
  | { action: 'assigned' | 'unassigned'; assignee: RepositoryOwner }
  | { action: 'milestoned' | 'demilestoned'; milestone: ShownMilestone };

/** The details of events about issues. */
export interface IssueEventDetails {
  issue: ShownIssue;
  changes?: { title?: From<string>; body?: From<string | null> };
  label?: Label;
  assignee?: RepositoryOwner;
  milestone?: ShownMilestone;
}

/** The details of events about pull requests. */
export type PullEventDetails = { pull: ShownPull } & Omit<IssueAction, 'action'>;

/** In this order. The issue is shown as it is after all of them. What happens to a pull request are events of their own. */
export async function recordIssueActions(
  tx: ChangeTransaction,
  found: FoundRepository,
  issue: Issue,
  actions: readonly IssueAction[],
): Promise<void> {
  if (actions.length === 0) return;
  const { found: place, ...subject } = issue.isPull
    ? await showPullForPayload(tx, found, issue)
    : await showForPayload(tx, found, issue);
  const events = actions.map(({ action, ...details }): HostEvent => ({
    name: issue.isPull ? 'pull_request' : 'issues',
    action,
    details: { ...subject, ...details } satisfies IssueEventDetails | PullEventDetails,
  }));
  await recordEvents(tx, events, { found: place });
}

/** An issue and its repository, as payloads show them. */
export async function showForPayload(
  tx: ChangeTransaction,
  found: FoundRepository,
  issue: Issue,
): Promise<{ issue: ShownIssue; found: FoundRepository }> {
  const place = await counted(tx, found);
  const [shown] = await showIssues(tx.db, ANYBODY, place, [issue]);
  return { issue: shown!, found: place };
}

/** The same of a pull request. */
export async function showPullForPayload(
  tx: ChangeTransaction,
  found: FoundRepository,
  issue: Issue,
): Promise<{ pull: ShownPull; found: FoundRepository }> {
  const place = await counted(tx, found);
  const [shown] = await showPulls(tx.db, 'receiver', place, [issue]);
  return { pull: shown!, found: place };
}

/** Payloads go to people who may not see what a caller sees. */
const ANYBODY = anonymousAt('');

/** A cached repository may have another number of open issues. */
async function counted(tx: ChangeTransaction, found: FoundRepository): Promise<FoundRepository> {
  const repository = await findRepositoryByNumber(tx.db, found.repository.number);
  return repository === undefined ? found : { repository, owner: found.owner };
}
