// Pull requests as replies show them.
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import { BODY_FIELDS, type ShownBody } from '../contents/render-bodies.ts';
import { ASSOCIATIONS } from '../issues/people/associations.ts';
import { ISSUE_STATES } from '../issues/issue.ts';
import type { ShownIssue } from '../issues/model.ts';
import { LabelReply, toLabel } from '../labels/model.ts';
import { MilestoneReply, toMilestone } from '../milestones/model.ts';
import { nodeId } from '../node-id.ts';
import type { Organization } from '../organizations/model.ts';
import { GHOST, SimpleUser, toSimpleUser, type RepositoryOwner } from '../owners/model.ts';
import { NestedRepository, toNestedRepository, type ShownRepository } from '../repositories/model.ts';
import { ListedTeam, toListedTeam, type OrganizationTeam } from '../teams/model.ts';
import { isoSeconds } from '../times.ts';
import { mergeableStateOf, type MergeableState, type Pull } from './pull.ts';
import { siteOf } from '../site.ts';

const Time = Type.String({ format: 'date-time' });
const Link = Type.Object({ href: Type.String() }, { $id: 'link' });

const PullSide = Type.Object({
  label: Type.String({ description: 'The owner of the repository and the branch' }),
  ref: Type.String(),
  sha: Type.String(),
  user: Nullable(SimpleUser),
  /** Null where the repository was deleted. */
  repo: Nullable(NestedRepository),
});

const SIMPLE = {
  url: Type.String(),
  id: Type.Integer(),
  node_id: Type.String(),
  html_url: Type.String(),
  diff_url: Type.String(),
  patch_url: Type.String(),
  issue_url: Type.String(),
  commits_url: Type.String(),
  review_comments_url: Type.String(),
  review_comment_url: Type.String(),
  comments_url: Type.String(),
  statuses_url: Type.String(),
  number: Type.Integer({ description: 'Of the issues and pull requests of the repository' }),
  state: OneOf(ISSUE_STATES),
  locked: Type.Boolean(),
  title: Type.String(),
  user: Nullable(SimpleUser),
  ...BODY_FIELDS,
  body: Type.Optional(Nullable(Type.String({ description: 'As written, in Markdown' }))),
  labels: Type.Array(LabelReply),
  milestone: Nullable(MilestoneReply),
  active_lock_reason: Nullable(Type.String()),
  created_at: Time,
  updated_at: Time,
  closed_at: Nullable(Time),
  merged_at: Nullable(Time),
  merge_commit_sha: Nullable(
    Type.String({ description: 'Of the test merge while it is open; then the commit that merged it' }),
  ),
  assignee: Nullable(SimpleUser),
  assignees: Type.Array(SimpleUser),
  requested_reviewers: Type.Array(SimpleUser),
  requested_teams: Type.Array(ListedTeam),
  head: PullSide,
  base: PullSide,
  _links: Type.Object({
    self: Link,
    html: Link,
    issue: Link,
    comments: Link,
    review_comments: Link,
    review_comment: Link,
    commits: Link,
    statuses: Link,
  }),
  author_association: OneOf(ASSOCIATIONS),
  auto_merge: Type.Null(),
  draft: Type.Boolean(),
};

export const PullSimpleReply = Type.Object(SIMPLE, { $id: 'pull-request-simple' });

export const PullReply = Type.Object(
  {
    ...SIMPLE,
    merged: Type.Boolean(),
    mergeable: Nullable(Type.Boolean({ description: 'Null until it is known' })),
    rebaseable: Nullable(Type.Boolean()),
    mergeable_state: Type.String(),
    merged_by: Nullable(SimpleUser),
    comments: Type.Integer(),
    review_comments: Type.Integer(),
    maintainer_can_modify: Type.Boolean(),
    commits: Type.Integer(),
    additions: Type.Integer(),
    deletions: Type.Integer(),
    changed_files: Type.Integer(),
  },
  { $id: 'pull-request' },
);

/** A pull request with all that its reply nests. It is JSON: events keep it for payloads. */
export interface ShownPull {
  shown: ShownIssue;
  pull: Pull;
  base: ShownRepository;
  /** Null where the repository or the account is gone, or not visible to the caller. */
  head: { repository: ShownRepository | null; owner: RepositoryOwner | null };
  mergedBy: RepositoryOwner | null;
  reviewers: readonly RepositoryOwner[];
  teams: readonly RequestedTeam[];
}

