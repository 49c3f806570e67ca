// Events as feeds show them.
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import { IssueCommentReply, toIssueComment, type ShownComment } from '../issue-comments/model.ts';
import { IssueReply, toIssue, type ShownIssue } from '../issues/model.ts';
import { LabelReply, toLabel } from '../labels/model.ts';
import { GHOST, SimpleUser, toSimpleUser, type RepositoryOwner } from '../owners/model.ts';
import { NestedRepository, toNestedRepository, type ShownRepository } from '../repositories/model.ts';
import type { ShownReviewComment } from '../review-comments/model.ts';
import type { ShownReview } from '../reviews/model.ts';
import { isoSeconds } from '../times.ts';
import {
  ISSUE_FEED_ACTIONS,
  type CreateEntry,
  type FeedEntry,
  type IssueEntry,
  type PullEntry,
  type PushEntry,
} from './feed-entry.ts';
import {
  PullPayload,
  ReviewCommentPayload,
  ReviewPayload,
  toPullPayload,
  toReviewCommentPayload,
  toReviewPayload,
  type FeedPull,
} from './feed-pulls.ts';
import type { FeedEvent } from './store-feeds.ts';

const Actor = Type.Object(
  {
    id: Type.Integer(),
    login: Type.String(),
    display_login: Type.Optional(Type.String()),
    gravatar_id: Nullable(Type.String()),
    url: Type.String(),
    avatar_url: Type.String(),
  },
  { $id: 'actor' },
);

const PushPayload = Type.Object(
  {
    repository_id: Type.Integer(),
    push_id: Type.Integer(),
    size: Type.Integer(),
    distinct_size: Type.Integer(),
    ref: Type.String(),
    head: Type.String(),
    before: Type.String(),
    commits: Type.Array(
      Type.Object({
        sha: Type.String(),
        author: Type.Object({ email: Type.String(), name: Type.String() }),
        message: Type.String(),
        distinct: Type.Boolean(),
        url: Type.String(),
      }),
      { description: 'The newest 20 at most; long messages are cut' },
    ),
  },
  { $id: 'push-event' },
);

export const CreatePayload = Type.Object(
  {
    ref: Nullable(Type.String()),
    ref_type: OneOf(['repository', 'branch', 'tag']),
    full_ref: Type.String(),
    default_branch: Type.String(),
    description: Nullable(Type.String()),
    pusher_type: Type.String(),
  },
  { $id: 'create-event' },
);

const DeletePayload = Type.Object(
  {
    ref: Type.String(),
    ref_type: OneOf(['branch', 'tag']),
    full_ref: Type.String(),
    pusher_type: Type.String(),
  },
  { $id: 'delete-event' },
);

const ForkPayload = Type.Object(
  { action: OneOf(['forked']), forkee: NestedRepository },
  { $id: 'fork-event' },
);
const WatchPayload = Type.Object({ action: OneOf(['started']) }, { $id: 'watch-event' });
const MemberPayload = Type.Object({ action: OneOf(['added']), member: SimpleUser }, { $id: 'member-event' });
const PublicPayload = Type.Object({}, { $id: 'public-event' });

const IssuesPayload = Type.Object(
  {
    action: OneOf(ISSUE_FEED_ACTIONS),
    issue: IssueReply,
    label: Type.Optional(LabelReply),
    labels: Type.Optional(Type.Array(LabelReply)),
    assignee: Type.Optional(SimpleUser),
    assignees: Type.Optional(Type.Array(SimpleUser)),
  },
  { $id: 'issues-event' },
);

const IssueCommentPayload = Type.Object(
  { action: OneOf(['created']), issue: IssueReply, comment: IssueCommentReply },
  { $id: 'issue-comment-event' },
);

const EventPayload = Type.Union([
  PushPayload,
  CreatePayload,
  DeletePayload,
  ForkPayload,
  WatchPayload,
  MemberPayload,
  PublicPayload,
  IssuesPayload,
  IssueCommentPayload,
  PullPayload,
  ReviewPayload,
  ReviewCommentPayload,
  ReviewCommentPayload,
]);

export const FeedItem = Type.Object(
  {
    id: Type.String(),
    type: Type.String(),
    actor: Actor,
    repo: Type.Object({ id: Type.Integer(), name: Type.String(), url: Type.String() }),
    org: Type.Optional(Actor),
    payload: EventPayload,
    public: Type.Boolean(),
    created_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'event' },
);

/** An event with what its item nests. */
export interface ShownEvent {
  event: FeedEvent;
  /** Undefined where the account is gone. */
  actor: RepositoryOwner | undefined;
  place: ShownRepository;
  organization: RepositoryOwner | undefined;
  /** For forks. */
  forkee: ShownRepository | undefined;
  /** For new members and assignees; undefined where the account is gone. */
  member: RepositoryOwner | undefined;
  /** For what happened to issues and pull requests. */
  issue: ShownIssue | undefined;
  /** For what happened to pull requests. */
  pull: FeedPull | undefined;
  /** For reviews. */
  review: ShownReview | undefined;
  /** For comments on lines. */
  lineComment: ShownReviewComment | undefined;
  /** For comments. */
  comment: ShownComment | undefined;
}

