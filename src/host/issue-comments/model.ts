// Comments on issues and pull requests, as rules know them and as replies show them.
import { Nullable, OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { BODY_FIELDS, type ShownBody } from '../contents/render-bodies.ts';
import { ASSOCIATIONS } from '../issues/people/associations.ts';
import type { ShownAuthor } from '../issues/people/show-authors.ts';
import { MAX_BODY_LENGTH, type Author, type ReactionCounts } from '../issues/issue.ts';
import { ReactionRollup, toReactionRollup, type IssuePlace } from '../issues/model.ts';
import { checkedBody, invalidField } from '../issues/requests.ts';
import { nodeId } from '../node-id.ts';
import { SimpleUser, toSimpleUser } from '../owners/model.ts';
import { isoSeconds } from '../times.ts';
import { siteOf } from '../site.ts';

export interface IssueComment {
  /** Of all comments of the server. */
  id: number;
  issueId: number;
  /** Of the issue in its repository. */
  issueNumber: number;
  isOnPull: boolean;
  repositoryNumber: number;
  author: Author;
  body: string;
  reactions: ReactionCounts;
  createdAt: number;
  updatedAt: number;
}

const Time = Type.String({ format: 'date-time' });

export const IssueCommentReply = Type.Object(
  {
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
  { $id: 'issue-comment' },
);

/** Its length is checked by `requireCommentBody`, whose error has the words that clients know. */
export const IssueCommentWriting = Type.Object(
  { body: PlainText({ description: `Markdown, at most ${MAX_BODY_LENGTH} characters` }) },
  { $id: 'issue-comment-writing' },
);

/** A comment with all that its reply nests. It is JSON: events keep it for payloads. */
export interface ShownComment extends ShownAuthor {
  comment: IssueComment;
}

export function toIssueComment(
  { comment, author, association }: ShownComment,
  { fullName, base }: IssuePlace,
  body: ShownBody,
): Static<typeof IssueCommentReply> {
  const { id, issueNumber, isOnPull, createdAt, updatedAt } = comment;
  const issues = `${base}/repos/${fullName}/issues`;
  const url = `${issues}/comments/${id}`;
  const page = `${siteOf(base)}/${fullName}/${isOnPull ? 'pull' : 'issues'}/${issueNumber}`;
  return {
    id,
    node_id: nodeId('IssueComment', id),
    url,
    html_url: `${page}#issuecomment-${id}`,
    issue_url: `${issues}/${issueNumber}`,
    ...body,
    user: author === null ? null : toSimpleUser(author, base),
    created_at: isoSeconds(createdAt),
    updated_at: isoSeconds(updatedAt),
    author_association: association,
    performed_via_github_app: null,
    reactions: toReactionRollup(comment.reactions, `${url}/reactions`),
  };
}

/** White space alone says nothing. */
export function requireCommentBody({ body }: Static<typeof IssueCommentWriting>): string {
  if (body.trim() === '') throw invalidField('body', 'cannot be blank', 'custom');
  return checkedBody(body);
}
