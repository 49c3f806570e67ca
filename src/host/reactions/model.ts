// Reactions, what people react to, and how replies show them.
import { Nullable, OneOf, Type, type Static } from '../../kernel/schema/schema.ts';
import { REACTIONS, type ReactionContent, type ReactionCounts } from '../issues/issue.ts';
import { nodeId } from '../node-id.ts';
import { SimpleUser, toSimpleUser, type RepositoryOwner } from '../owners/model.ts';
import { isoSeconds } from '../times.ts';

/** Each kind has a column with the counts of its reactions. Reactions to all kinds are in one table, by a text that names the subject. */
export type SubjectKind = 'issue' | 'comment' | 'review-comment';

export interface ReactionSubject {
  kind: SubjectKind;
  id: number;
}

export function subjectOf(kind: SubjectKind, id: number): ReactionSubject {
  return { kind, id };
}

/** As rows of reactions name it. */
export function subjectKeyOf({ kind, id }: ReactionSubject): string {
  return `${kind}/${id}`;
}

export interface Reaction {
  id: number;
  accountId: string;
  content: ReactionContent;
  createdAt: number;
}

export const ReactionReply = Type.Object(
  {
    id: Type.Integer(),
    node_id: Type.String(),
    user: Nullable(SimpleUser),
    content: OneOf(REACTIONS),
    created_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'reaction' },
);

export const ReactionWriting = Type.Object({ content: OneOf(REACTIONS) }, { $id: 'reaction-writing' });

/** Without a user where the account is gone. */
export function toReaction(
  { id, content, createdAt }: Reaction,
  user: RepositoryOwner | undefined,
  base: string,
): Static<typeof ReactionReply> {
  return {
    id,
    node_id: nodeId('Reaction', id),
    user: user === undefined ? null : toSimpleUser(user, base),
    content,
    created_at: isoSeconds(createdAt),
  };
}

/** Without a content that nobody has reacted with. */
export function countsAfter(
  counts: ReactionCounts,
  content: ReactionContent,
  difference: 1 | -1,
): ReactionCounts {
  const { [content]: before = 0, ...others } = counts;
  const after = before + difference;
  return after > 0 ? { ...others, [content]: after } : others;
}

/** Of one content, or of all. */
export function totalOf(counts: ReactionCounts, content: ReactionContent | undefined): number {
  if (content !== undefined) return counts[content] ?? 0;
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