export interface RequestedTeam {
  team: OrganizationTeam & { parent: OrganizationTeam | null };
  organization: Organization;
}

type PullBody = ShownBody<string | null>;

export function toPullSimple(one: ShownPull, base: string, body: PullBody): Static<typeof PullSimpleReply> {
  const { shown, pull } = one;
  const { issue } = shown;
  const fullName = `${one.base.owner.login}/${one.base.repository.name}`;
  const repository = `${base}/repos/${fullName}`;
  const urls = urlsOf(pull, repository, `${siteOf(base)}/${fullName}/pull/${issue.number}`);
  const users = shown.assignees.map((user) => toSimpleUser(user, base));
  const { html_url: html, issue_url: issueUrl } = urls;
  const link = (href: string) => ({ href });
  return {
    ...urls,
    id: issue.id,
    node_id: nodeId('PullRequest', issue.id),
    number: issue.number,
    state: issue.state,
    locked: issue.isLocked,
    title: issue.title,
    user: shown.author === null ? null : toSimpleUser(shown.author, base),
    ...body,
    labels: shown.labels.map((label) => toLabel(label, repository)),
    milestone: shown.milestone === null ? null : toMilestone(shown.milestone, fullName, base),
    active_lock_reason: issue.lockReason,
    created_at: isoSeconds(issue.createdAt),
    updated_at: isoSeconds(issue.updatedAt),
    closed_at: issue.closedAt === null ? null : isoSeconds(issue.closedAt),
    merged_at: pull.mergedAt === null ? null : isoSeconds(pull.mergedAt),
    merge_commit_sha: pull.mergeCommitSha ?? (pull.mergeable === true ? pull.testMergeSha : null),
    assignee: users[0] ?? null,
    assignees: users,
    requested_reviewers: one.reviewers.map((user) => toSimpleUser(user, base)),
    requested_teams: one.teams.map(({ team, organization }) =>
      toListedTeam({ team, organization, parent: team.parent ?? undefined }, base),
    ),
    ...sidesOf(one, base),
    _links: {
      self: link(urls.url),
      html: link(html),
      issue: link(issueUrl),
      comments: link(urls.comments_url),
      review_comments: link(urls.review_comments_url),
      review_comment: link(urls.review_comment_url),
      commits: link(urls.commits_url),
      statuses: link(urls.statuses_url),
    },
    author_association: shown.association,
    auto_merge: null,
    draft: pull.isDraft,
  };
}

/** Without a state, it is what the branches alone decide. */
export function toPull(
  one: ShownPull,
  base: string,
  body: PullBody,
  state: MergeableState = mergeableStateOf(one.pull),
): Static<typeof PullReply> {
  const { shown, pull, mergedBy } = one;
  const isMerged = pull.mergedAt !== null;
  return {
    ...toPullSimple(one, base, body),
    merged: isMerged,
    mergeable: isMerged ? null : pull.mergeable,
    rebaseable: isMerged ? null : pull.rebaseable,
    mergeable_state: state,
    merged_by: mergedBy === null ? null : toSimpleUser(mergedBy, base),
    comments: shown.issue.commentCount,
    review_comments: pull.reviewCommentCount,
    maintainer_can_modify: pull.mayMaintainerModify,
    commits: pull.commitCount,
    additions: pull.additions,
    deletions: pull.deletions,
    changed_files: pull.changedFiles,
  };
}

function urlsOf({ number, headSha }: Pull, repository: string, page: string) {
  const url = `${repository}/pulls/${number}`;
  const issue = `${repository}/issues/${number}`;
  return {
    url,
    html_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    issue_url: issue,
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: `${repository}/pulls/comments{/number}`,
    comments_url: `${issue}/comments`,
    statuses_url: `${repository}/statuses/${headSha}`,
  };
}

function sidesOf({ pull, head, base: into }: ShownPull, base: string) {
  const user = (owner: RepositoryOwner | null) => (owner === null ? null : toSimpleUser(owner, base));
  return {
    head: {
      label: head.owner === null ? pull.headRef : `${head.owner.login}:${pull.headRef}`,
      ref: pull.headRef,
      sha: pull.headSha,
      user: user(head.owner ?? GHOST),
      repo: head.repository === null ? null : toNestedRepository(head.repository, base),
    },
    base: {
      label: `${into.owner.login}:${pull.baseRef}`,
      ref: pull.baseRef,
      sha: pull.baseSha,
      user: user(into.owner),
      repo: toNestedRepository(into, base),
    },
  };
}
