// The commits of timelines, and the comments on them, as replies show them.
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import { CommitPerson, CommitVerification, toCommitPerson, verificationOf } from '../commits/model.ts';
import { ASSOCIATIONS } from '../issues/people/associations.ts';
import { nodeId } from '../node-id.ts';
import { SimpleUser } from '../owners/model.ts';
import { isoSeconds } from '../times.ts';
import type { CommitCommentsInTimeline, CommitInTimeline } from './event-details.ts';
import { addressesOf, shownUser, type TimelinePlace, type Written } from './model.ts';

const Time = Type.String({ format: 'date-time' });

export const TimelineCommit = Type.Object(
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

export const TimelineCommitComments = Type.Object(
  {
    event: Type.Literal('commit-commented'),
    node_id: Type.String(),
    commit_id: Type.String(),
    comments: Type.Array(CommitComment),
  },
  { $id: 'timeline-commit-commented-event' },
);

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
