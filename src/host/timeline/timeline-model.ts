// The items of timelines that are no plain events: comments, reviews, commits and references, as replies show them.
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import { CommitPerson, CommitVerification, toCommitPerson, verificationOf } from '../commits/model.ts';
import { BODY_FIELDS, type ShownBody } from '../contents/render-bodies.ts';
import { ASSOCIATIONS, type Association } from '../issues/associations.ts';
import type { ReactionCounts } from '../issues/issue.ts';
import { IssueReply, ReactionRollup, toReactionRollup } from '../issues/model.ts';
import { nodeId } from '../node-id.ts';
import { SimpleUser, type RepositoryOwner } from '../owners/model.ts';
import { isoSeconds } from '../times.ts';
import type { CommitCommentsInTimeline, CommitInTimeline } from './event-details.ts';
import { EventForIssue, shownUser } from './model.ts';
import type { IssueComment } from '../issue-comments/model.ts';
import type { ReviewCommentInTimeline, ReviewInTimeline } from './store-subjects.ts';

const Time = Type.String({ format: 'date-time' });
const Link = Type.Object({ href: Type.String() });

const TimelineComment = Type.Object(
  {
    event: Type.Literal('commented'),
    actor: Nullable(SimpleUser),
    id: Type.Integer(),
    node_id: Type.String(),
    url: Type.String(),
    html_url: Type.String(),
    issue_url: Type.String(),
    ...BODY_FIELDS,
    user: Nullable(SimpleUser),
    created_at: Time,
    updated_at: Time,
    author_association: OneOf(ASSOCIATIONS),
    performed_via_github_app: Type.Null(),
    reactions: ReactionRollup,
  },
  { $id: 'timeline-comment-event' },
);

const CrossReference = Type.Object(
  {
    event: Type.Literal('cross-referenced'),
    actor: Nullable(SimpleUser),
    created_at: Time,
    updated_at: Time,
    source: Type.Object({ type: Type.Literal('issue'), issue: IssueReply }),
  },
  { $id: 'timeline-cross-referenced-event' },
);

const TimelineCommit = Type.Object(
  {
    event: Type.Literal('committed'),
    sha: Type.String(),
    node_id: Type.String(),
    url: Type.String(),
    html_url: Type.String(),
    author: CommitPerson,
    committer: CommitPerson,
    message: Type.String(),
    tree: Type.Object({ sha: Type.String(), url: Type.String() }),
    parents: Type.Array(Type.Object({ sha: Type.String(), url: Type.String(), html_url: Type.String() })),
    verification: CommitVerification,
  },
  { $id: 'timeline-committed-event' },
);

const TimelineReview = Type.Object(
  {
    event: Type.Literal('reviewed'),
    id: Type.Integer(),
    node_id: Type.String(),
    user: Nullable(SimpleUser),
    ...BODY_FIELDS,
    state: Type.String(),
    html_url: Type.String(),
    pull_request_url: Type.String(),
    _links: Type.Object({ html: Link, pull_request: Link }),
    submitted_at: Type.Optional(Time),
    updated_at: Time,
    commit_id: Type.String(),
    author_association: OneOf(ASSOCIATIONS),
  },
  { $id: 'timeline-reviewed-event' },
);

const LineComment = Type.Object({
  url: Type.String(),
  pull_request_review_id: Type.Integer(),
  id: Type.Integer(),
  node_id: Type.String(),
  diff_hunk: Type.String(),
  path: Type.String(),
  position: Type.Optional(Type.Integer()),
  original_position: Type.Optional(Type.Integer()),
  commit_id: Type.String(),
  original_commit_id: Type.String(),
  in_reply_to_id: Type.Optional(Type.Integer()),
  user: Nullable(SimpleUser),
  ...BODY_FIELDS,
  created_at: Time,
  updated_at: Time,
  html_url: Type.String(),
  pull_request_url: Type.String(),
  author_association: OneOf(ASSOCIATIONS),
  _links: Type.Object({ self: Link, html: Link, pull_request: Link }),
  start_line: Nullable(Type.Integer()),
  original_start_line: Nullable(Type.Integer()),
  start_side: Nullable(Type.String()),
  line: Type.Optional(Type.Integer()),
  original_line: Type.Optional(Type.Integer()),
  side: Type.Optional(Type.String()),
  subject_type: Type.String(),
  reactions: ReactionRollup,
});

