// Reads the issues, pull requests and comments that events of a feed are about: only what the caller may read at this moment.
import type { Caller } from '../../kernel/identity/caller.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { ShownComment } from '../issue-comments/model.ts';
import { listCommentsById } from '../issue-comments/store.ts';
import { mayUse } from '../issues/access.ts';
import { associationOf, type Association } from '../issues/people/associations.ts';
import type { Author, Issue } from '../issues/issue.ts';
import type { ShownIssue } from '../issues/model.ts';
import { shownAuthor } from '../issues/people/show-authors.ts';
import { showIssuesOf } from '../issues/show-issues.ts';
import { listAssociationsIn } from '../issues/people/store-associations.ts';
import { listIssuesById } from '../issues/store.ts';
import type { RepositoryOwner } from '../owners/model.ts';
import { listOwners } from '../owners/store.ts';
import type { ShownRepository } from '../repositories/model.ts';
import type { ShownReviewComment } from '../review-comments/model.ts';
import { listReviewCommentsById } from '../review-comments/store.ts';
import { listSubmittedReviews } from '../reviews/store.ts';
import type { ShownReview } from '../reviews/model.ts';
import type { FeedEntry, PullEntry, ReviewCommentEntry, ReviewEntry } from './feed-entry.ts';
import { readFeedPulls, type FeedPull } from './feed-pulls.ts';
import type { FeedEvent } from './store-feeds.ts';

/** What events of a feed are about, beside their repositories. */
interface FeedSubjects {
  issue: ShownIssue | undefined;
  pull: FeedPull | undefined;
  review: ShownReview | undefined;
  lineComment: ShownReviewComment | undefined;
  comment: ShownComment | undefined;
}

/**
 * Gives the issue, the pull request and the comment of an event, or undefined where they are gone or the caller may not read them. `places` are
 * the repositories of the events, by number.
 */
export async function readFeedSubjects(
  db: Db,
  caller: Caller,
  events: readonly FeedEvent[],
  places: ReadonlyMap<number, ShownRepository>,
): Promise<(event: FeedEvent) => FeedSubjects | undefined> {
  const ids = events.flatMap(({ entry }) => ('issue' in entry ? entry.issue : []));
  const commentIds = events.flatMap(({ entry }) => ('comment' in entry ? entry.comment : []));
  const lineCommentIds = events.flatMap(({ entry }) => ('lineComment' in entry ? entry.lineComment : []));
  const reviewIds = events.flatMap(({ entry }) => ('review' in entry ? entry.review : []));
  const readable = [...(await listIssuesById(db, ids)).values()].filter((issue) => {
    const place = places.get(issue.repositoryNumber);
    return place !== undefined && mayRead(caller, place, issue);
  });
  const numbers = new Set(readable.map(({ repositoryNumber }) => repositoryNumber));
  const found = [...places.values()].filter(({ repository }) => numbers.has(repository.number));
  const pullIds = new Set(events.flatMap(({ entry }) => (isAboutPull(entry) ? entry.issue : [])));
  const [shown, pulls, reviews, lineComments, comments] = await Promise.all([
    showIssuesOf(db, caller, found, readable),
    readFeedPulls(
      db,
      caller,
      readable.flatMap(({ id }) => (pullIds.has(id) ? id : [])),
    ),
    readReviews(db, reviewIds),
    readLineComments(db, lineCommentIds, found),
    readComments(db, commentIds, found),
  ]);
  const issues = new Map(shown.map((one) => [one.issue.id, one]));
  return ({ entry }) => {
    const issue = 'issue' in entry ? issues.get(entry.issue) : undefined;
    const pull = isAboutPull(entry) ? pulls.get(entry.issue) : undefined;
    const review = 'review' in entry ? reviews.get(entry.review) : undefined;
    const lineComment = 'lineComment' in entry ? lineComments.get(entry.lineComment) : undefined;
    const comment = 'comment' in entry ? comments.get(entry.comment) : undefined;
    const isMissing =
      ('issue' in entry && !issue) ||
      (isAboutPull(entry) && !pull) ||
      ('review' in entry && !review) ||
      ('lineComment' in entry && !lineComment) ||
      ('comment' in entry && !comment);
    return isMissing ? undefined : { issue, pull, review, lineComment, comment };
  };
}

function isAboutPull(entry: FeedEntry): entry is PullEntry | ReviewEntry | ReviewCommentEntry {
  return entry.type.startsWith('PullRequest');
}

/** By id. Feeds show nothing of what authors are to the repositories. */
async function readReviews(db: Db, ids: readonly number[]): Promise<Map<number, ShownReview>> {
  const reviews = await listSubmittedReviews(db, ids);
  const owners = await listOwners(
    db,
    reviews.flatMap(({ author }) => author.id ?? []),
  );
  return new Map(
    reviews.map((review) => [
      review.id,
      { review, author: shownAuthor(owners, review.author), association: 'NONE' },
    ]),
  );
}

/** By id, of these repositories. */
async function readComments(
  db: Db,
  ids: readonly number[],
  found: readonly ShownRepository[],
): Promise<Map<number, ShownComment>> {
  return await withAuthors(db, await listCommentsById(db, ids), found);
}

/** By id, of these repositories. Pending ones are in no feed. */
async function readLineComments(
  db: Db,
  ids: readonly number[],
  found: readonly ShownRepository[],
): Promise<Map<number, ShownReviewComment>> {
  return await withAuthors(db, await listReviewCommentsById(db, ids), found);
}

interface WrittenComment {
  id: number;
  repositoryNumber: number;
  author: Author;
}

async function withAuthors<Comment extends WrittenComment>(
  db: Db,
  comments: readonly Comment[],
  found: readonly ShownRepository[],
): Promise<Map<number, { comment: Comment; author: RepositoryOwner | null; association: Association }>> {
  const repositories = new Map(found.map(({ repository }) => [repository.number, repository]));
  const authors = comments.flatMap(({ author, repositoryNumber }) => {
    const repository = repositories.get(repositoryNumber);
    return author.id === null || repository === undefined ? [] : { repository, accountId: author.id };
  });
  const [owners, associationsIn] = await Promise.all([
    listOwners(
      db,
      authors.map(({ accountId }) => accountId),
    ),
    listAssociationsIn(db, authors),
  ]);
  return new Map(
    comments.map((comment) => [
      comment.id,
      {
        comment,
        author: shownAuthor(owners, comment.author),
        association: associationOf(associationsIn(comment.repositoryNumber), comment.author),
      },
    ]),
  );
}

/** As the routes of issues decide, for a caller who sees the repository. */
function mayRead(caller: Caller, place: ShownRepository, { isPull }: Issue): boolean {
  const { hasIssues, hasPullRequests } = place.repository.settings;
  return (isPull ? hasPullRequests : hasIssues) && mayUse(caller, place, isPull, 'read');
}
