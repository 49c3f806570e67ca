// Prepares comments, on issues or on lines, for replies and payloads: with all that they nest, in a number of statements that does not depend on how many there are.
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { renderBodies, type ShownBody } from '../contents/render-bodies.ts';
import type { Author } from '../issues/issue.ts';
import type { IssuePlace } from '../issues/model.ts';
import { showAuthors, type ShownAuthor } from '../issues/people/show-authors.ts';
import type { FoundRepository } from '../repositories/access.ts';

type Shown<Comment> = ShownAuthor & { comment: Comment };

/** Of one repository, in their order. */
export async function showComments<Comment extends { author: Author }>(
  db: Db,
  { repository }: FoundRepository,
  comments: readonly Comment[],
): Promise<Shown<Comment>[]> {
  const authors = await showAuthors(
    db,
    repository,
    comments.map(({ author }) => author),
  );
  return comments.map((comment, index) => ({ comment, ...authors[index]! }));
}

interface ShownFor {
  headers: Record<string, string | string[] | undefined>;
  base: string;
}

/** With their texts in the form that the call asks for. */
export async function toCommentReplies<Comment extends { author: Author; body: string }, Reply>(
  kernel: Kernel,
  { headers, base }: ShownFor,
  found: FoundRepository,
  comments: readonly Comment[],
  toReply: (shown: Shown<Comment>, place: IssuePlace, body: ShownBody) => Reply,
): Promise<Reply[]> {
  const fullName = `${found.owner.login}/${found.repository.name}`;
  const [shown, bodies] = await Promise.all([
    showComments(kernel.db, found, comments),
    renderBodies(
      kernel,
      comments.map(({ body }) => body),
      headers['accept'],
      { base, fullName },
    ),
  ]);
  return shown.map((one, index) => toReply(one, { fullName, base }, bodies[index]!));
}
