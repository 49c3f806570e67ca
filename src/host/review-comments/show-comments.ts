// Prepares comments on lines for replies and payloads: with all that they nest, in a number of statements that does not depend on how many there are.
import type { Kernel } from '../../kernel/kernel.ts';
import type { Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { renderBodies } from '../contents/render-bodies.ts';
import { associationOf } from '../issues/people/associations.ts';
import { shownAuthor } from '../issues/show-issues.ts';
import { listAssociations } from '../issues/people/store-associations.ts';
import { listOwners } from '../owners/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { toReviewComment, type ReviewCommentReply, type ShownReviewComment } from './model.ts';
import type { ReviewComment } from './review-comment.ts';

/** Of one repository, in their order. */
export async function showReviewComments(
  db: Db,
  { repository }: FoundRepository,
  comments: readonly ReviewComment[],
): Promise<ShownReviewComment[]> {
  const authorIds = comments.flatMap(({ author }) => author.id ?? []);
  const [owners, associations] = await Promise.all([
    listOwners(db, authorIds),
    listAssociations(db, repository, authorIds),
  ]);
  return comments.map((comment) => ({
    comment,
    author: shownAuthor(owners, comment.author),
    association: associationOf(associations, comment.author),
  }));
}

interface ShownFor {
  headers: Record<string, string | string[] | undefined>;
  base: string;
}

/** With their texts in the form that the call asks for. */
export async function toReviewCommentReplies(
  kernel: Kernel,
  { headers, base }: ShownFor,
  found: FoundRepository,
  comments: readonly ReviewComment[],
): Promise<Static<typeof ReviewCommentReply>[]> {
  const fullName = `${found.owner.login}/${found.repository.name}`;
  const [shown, bodies] = await Promise.all([
    showReviewComments(kernel.db, found, comments),
    renderBodies(
      kernel,
      comments.map(({ body }) => body),
      headers['accept'],
      { base, fullName },
    ),
  ]);
  return shown.map((one, index) => toReviewComment(one, { fullName, base }, bodies[index]!));
}