const TimelineLineComments = Type.Object(
  { event: Type.Literal('line-commented'), node_id: Type.String(), comments: Type.Array(LineComment) },
  { $id: 'timeline-line-commented-event' },
);

const CommitComment = Type.Object({
  url: Type.String(),
  html_url: Type.String(),
  id: Type.Integer(),
  node_id: Type.String(),
  user: Nullable(SimpleUser),
  body: Type.String(),
  path: Nullable(Type.String()),
  position: Nullable(Type.Integer()),
  line: Nullable(Type.Integer()),
  commit_id: Type.String(),
  created_at: Time,
  updated_at: Time,
  author_association: OneOf(ASSOCIATIONS),
});

const TimelineCommitComments = Type.Object(
  {
    event: Type.Literal('commit-commented'),
    node_id: Type.String(),
    commit_id: Type.String(),
    comments: Type.Array(CommitComment),
  },
  { $id: 'timeline-commit-commented-event' },
);

export const TimelineItem = Type.Union([
  EventForIssue,
  TimelineComment,
  CrossReference,
  TimelineCommit,
  TimelineReview,
  TimelineLineComments,
  TimelineCommitComments,
]);

export type TimelineReply = Static<typeof TimelineItem>;

/** Where an item is shown: `owner/name` of the repository, the number of the issue, and the address of the API. */
export interface TimelinePlace {
  fullName: string;
  number: number;
  base: string;
}

/** Who wrote a text, what they are to the repository, and the text in the form that the call asks for. */
export interface Written {
  user: RepositoryOwner | null;
  association: Association;
  body: ShownBody;
}

export function toTimelineComment(
  { id, reactions, createdAt, updatedAt }: IssueComment,
  { user, association, body }: Written,
  place: TimelinePlace & { isPull: boolean },
): Static<typeof TimelineComment> {
  const { base, api, page } = addressesOf(place);
  const url = `${api}/issues/comments/${id}`;
  const shown = shownUser(user, base);
  return {
    event: 'commented',
    actor: shown,
    id,
    node_id: nodeId('IssueComment', id),
    url,
    html_url: `${page}/${place.isPull ? 'pull' : 'issues'}/${place.number}#issuecomment-${id}`,
    issue_url: `${api}/issues/${place.number}`,
    ...body,
    user: shown,
    created_at: isoSeconds(createdAt),
    updated_at: isoSeconds(updatedAt),
    author_association: association,
    performed_via_github_app: null,
    reactions: toReactionRollup(reactions, `${url}/reactions`),
  };
}

export function toCrossReference(
  { actor, at, issue }: { actor: RepositoryOwner | null; at: number; issue: Static<typeof IssueReply> },
  base: string,
): Static<typeof CrossReference> {
  return {
    event: 'cross-referenced',
    actor: shownUser(actor, base),
    created_at: isoSeconds(at),
    updated_at: isoSeconds(at),
    source: { type: 'issue', issue },
  };
}

export function toTimelineCommit(
  sha: string,
  repositoryNumber: number,
  { tree, parents, author, committer, message, signed }: CommitInTimeline,
  place: TimelinePlace,
): Static<typeof TimelineCommit> {
  const { api, page } = addressesOf(place);
  return {
    event: 'committed',
    sha,
    node_id: nodeId('Commit', `${repositoryNumber}:${sha}`),
    url: `${api}/git/commits/${sha}`,
    html_url: `${page}/commit/${sha}`,
    author: toCommitPerson(author),
    committer: toCommitPerson(committer),
    message: message.replace(/\n+$/, ''),
    tree: { sha: tree, url: `${api}/git/trees/${tree}` },
    parents: parents.map((one) => ({
      sha: one,
      url: `${api}/git/commits/${one}`,
      html_url: `${page}/commit/${one}`,
    })),
    verification: verificationOf({ ...(signed && { signed }) }),
  };
}

