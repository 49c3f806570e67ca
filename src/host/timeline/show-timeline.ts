// Prepares pages of timelines for replies, in a number of statements that does not depend on how many items there are.
import type { Kernel } from '../../kernel/kernel.ts';
import type { Static } from '../../kernel/schema/schema.ts';
import { renderBodies, type ShownBody } from '../contents/render-bodies.ts';
import type { IssueComment } from '../issue-comments/model.ts';
import { listCommentsById } from '../issue-comments/store.ts';
import { associationOf } from '../issues/people/associations.ts';
import type { Author } from '../issues/issue.ts';
import type { OpenedIssue } from '../issues/access.ts';
import type { IssueReply } from '../issues/model.ts';
import { listAssociations } from '../issues/people/store-associations.ts';
import { listIssuesById } from '../issues/store.ts';
import { toReviewComment } from '../review-comments/model.ts';
import type { ReviewComment } from '../review-comments/review-comment.ts';
import type { Review } from '../reviews/review.ts';
import { listSubmittedReviews } from '../reviews/store.ts';
import { listThreadComments } from '../review-comments/store-threads.ts';
import { replyLinkedIssues, type ShowingCall } from '../sub-issues/show-linked.ts';
import {
  SUBJECTS,
  type CommitCommentsInTimeline,
  type CommitInTimeline,
  type IssueEvent,
  type TimelineSubjectKind,
} from './event-details.ts';
import { toCommitComments, toTimelineCommit } from './commit-items.ts';
import { toEventForIssue, type Written } from './model.ts';
import { toLineComments, toTimelineReview } from './review-items.ts';
import { readEventSources } from './show-events.ts';
import { toCrossReference, toTimelineComment, type TimelineReply } from './timeline-model.ts';

/** What the items of a page stand for, by id. */
interface Subjects {
  comments: ReadonlyMap<number, IssueComment>;
  reviews: ReadonlyMap<number, Review>;
  threads: ReadonlyMap<number, readonly ReviewComment[]>;
  issues: ReadonlyMap<number, Static<typeof IssueReply>>;
}

/** Of all threads of a page together. Further comments are in the list of the pull request. */
const MAX_LINE_COMMENTS = 300;

/** Without items whose comment or review was deleted meanwhile. */
export async function showTimeline(
  kernel: Kernel,
  call: ShowingCall,
  opened: OpenedIssue,
  events: readonly IssueEvent[],
): Promise<TimelineReply[]> {
  const { issue, repository, owner } = opened;
  const { base } = call;
  const subjects = await readSubjects(kernel, call, events);
  const [sources, written] = await Promise.all([
    readEventSources(kernel, call, opened, events, authorIdsOf(events, subjects)),
    readWritten(kernel, call, opened, events, subjects),
  ]);
  const place = { fullName: `${owner.login}/${repository.name}`, number: issue.number, base };
  const writtenBy = (author: Author, body: string): Written => ({
    ...written.by(author),
    user: sources.userOf(author),
    body: written.bodies.get(body)!,
  });
  return events.flatMap((event): TimelineReply[] => {
    const { subjectId, commitId, details } = event;
    switch (event.event) {
      case 'commented': {
        const comment = subjects.comments.get(subjectId!);
        if (comment === undefined) return [];
        return [toTimelineComment(comment, writtenBy(comment.author, comment.body), place)];
      }
      case 'reviewed': {
        const review = subjects.reviews.get(subjectId!);
        return review === undefined
          ? []
          : [toTimelineReview(review, writtenBy(review.author, review.body), place)];
      }
      case 'line-commented': {
        const comments = subjects.threads.get(subjectId!);
        if (comments === undefined) return [];
        const shown = comments.map((comment) => {
          const { user: author, association, body } = writtenBy(comment.author, comment.body);
          return toReviewComment({ comment, author, association }, place, body);
        });
        return [toLineComments(subjectId!, shown)];
      }
      case 'cross-referenced': {
        const source = subjects.issues.get(subjectId!);
        if (source === undefined) return [];
        const actor = sources.userOf(event.actor);
        return [toCrossReference({ actor, at: event.createdAt, issue: source }, base)];
      }
      case 'committed':
        return [
          toTimelineCommit(commitId!, repository.number, details as unknown as CommitInTimeline, place),
        ];
      case 'commit-commented': {
        const writerOf = (id: string | null) => {
          const author = { id, name: null };
          return { ...written.by(author), user: sources.userOf(author) };
        };
        const comments = details as unknown as CommitCommentsInTimeline;
        return [toCommitComments(commitId!, event.id, comments, { ...place, writerOf })];
      }
      default: {
        const shown = toEventForIssue(event, sources);
        return shown === undefined ? [] : [shown];
      }
    }
  });
}

async function readSubjects(
  kernel: Kernel,
  call: ShowingCall,
  events: readonly IssueEvent[],
): Promise<Subjects> {
  const { db } = kernel;
  const idsOf = (kind: TimelineSubjectKind) =>
    events.flatMap(({ event, subjectId }) =>
      SUBJECTS[event] === kind && subjectId !== null ? subjectId : [],
    );
  const threadIds = idsOf('thread');
  const [comments, reviews, threads, sources] = await Promise.all([
    listCommentsById(db, idsOf('comment')),
    listSubmittedReviews(db, idsOf('review')),
    listThreadComments(db, threadIds, { perThread: Math.floor(MAX_LINE_COMMENTS / threadIds.length) }),
    listIssuesById(db, idsOf('issue')),
  ]);
  const shown = await replyLinkedIssues(kernel, call, [...sources.values()]);
  return { comments: byId(comments), reviews: byId(reviews), threads, issues: byId(shown) };
}

function byId<Item extends { id: number }>(items: readonly Item[]): Map<number, Item> {
  return new Map(items.map((one) => [one.id, one]));
}

function authorIdsOf(events: readonly IssueEvent[], { comments, reviews, threads }: Subjects): string[] {
  const authors = [
    ...[...comments.values()].map(({ author }) => author.id),
    ...[...reviews.values()].map(({ author }) => author.id),
    ...[...threads.values()].flat().map(({ author }) => author.id),
    ...events.flatMap(({ event, details }) =>
      event === 'commit-commented'
        ? (details as unknown as CommitCommentsInTimeline).comments.map(({ user }) => user)
        : [],
    ),
  ];
  return authors.filter((id) => id !== null);
}

/** What authors are to the repository, and every text of the page in the form that the call asks for. */
async function readWritten(
  kernel: Kernel,
  { headers, base }: ShowingCall,
  { repository, owner }: OpenedIssue,
  events: readonly IssueEvent[],
  subjects: Subjects,
): Promise<{ by(author: Author): Pick<Written, 'association'>; bodies: Map<string, ShownBody> }> {
  const { comments, reviews, threads } = subjects;
  const texts = [
    ...new Set(
      [...comments.values(), ...reviews.values(), ...[...threads.values()].flat()].map(({ body }) => body),
    ),
  ];
  const [associations, rendered] = await Promise.all([
    listAssociations(kernel.db, repository, authorIdsOf(events, subjects)),
    renderBodies(kernel, texts, headers['accept'], {
      base,
      fullName: `${owner.login}/${repository.name}`,
    }),
  ]);
  return {
    by: (author) => ({ association: associationOf(associations, author) }),
    bodies: new Map(texts.map((text, index) => [text, rendered[index]!])),
  };
}
