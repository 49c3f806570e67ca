// The timeline of an issue or a pull request: comments as cards, reviews with what they said, everything else as a line.
import { useEffect, type ReactNode } from 'react';
import { Link } from 'wouter';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { commitHref, type RepositoryPlace } from '../place.ts';
import { firstLine, shortSha } from '../repository.ts';
import { sentenceOf } from './event-words.tsx';
import { loginOf } from './issue.ts';
import { issueHref } from './issue-table.tsx';
import { useTimeline } from './issue-queries.ts';
import { ISSUE } from './issue-words.ts';
import type { Rights } from './rights.ts';
import { StateOf } from './issue-state.tsx';
import { TextCard } from './text-card.tsx';
import {
  isShown,
  keyOfItem,
  type CommentItem,
  type CommitItem,
  type PlainEvent,
  type ReferenceItem,
  type ReviewItem,
  type ThreadItem,
  type TimelineItem,
} from './timeline-item.ts';

export interface TimelineViewProps {
  place: RepositoryPlace;
  number: number;
  rights: Rights;
  /** Reviews and comments on lines, which pull requests have. */
  renderReview?: ((review: ReviewItem) => ReactNode) | undefined;
  renderThread?: ((thread: ThreadItem) => ReactNode) | undefined;
}

export function TimelineView(props: TimelineViewProps) {
  const { rows, error, retry, hasMore, isReadingMore, readMore } = useTimeline(props.place, props.number);
  const isRead = rows !== undefined;
  useEffect(() => {
    if (isRead) goToAnchor();
  }, [isRead]);
  if (error !== null) return <ReadProblem error={error} onRetry={retry} />;
  if (rows === undefined) return <Skeleton lines={5} />;
  return (
    <>
      <ol className="talk-line" aria-label={ISSUE.timeline}>
        {rows.filter(isShown).map((item, index) => (
          <li key={keyOfItem(item, index)}>
            <Item item={item} {...props} />
          </li>
        ))}
      </ol>
      {hasMore && (
        <Button isBusy={isReadingMore} onClick={readMore}>
          {ISSUE.readMore}
        </Button>
      )}
    </>
  );
}

/** A link to a comment or a review leads to it once the timeline is there. */
function goToAnchor(): void {
  const id = /^#((?:issuecomment-|discussion_r|pullrequestreview-)\d+)$/.exec(location.hash)?.[1];
  if (id !== undefined) document.getElementById(id)?.scrollIntoView();
}

function Item({
  item,
  place,
  rights,
  renderReview,
  renderThread,
}: TimelineViewProps & { item: TimelineItem }) {
  switch (item.event) {
    case 'commented':
      return <Comment comment={item as CommentItem} place={place} rights={rights} />;
    case 'cross-referenced':
      return <Reference reference={item as ReferenceItem} />;
    case 'committed':
      return <CommitLine commit={item as CommitItem} place={place} />;
    case 'reviewed':
      return renderReview?.(item as ReviewItem) ?? null;
    case 'line-commented':
      return renderThread?.(item as ThreadItem) ?? null;
    default: {
      const event = item as PlainEvent;
      const { icon, words } = sentenceOf(event, place);
      return (
        <EventLine icon={icon} by={loginOf(event.actor)} at={event.created_at}>
          {words}
        </EventLine>
      );
    }
  }
}

interface CommentProps {
  comment: CommentItem;
  place: RepositoryPlace;
  rights: Rights;
}

function Comment({ comment, place, rights }: CommentProps) {
  const mayChange = rights.mayChangeTextOf(comment.user);
  return (
    <TextCard
      place={place}
      subject={`/issues/comments/${comment.id}`}
      text={comment}
      anchor={`issuecomment-${comment.id}`}
      mayEdit={mayChange}
      mayDelete={mayChange}
      reactReason={rights.whyNoComment}
    />
  );
}

export interface EventLineProps {
  icon: IconName;
  by: string;
  at: string | undefined;
  children: ReactNode;
}

export function EventLine({ icon, by, at, children }: EventLineProps) {
  return (
    <div className="event">
      <span className="event__i">
        <Icon name={icon} />
      </span>
      <p>
        <b>{by}</b> {children}{' '}
        {at !== undefined && (
          <span className="muted t12">
            <Time at={at} />
          </span>
        )}
      </p>
    </div>
  );
}

function Reference({ reference: { actor, created_at: at, source } }: { reference: ReferenceItem }) {
  const { issue } = source;
  const place = { owner: loginOf(issue.repository?.owner), repo: issue.repository?.name ?? '' };
  return (
    <EventLine icon="link" by={loginOf(actor)} at={at}>
      named it in{' '}
      {issue.repository === undefined ? (
        `${issue.title} #${issue.number}`
      ) : (
        <Link className="ln" href={issueHref(place, issue)}>
          {issue.title} #{issue.number}
        </Link>
      )}{' '}
      <StateOf issue={issue} />
    </EventLine>
  );
}

function CommitLine({ commit, place }: { commit: CommitItem; place: RepositoryPlace }) {
  return (
    <EventLine icon="commit" by={commit.author.name} at={commit.author.date}>
      committed{' '}
      <Link className="ln" href={commitHref(place, commit.sha)}>
        {firstLine(commit.message)}
      </Link>{' '}
      <code className="t12">{shortSha(commit.sha)}</code>
    </EventLine>
  );
}