export function toTimelineReview(
  review: ReviewInTimeline,
  { user, association, body }: Written,
  place: TimelinePlace,
): Static<typeof TimelineReview> {
  const { base, api, page } = addressesOf(place);
  const { id, submitted_at: submittedAt } = review;
  const htmlUrl = `${page}/pull/${place.number}#pullrequestreview-${id}`;
  const pullUrl = `${api}/pulls/${place.number}`;
  return {
    event: 'reviewed',
    id,
    node_id: nodeId('PullRequestReview', id),
    user: shownUser(user, base),
    ...body,
    state: review.state.toLowerCase(),
    html_url: htmlUrl,
    pull_request_url: pullUrl,
    _links: { html: { href: htmlUrl }, pull_request: { href: pullUrl } },
    ...(submittedAt !== null && { submitted_at: isoSeconds(submittedAt) }),
    updated_at: isoSeconds(review.updated_at),
    commit_id: review.commit_id ?? '',
    author_association: association,
  };
}

export function toLineComments(
  threadId: number,
  comments: Static<typeof LineComment>[],
): Static<typeof TimelineLineComments> {
  return { event: 'line-commented', node_id: nodeId('PullRequestReviewThread', threadId), comments };
}

export function toLineComment(
  comment: ReviewCommentInTimeline,
  { user, association, body }: Written,
  place: TimelinePlace,
): Static<typeof LineComment> {
  const { base, api, page } = addressesOf(place);
  const { id, position, line, side, in_reply_to: inReplyTo } = comment;
  const url = `${api}/pulls/comments/${id}`;
  const htmlUrl = `${page}/pull/${place.number}#discussion_r${id}`;
  const pullUrl = `${api}/pulls/${place.number}`;
  return {
    url,
    pull_request_review_id: comment.review_id,
    id,
    node_id: nodeId('PullRequestReviewComment', id),
    diff_hunk: comment.diff_hunk,
    path: comment.path,
    ...(position !== null && { position }),
    ...(comment.original_position !== null && { original_position: comment.original_position }),
    commit_id: comment.commit_id,
    original_commit_id: comment.original_commit_id,
    ...(inReplyTo !== null && { in_reply_to_id: inReplyTo }),
    user: shownUser(user, base),
    ...body,
    created_at: isoSeconds(comment.created_at),
    updated_at: isoSeconds(comment.updated_at),
    html_url: htmlUrl,
    pull_request_url: pullUrl,
    author_association: association,
    _links: { self: { href: url }, html: { href: htmlUrl }, pull_request: { href: pullUrl } },
    start_line: comment.start_line,
    original_start_line: comment.original_start_line,
    start_side: comment.start_side,
    ...(line !== null && { line }),
    ...(comment.original_line !== null && { original_line: comment.original_line }),
    ...(side !== null && { side }),
    subject_type: comment.subject_type,
    reactions: toReactionRollup(JSON.parse(comment.reactions) as ReactionCounts, `${url}/reactions`),
  };
}

export function toCommitComments(
  commitId: string,
  eventId: number,
  { comments }: CommitCommentsInTimeline,
  { writerOf, ...place }: TimelinePlace & { writerOf(user: string | null): Omit<Written, 'body'> },
): Static<typeof TimelineCommitComments> {
  const { base, api, page } = addressesOf(place);
  return {
    event: 'commit-commented',
    node_id: nodeId('IssueEvent', eventId),
    commit_id: commitId,
    comments: comments.map(({ id, body, path, position, line, ...comment }) => {
      const { user, association } = writerOf(comment.user);
      return {
        url: `${api}/comments/${id}`,
        html_url: `${page}/commit/${commitId}#commitcomment-${id}`,
        id,
        node_id: nodeId('CommitComment', id),
        user: shownUser(user, base),
        body,
        path,
        position,
        line,
        commit_id: commitId,
        created_at: isoSeconds(comment.created_at),
        updated_at: isoSeconds(comment.updated_at),
        author_association: association,
      };
    }),
  };
}

function addressesOf({ fullName, base }: TimelinePlace): { base: string; api: string; page: string } {
  return { base, api: `${base}/repos/${fullName}`, page: `${new URL(base).origin}/${fullName}` };
}