export function toFeedItem(shown: ShownEvent, base: string): Static<typeof FeedItem> {
  const { event, actor, place, organization } = shown;
  const { repository, owner } = place;
  const name = `${owner.login}/${repository.name}`;
  const url = `${base}/repos/${name}`;
  return {
    id: String(event.number),
    type: event.entry.type,
    actor: toActor(actor ?? GHOST, base, 'users'),
    repo: { id: repository.number, name, url },
    ...(organization && { org: toActor(organization, base, 'orgs') }),
    payload: toPayload(shown, event.entry, url, base),
    public: event.isPublic && !repository.isPrivate,
    created_at: isoSeconds(event.at),
  };
}

function toActor({ number, login }: RepositoryOwner, base: string, kind: 'users' | 'orgs') {
  return {
    id: number,
    login,
    ...(kind === 'users' && { display_login: login }),
    gravatar_id: '',
    url: `${base}/${kind}/${login}`,
    avatar_url: `${base}/avatars/${number}`,
  };
}

function toPayload(
  shown: ShownEvent,
  { type, ...entry }: FeedEntry,
  url: string,
  base: string,
): Static<typeof EventPayload> {
  const { event, forkee, member } = shown;
  switch (type) {
    case 'PushEvent':
      return toPushPayload(event, entry as Omit<PushEntry, 'type'>, url);
    case 'CreateEvent': {
      // Rows have the name of the older version.
      const { master_branch: branch, ...created } = entry as Omit<CreateEntry, 'type'>;
      return { ...created, full_ref: fullRefOf(created), default_branch: branch };
    }
    case 'DeleteEvent':
      return { ...entry, full_ref: fullRefOf(entry as Pick<CreateEntry, 'ref' | 'ref_type'>) };
    case 'ForkEvent':
      return { action: 'forked', forkee: toNestedRepository(forkee!, base) };
    case 'MemberEvent':
      return { action: 'added', member: toSimpleUser(member ?? GHOST, base) };
    case 'IssuesEvent':
      return toIssuesPayload(shown, entry as Omit<IssueEntry, 'type'>, url, base);
    case 'PullRequestEvent': {
      const { issue, pull, place } = shown;
      const subject = { issue: issue!, pull: pull!, member, place };
      return toPullPayload(subject, entry as Omit<PullEntry, 'type'>, base);
    }
    case 'PullRequestReviewCommentEvent':
      return toReviewCommentPayload(
        { comment: shown.lineComment!, pull: shown.pull!, place: shown.place },
        base,
      );
    case 'PullRequestReviewEvent':
      return toReviewPayload({ review: shown.review!, pull: shown.pull!, place: shown.place }, base);
    case 'IssueCommentEvent':
      return toCommentPayload(shown, base);
    default:
      return entry;
  }
}

function fullRefOf({ ref, ref_type: kind }: Pick<CreateEntry, 'ref' | 'ref_type'>): string {
  return ref === null ? '' : `refs/${kind === 'tag' ? 'tags' : 'heads'}/${ref}`;
}

function toPushPayload(
  { number, repositoryNumber }: FeedEvent,
  { commits, ...entry }: Omit<PushEntry, 'type'>,
  url: string,
): Static<typeof PushPayload> {
  return {
    repository_id: repositoryNumber,
    push_id: number,
    ...entry,
    commits: commits.map((commit) => ({ ...commit, url: `${url}/commits/${commit.sha}` })),
  };
}

/** The label is as it was then, and the issue as it is now. */
function toIssuesPayload(
  { issue: shown, member, place: { repository, owner } }: ShownEvent,
  { action, label, assignee }: Omit<IssueEntry, 'type'>,
  url: string,
  base: string,
): Static<typeof IssuesPayload> {
  const fullName = `${owner.login}/${repository.name}`;
  const issue = toIssue(shown!, { fullName, base }, { body: shown!.issue.body });
  return {
    action,
    issue,
    ...(label && { label: toLabel(label, url), labels: issue.labels }),
    ...(assignee !== undefined && {
      assignee: toSimpleUser(member ?? GHOST, base),
      assignees: issue.assignees,
    }),
  };
}

function toCommentPayload(
  { issue, comment, place: { repository, owner } }: ShownEvent,
  base: string,
): Static<typeof IssueCommentPayload> {
  const place = { fullName: `${owner.login}/${repository.name}`, base };
  return {
    action: 'created',
    issue: toIssue(issue!, place, { body: issue!.issue.body }),
    comment: toIssueComment(comment!, place, { body: comment!.comment.body }),
  };
}
