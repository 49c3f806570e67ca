// Comments on gists as replies show them, and who may change them.
import { Nullable, OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { BODY_FIELDS, type ShownBody } from '../contents/render-bodies.ts';
import { nodeId } from '../node-id.ts';
import { SimpleUser, toSimpleUser, type RepositoryOwner } from '../owners/model.ts';
import { isoSeconds } from '../times.ts';

export interface GistComment {
  number: number;
  gistNumber: number;
  authorId: string;
  body: string;
  createdAt: number;
  updatedAt: number;
}

const MAX_BODY_LENGTH = 65_535;

export const GistCommentReply = Type.Object(
  {
    id: Type.Integer(),
    node_id: Type.String(),
    url: Type.String(),
    ...BODY_FIELDS,
    user: Nullable(SimpleUser),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    author_association: OneOf(['OWNER', 'NONE'], { description: 'Whether the author owns the gist' }),
  },
  { $id: 'gist-comment' },
);

export const GistCommentWriting = Type.Object(
  { body: PlainText({ minLength: 1, maxLength: MAX_BODY_LENGTH, description: 'Markdown' }) },
  { $id: 'gist-comment-writing' },
);

/** Without a user where the account is gone. */
export function toGistComment(
  comment: GistComment,
  gist: { id: string; ownerId: string },
  { author, body, base }: { author: RepositoryOwner | undefined; body: ShownBody; base: string },
): Static<typeof GistCommentReply> {
  const { number, authorId, createdAt, updatedAt } = comment;
  return {
    id: number,
    node_id: nodeId('GistComment', number),
    url: `${base}/gists/${gist.id}/comments/${number}`,
    ...body,
    user: author === undefined ? null : toSimpleUser(author, base),
    created_at: isoSeconds(createdAt),
    updated_at: isoSeconds(updatedAt),
    author_association: authorId === gist.ownerId ? 'OWNER' : 'NONE',
  };
}
