// Prepares reviews for replies and payloads: with all that they nest, in a number of statements that does not depend on how many there are.
import type { Kernel } from '../../kernel/kernel.ts';
import type { Static } from '../../kernel/schema/schema.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { renderBodies } from '../contents/render-bodies.ts';
import { showAuthors } from '../issues/people/show-authors.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { toReview, type ReviewReply, type ShownReview } from './model.ts';
import type { Review } from './review.ts';

/** Of one repository, in their order. */
export async function showReviews(
  db: Db,
  { repository }: FoundRepository,
  reviews: readonly Review[],
): Promise<ShownReview[]> {
  const authors = await showAuthors(
    db,
    repository,
    reviews.map(({ author }) => author),
  );
  return reviews.map((review, index) => ({ review, ...authors[index]! }));
}

interface ShownFor {
  headers: Record<string, string | string[] | undefined>;
  base: string;
}

/** Of one pull request, with their texts in the form that the call asks for. */
export async function toReviewReplies(
  kernel: Kernel,
  { headers, base }: ShownFor,
  opened: FoundRepository & { issue: { number: number } },
  reviews: readonly Review[],
): Promise<Static<typeof ReviewReply>[]> {
  const fullName = `${opened.owner.login}/${opened.repository.name}`;
  const [shown, bodies] = await Promise.all([
    showReviews(kernel.db, opened, reviews),
    renderBodies(
      kernel,
      reviews.map(({ body }) => body),
      headers['accept'],
      { base, fullName },
    ),
  ]);
  const place = { fullName, number: opened.issue.number, base };
  return shown.map((one, index) => toReview(one, place, bodies[index]!));
}
