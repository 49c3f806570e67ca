// The conversation of a pull request: its text, what happened, whether it can be merged, a comment; beside it reviewers and labels.
import { useMemo } from 'react';
import { Button } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { CommentForm } from '../issues/comment-form.tsx';
import { IssueSide } from '../issues/issue-side.tsx';
import { LockButton } from '../issues/lock-button.tsx';
import { TextCard } from '../issues/text-card.tsx';
import { TimelineView } from '../issues/timeline.tsx';
import type { PullTabProps } from './files-tab.tsx';
import { MergeBox } from './merge-box.tsx';
import { useEditPull, useGraphqlChange, useThreads } from './pull-queries.ts';
import { PULL } from './pull-words.ts';
import { ReviewLine, ThreadInTimeline } from './review-item.tsx';
import { ReviewersPart } from './reviewers-part.tsx';

export function ConversationTab({ place, pull, rights }: PullTabProps) {
  const { threads } = useThreads(place);
  const facts = useMemo(
    () => new Map(threads.flatMap((thread) => (thread.facts ? [[thread.facts.id, thread.facts]] : []))),
    [threads],
  );
  const mayEdit = rights.mayChangeTextOf(pull.user);
  return (
    <div className="cols cols--talk">
      <div className="stack stack--16">
        <TextCard
          place={place}
          subject={`/issues/${pull.number}`}
          text={pull}
          mayEdit={mayEdit}
          mayDelete={false}
          hasReactions={false}
        />
        <TimelineView
          place={place}
          number={pull.number}
          rights={rights}
          renderReview={(review) => <ReviewLine place={place} review={review} mayDismiss={rights.mayWrite} />}
          renderThread={(item) => (
            <ThreadInTimeline
              place={place}
              pull={pull}
              rights={rights}
              item={item}
              facts={facts.get(item.node_id)}
            />
          )}
        />
        <MergeBox place={place} pull={pull} rights={rights} />
        <CommentForm
          place={place}
          number={pull.number}
          rights={rights}
          renderActions={
            !pull.merged && (rights.isAuthor || rights.mayWrite)
              ? (send, hasText) => (
                  <StateButton place={place} pull={pull} rights={rights} send={send} hasText={hasText} />
                )
              : undefined
          }
        />
      </div>
      <div className="stack stack--16">
        <IssueSide place={place} issue={pull} rights={rights} list="pulls">
          <ReviewersPart place={place} pull={pull} rights={rights} />
        </IssueSide>
        <p className="row row--wrap">
          <DraftButton place={place} pull={pull} rights={rights} />
          {rights.mayWrite && <LockButton place={place} number={pull.number} isLocked={pull.locked} />}
        </p>
      </div>
    </div>
  );
}

type StateButtonProps = PullTabProps & { send: (then: () => void) => void; hasText: boolean };

function StateButton({ place, pull, send, hasText }: StateButtonProps) {
  const edit = useEditPull(place);
  const isOpen = pull.state === 'open';
  return (
    <>
      <ChangeError error={edit.error} />
      <Button
        icon={isOpen ? 'x' : 'redo'}
        isBusy={edit.isPending}
        onClick={() => send(() => edit.mutate({ state: isOpen ? 'closed' : 'open' }))}
      >
        {isOpen ? (hasText ? PULL.commentAndClose : PULL.close) : PULL.reopen}
      </Button>
    </>
  );
}

function DraftButton({ pull, rights }: PullTabProps) {
  const change = useGraphqlChange(pull.draft ? 'ready' : 'draft');
  if (pull.state !== 'open' || !(rights.isAuthor || rights.mayWrite)) return null;
  return (
    <>
      <ChangeError error={change.error} />
      <Button
        size="sm"
        icon={pull.draft ? 'eye' : 'pen'}
        isBusy={change.isPending}
        onClick={() => change.mutate(pull.node_id)}
      >
        {pull.draft ? PULL.toReady : PULL.toDraft}
      </Button>
    </>
  );
}
