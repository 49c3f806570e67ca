// A conversation on lines: its comments, a reply, and whether it is resolved.
import { useState } from 'react';
import { useDraft } from '../../app/drafts.ts';
import { Button } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { Badge } from '../../ui/status.tsx';
import type { Rights } from '../issues/rights.ts';
import { TextCard } from '../issues/text-card.tsx';
import { TextEditor } from '../issues/text-editor.tsx';
import { ISSUE } from '../issues/issue-words.ts';
import { loginOf } from '../issues/issue.ts';
import { Suggestions } from './suggestion.tsx';
import type { Pull, ReviewComment, Thread } from './pull.ts';
import { useGraphqlChange, useReply, type PullPlace } from './pull-queries.ts';
import { REVIEW } from './pull-words.ts';
import '../../styles/pulls.css';

export interface ThreadCardProps {
  place: PullPlace;
  pull: Pull;
  thread: Thread;
  rights: Rights;
}

export function ThreadCard(props: ThreadCardProps) {
  const { thread } = props;
  const { facts, comments } = thread;
  const isResolved = facts?.isResolved === true;
  const [isShown, setShown] = useState(false);
  const [first] = comments;
  if (first === undefined) return null;
  if (isResolved && !isShown)
    return (
      <div className="thread thread--done">
        <Badge tone="ok" icon="check">
          {REVIEW.resolvedBy(loginOf(facts?.resolvedBy))}
        </Badge>
        <span className="muted t12 cut grow">{first.body}</span>
        <Button size="xs" onClick={() => setShown(true)}>
          {REVIEW.show}
        </Button>
      </div>
    );
  return (
    <section className="thread" aria-label={REVIEW.threadOf(first.path)}>
      {comments.map((comment) => (
        <LineComment key={comment.id} {...props} comment={comment} isOutdated={facts?.isOutdated === true} />
      ))}
      <ThreadFoot {...props} first={first} onHide={isResolved ? () => setShown(false) : undefined} />
    </section>
  );
}

interface LineCommentProps extends ThreadCardProps {
  comment: ReviewComment;
  isOutdated: boolean;
}

function LineComment({ place, pull, rights, comment, isOutdated }: LineCommentProps) {
  const mayChange = rights.mayChangeTextOf(comment.user);
  const isFirst = comment.in_reply_to_id === undefined;
  return (
    <TextCard
      place={place}
      subject={`/pulls/comments/${comment.id}`}
      text={comment}
      anchor={`discussion_r${comment.id}`}
      mayEdit={mayChange}
      mayDelete={mayChange}
      reactReason={rights.whyNoComment}
      badge={isFirst && isOutdated && <Badge icon="clock">{REVIEW.isOutdated}</Badge>}
    >
      <Suggestions pull={pull} comment={comment} mayApply={rights.mayWrite || rights.isAuthor} />
    </TextCard>
  );
}

interface ThreadFootProps extends ThreadCardProps {
  first: ReviewComment;
  onHide: (() => void) | undefined;
}

function ThreadFoot({ place, thread: { facts }, first, rights, onHide }: ThreadFootProps) {
  const { value, change, forget } = useDraft(`reply ${place.owner}/${place.repo} ${first.id}`, { body: '' });
  const [isReplying, setReplying] = useState(value.body !== '');
  const reply = useReply(place, first.id);
  const resolve = useGraphqlChange('resolve');
  const unresolve = useGraphqlChange('unresolve');
  const text = value.body.trim();
  const end = () => {
    forget();
    setReplying(false);
  };
  const submit = () => text !== '' && reply.mutate(value.body, { onSuccess: end });
  const isResolved = facts?.isResolved === true;
  const mayResolve = isResolved ? facts.viewerCanUnresolve : facts?.viewerCanResolve === true;
  return (
    <div className="stack stack--8 thread__f">
      <ChangeError error={reply.error ?? resolve.error ?? unresolve.error} />
      {isReplying && (
        <TextEditor
          place={place}
          label={REVIEW.replyLabel}
          rows={3}
          value={value.body}
          onChange={(body) => change({ body })}
          onSubmit={submit}
          isFocused
        />
      )}
      <div className="row row--wrap">
        {isReplying ? (
          <>
            <Button
              size="sm"
              tone="primary"
              isBusy={reply.isPending}
              disabledReason={text === '' ? ISSUE.sayFirst : undefined}
              onClick={submit}
            >
              {REVIEW.reply}
            </Button>
            <Button size="sm" onClick={end}>
              {ISSUE.cancel}
            </Button>
          </>
        ) : (
          rights.whyNoComment === undefined && (
            <Button size="sm" onClick={() => setReplying(true)}>
              {REVIEW.reply}
            </Button>
          )
        )}
        {facts !== undefined && mayResolve && (
          <Button
            size="sm"
            icon={isResolved ? 'redo' : 'check'}
            isBusy={resolve.isPending || unresolve.isPending}
            onClick={() => (isResolved ? unresolve : resolve).mutate(facts.id)}
          >
            {isResolved ? REVIEW.unresolve : REVIEW.resolve}
          </Button>
        )}
        {onHide !== undefined && (
          <Button size="sm" tone="ghost" onClick={onHide}>
            {REVIEW.hide}
          </Button>
        )}
      </div>
    </div>
  );
}
