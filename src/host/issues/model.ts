// Issues as replies show them.
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import { BODY_FIELDS, type ShownBody } from '../contents/render-bodies.ts';
import { LabelReply, toLabel, type Label } from '../labels/model.ts';
import { MilestoneReply, toMilestone, type ShownMilestone } from '../milestones/model.ts';
import { nodeId } from '../node-id.ts';
import { SimpleUser, toSimpleUser, type RepositoryOwner } from '../owners/model.ts';
import { NestedRepository } from '../repositories/model.ts';
import { isoSeconds } from '../times.ts';
import { ISSUE_STATES, REACTIONS, STATE_REASONS, type Issue, type ReactionCounts } from './issue.ts';
import { ASSOCIATIONS, type Association } from './people/associations.ts';
import { siteOf } from '../site.ts';

const Time = Type.String({ format: 'date-time' });

export const ReactionRollup = Type.Object(
  {
    url: Type.String(),
    total_count: Type.Integer(),
    ...Object.fromEntries(REACTIONS.map((content) => [content, Type.Integer()])),
  },
  { $id: 'reaction-rollup' },
);

const SubIssuesSummary = Type.Object(
  { total: Type.Integer(), completed: Type.Integer(), percent_completed: Type.Integer() },
  { $id: 'sub-issues-summary' },
);

const DependenciesSummary = Type.Object(
  {
    blocked_by: Type.Integer({ description: 'Those that are open' }),
    blocking: Type.Integer({ description: 'Those that are open' }),
    total_blocked_by: Type.Integer(),
    total_blocking: Type.Integer(),
  },
  { $id: 'issue-dependencies-summary' },
);

const PullLinks = Type.Object({
  url: Type.String(),
  html_url: Type.String(),
  diff_url: Type.String(),
  patch_url: Type.String(),
  merged_at: Nullable(Time),
});

export const IssueReply = Type.Object(
  {
    id: Type.Integer(),
    node_id: Type.String(),
    url: Type.String(),
    repository_url: Type.String(),
    labels_url: Type.String(),
    comments_url: Type.String(),
    events_url: Type.String(),
    timeline_url: Type.String(),
    html_url: Type.String(),
    number: Type.Integer({ description: 'Of the issues and pull requests of the repository' }),
    state: OneOf(ISSUE_STATES),
    state_reason: Nullable(OneOf(STATE_REASONS)),
    title: Type.String(),
    ...BODY_FIELDS,
    body: Type.Optional(Nullable(Type.String({ description: 'As written, in Markdown' }))),
    user: Nullable(SimpleUser),
    labels: Type.Array(LabelReply),
    assignee: Nullable(SimpleUser),
    assignees: Type.Array(SimpleUser),
    milestone: Nullable(MilestoneReply),
    locked: Type.Boolean(),
    active_lock_reason: Nullable(Type.String()),
    comments: Type.Integer(),
    pull_request: Type.Optional(PullLinks),
    draft: Type.Optional(Type.Boolean({ description: 'Of pull requests' })),
    closed_at: Nullable(Time),
    created_at: Time,
    updated_at: Time,
    closed_by: Type.Optional(Nullable(SimpleUser)),
    repository: Type.Optional(NestedRepository),
    performed_via_github_app: Type.Null(),
    author_association: OneOf(ASSOCIATIONS),
    reactions: ReactionRollup,
    sub_issues_summary: Type.Optional(SubIssuesSummary),
    parent_issue_url: Type.Optional(Nullable(Type.String())),
    issue_dependencies_summary: Type.Optional(DependenciesSummary),
  },
  { $id: 'issue' },
);

/** An issue with all that its reply nests. It is JSON: events keep it for payloads. */
export interface ShownIssue {
  issue: Issue;
  /** Null where the account is gone. */
  author: RepositoryOwner | null;
  association: Association;
  labels: readonly Label[];
  assignees: readonly RepositoryOwner[];
  milestone: ShownMilestone | null;
  closedBy: RepositoryOwner | null;
  subIssues: { total: number; completed: number };
  dependencies: { blockedBy: number; blocking: number; totalBlockedBy: number; totalBlocking: number };
  /** `owner/name` of the repository, and the number, of what it is a sub-issue of, where the caller may see it. */
  parent: { fullName: string; number: number } | null;
  /** Of pull requests. */
  pull?: { isDraft: boolean; mergedAt: number | null };
}

/** Where an issue is shown: `owner/name` of its repository, and the address of the API. */
export interface IssuePlace {
  fullName: string;
  base: string;
}

export function toIssue(
  shown: ShownIssue,
  { fullName, base }: IssuePlace,
  body: ShownBody<string | null>,
): Static<typeof IssueReply> {
  const { issue, author, labels, assignees, milestone, closedBy, parent, pull } = shown;
  const { id, number, isPull, closedAt } = issue;
  const repository = `${base}/repos/${fullName}`;
  const url = `${repository}/issues/${number}`;
  const page = `${siteOf(base)}/${fullName}`;
  const htmlUrl = `${page}/${isPull ? 'pull' : 'issues'}/${number}`;
  const users = assignees.map((one) => toSimpleUser(one, base));
  const { subIssues, dependencies } = shown;
  return {
    id,
    node_id: nodeId(isPull ? 'PullRequest' : 'Issue', id),
    url,
    repository_url: repository,
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    timeline_url: `${url}/timeline`,
    html_url: htmlUrl,
    number,
    state: issue.state,
    state_reason: issue.stateReason,
    title: issue.title,
    ...body,
    user: author === null ? null : toSimpleUser(author, base),
    labels: labels.map((label) => toLabel(label, repository)),
    assignee: users[0] ?? null,
    assignees: users,
    milestone: milestone === null ? null : toMilestone(milestone, fullName, base),
    locked: issue.isLocked,
    active_lock_reason: issue.lockReason,
    comments: issue.commentCount,
    ...(isPull && {
      draft: pull?.isDraft ?? false,
      pull_request: {
        url: `${repository}/pulls/${number}`,
        html_url: htmlUrl,
        diff_url: `${htmlUrl}.diff`,
        patch_url: `${htmlUrl}.patch`,
        merged_at: pull?.mergedAt == null ? null : isoSeconds(pull.mergedAt),
      },
    }),
    closed_at: closedAt === null ? null : isoSeconds(closedAt),
    created_at: isoSeconds(issue.createdAt),
    updated_at: isoSeconds(issue.updatedAt),
    closed_by: closedBy === null ? null : toSimpleUser(closedBy, base),
    performed_via_github_app: null,
    author_association: shown.association,
    reactions: toReactionRollup(issue.reactions, `${url}/reactions`),
    sub_issues_summary: {
      ...subIssues,
      percent_completed:
        subIssues.total === 0 ? 0 : Math.floor((subIssues.completed * 100) / subIssues.total),
    },
    parent_issue_url: parent === null ? null : `${base}/repos/${parent.fullName}/issues/${parent.number}`,
    issue_dependencies_summary: {
      blocked_by: dependencies.blockedBy,
      blocking: dependencies.blocking,
      total_blocked_by: dependencies.totalBlockedBy,
      total_blocking: dependencies.totalBlocking,
    },
  };
}

export function toReactionRollup(counts: ReactionCounts, url: string): Static<typeof ReactionRollup> {
  const each = REACTIONS.map((content) => [content, counts[content] ?? 0] as const);
  return { url, total_count: each.reduce((sum, [, count]) => sum + count, 0), ...Object.fromEntries(each) };
}
