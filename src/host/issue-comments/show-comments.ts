// Prepares comments for replies and payloads: with all that they nest, in a number of statements that does not depend on how many there are.
import type { Kernel } from '../../kernel/kernel.ts';
import type { Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { renderBodies } from '../contents/render-bodies.ts';
import { associationOf } from '../issues/people/associations.ts';
import { shownAuthor } from '../issues/show-issues.ts';
import { listAssociations } from '../issues/people/store-associations.ts';
import { listOwners } from '../owners/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { toIssueComment, type IssueComment, type IssueCommentReply, type ShownComment } from './model.ts';

/** Of one repository, in their order. */
export async function showComments(
  db: Db,
  { repository }: FoundRepository,
  comments: readonly IssueComment[],
): Promise<ShownComment[]> {
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
export async function toCommentReplies(
  kernel: Kernel,
  { headers, base }: ShownFor,
  found: FoundRepository,
  comments: readonly IssueComment[],
): Promise<Static<typeof IssueCommentReply>[]> {
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
  return shown.map((one, index) => toIssueComment(one, { fullName, base }, bodies[index]!));
}
