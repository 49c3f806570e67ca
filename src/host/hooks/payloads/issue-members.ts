// The members of payloads about issues, comments, labels and milestones, from what was recorded when it happened.
import type { EventDetails, IssueInEvent, RecordedEvent } from '../../events/model.ts';
import { toIssueComment } from '../../issue-comments/model.ts';
import { toIssue, type ShownIssue } from '../../issues/model.ts';
import { toLabel } from '../../labels/model.ts';
import { toMilestone, type ShownMilestone } from '../../milestones/model.ts';
import { GHOST } from '../../owners/model.ts';
import type { FoundRepository } from '../../repositories/access.ts';
import { repositoryInPayload, userInPayload, type PayloadObject } from './shared-members.ts';

/** `found` is the repository that the event happened in. */
export function issueMembers(
  { action, details }: RecordedEvent,
  found: FoundRepository,
  base: string,
): PayloadObject {
  const { issue, changes, label, assignee, milestone } = details as unknown as EventDetails['issues'];
  // One edit may replace a milestone by another. Its payloads are those of two steps, and after the first there was none.
  const shown = action === 'demilestoned' ? { ...issue, milestone: null } : issue;
  return {
    issue: issueInPayload(shown, found, base),
    ...(changes && { changes: textChanges(changes) }),
    ...(label && { label: toLabel(label, `${base}/repos/${fullNameOf(found)}`) }),
    ...(assignee && { assignee: userInPayload(assignee, base) }),
    ...(milestone && { milestone: milestoneInPayload(milestone, found, base) }),
  };
}

/** Receivers know fewer members than callers, and none of them knows issues without an author. */
function issueInPayload(shown: ShownIssue, found: FoundRepository, base: string): PayloadObject {
  const {
    closed_by: _closedBy,
    sub_issues_summary: _subIssues,
    parent_issue_url: _parent,
    issue_dependencies_summary: _dependencies,
    ...issue
  } = wholeIssue(shown, found, base);
  return {
    ...issue,
    user: issue.user ?? userInPayload(GHOST, base),
    milestone: shown.milestone && milestoneInPayload(shown.milestone, found, base),
  };
}

function wholeIssue(shown: ShownIssue, found: FoundRepository, base: string) {
  return toIssue(shown, { fullName: fullNameOf(found), base }, { body: shown.issue.body });
}

export function commentMembers(details: PayloadObject, found: FoundRepository, base: string): PayloadObject {
  const { issue, comment, ...others } = details as unknown as EventDetails['issue_comment.created'];
  const place = { fullName: fullNameOf(found), base };
  const author = comment.author ?? GHOST;
  return {
    ...others,
    issue: issueInPayload(issue, found, base),
    comment: toIssueComment({ ...comment, author }, place, { body: comment.comment.body }),
  };
}

/** Receivers expect a text where there was none. */
function textChanges({ title, body }: NonNullable<EventDetails['issues']['changes']>): PayloadObject {
  return { ...(title && { title }), ...(body && { body: { from: body.from ?? '' } }) };
}

export function labelMembers(details: PayloadObject, found: FoundRepository, base: string): PayloadObject {
  const { label, ...others } = details as unknown as EventDetails['label.created'];
  return { ...others, label: toLabel(label, `${base}/repos/${fullNameOf(found)}`) };
}

export function milestoneMembers(
  details: PayloadObject,
  found: FoundRepository,
  base: string,
): PayloadObject {
  const { milestone, ...others } = details as unknown as EventDetails['milestone.created'];
  return { ...others, milestone: milestoneInPayload(milestone, found, base) };
}

function milestoneInPayload(shown: ShownMilestone, found: FoundRepository, base: string): PayloadObject {
  return toMilestone({ ...shown, creator: shown.creator ?? GHOST }, fullNameOf(found), base);
}

/** `sub_issues` and `issue_dependencies`. The repository of the issue that it did not happen to is a member of its own. */
export function linkMembers({ name, action, details }: RecordedEvent, base: string): PayloadObject {
  const issues =
    name === 'sub_issues'
      ? subIssueLink(details as unknown as EventDetails['sub_issues'])
      : dependencyLink(details as unknown as EventDetails['issue_dependencies']);
  const other = OTHER_ISSUE[action!];
  return Object.fromEntries(
    Object.entries(issues).flatMap(([member, { issue, found }]): [string, unknown][] => [
      [`${member}_id`, issue.issue.id],
      [member, wholeIssue(issue, found, base)],
      ...(member === other
        ? [[`${member}_repo`, repositoryInPayload(found, base)] as [string, unknown]]
        : []),
    ]),
  );
}

function subIssueLink({ parent, subIssue }: EventDetails['sub_issues']): Record<string, IssueInEvent> {
  return { parent_issue: parent, sub_issue: subIssue };
}

function dependencyLink({
  blocked,
  blocking,
}: EventDetails['issue_dependencies']): Record<string, IssueInEvent> {
  return { blocked_issue: blocked, blocking_issue: blocking };
}

/** By action. */
const OTHER_ISSUE: Readonly<Record<string, string>> = {
  parent_issue_added: 'parent_issue',
  parent_issue_removed: 'parent_issue',
  sub_issue_added: 'sub_issue',
  sub_issue_removed: 'sub_issue',
  blocked_by_added: 'blocking_issue',
  blocked_by_removed: 'blocking_issue',
  blocking_added: 'blocked_issue',
  blocking_removed: 'blocked_issue',
};

function fullNameOf({ repository, owner }: FoundRepository): string {
  return `${owner.login}/${repository.name}`;
}
