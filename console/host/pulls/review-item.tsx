// Reviews and conversations on lines, as the timeline of a pull request has them.
import { useState } from 'react';
import { SafeHtml } from '../../lib/safe-html.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { IconName } from '../../ui/icon.tsx';
import { TextArea } from '../../ui/input.tsx';
import { DiffTable } from '../diff/diff-table.tsx';
import { parsePatch } from '../diff/patch.ts';
import { loginOf } from '../issues/issue.ts';
import { ISSUE } from '../issues/issue-words.ts';
import { EventLine } from '../issues/timeline.tsx';
import type { ReviewItem, ThreadItem } from '../issues/timeline-item.ts';
import type { PullTabProps } from './files-tab.tsx';
import type { ThreadFacts } from './pull.ts';
import { useDismissReview, type PullPlace } from './pull-queries.ts';
import { PULL } from './pull-words.ts';
import { ThreadCard } from './thread-card.tsx';
import '../../styles/diff.css';
import '../../styles/pulls.css';

const ICONS: Readonly<Record<string, IconName>> = {
  approved: 'ok',
  changes_requested: 'err',
  dismissed: 'x',
};

export interface ReviewLineProps {
  place: PullPlace;
  review: ReviewItem;
  mayDismiss: boolean;
}

export function ReviewLine({ place, review, mayDismiss }: ReviewLineProps) {
  const { state, user, submitted_at: at, body_html: html = '' } = review;
  const words = PULL.reviewed[state as keyof typeof PULL.reviewed] ?? state;
  const decides = state === 'approved' || state === 'changes_requested';
  return (
    <div className="stack stack--8" id={`pullrequestreview-${review.id}`}>
      <div className="row">
        <EventLine icon={ICONS[state] ?? 'eye'} by={loginOf(user)} at={at}>
          {words}
        </EventLine>
        {decides && mayDismiss && <DismissButton place={place} id={review.id} />}
      </div>
      {html !== '' && (
        <div className="said">
          <div className="said__b">
            <SafeHtml html={html} />
          </div>
        </div>
      )}
    </div>
  );
}

function DismissButton({ place, id }: { place: PullPlace; id: number }) {
  const [isAsking, setAsking] = useState(false);
  const [message, setMessage] = useState('');
  const dismiss = useDismissReview(place, id);
  return (
    <>
      <Button size="xs" tone="ghost" onClick={() => setAsking(true)}>
        {PULL.dismiss}
      </Button>
      {isAsking && (
        <FormDialog
          title={PULL.dismiss}
          text={PULL.dismissText}
          width={480}
          action={PULL.dismiss}
          disabledReason={message.trim() === '' ? ISSUE.sayFirst : undefined}
          isBusy={dismiss.isPending}
          error={dismiss.error}
          onSubmit={() => dismiss.mutate(message, { onSuccess: () => setAsking(false) })}
          onClose={() => setAsking(false)}
        >
          <Field label={PULL.dismissWhy}>
            <TextArea rows={3} value={message} onValue={setMessage} />
          </Field>
        </FormDialog>
      )}
    </>
  );
}

/** The lines above the one that is talked about. */
const SHOWN_LINES = 5;
const NO_TOKENS = new Map<never, never>();

export function ThreadInTimeline({
  item,
  facts,
  ...props
}: PullTabProps & { item: ThreadItem; facts: ThreadFacts | undefined }) {
  const [first] = item.comments;
  if (first === undefined) return null;
  const hunk = parsePatch(first.diff_hunk).at(-1);
  const shown = hunk && { ...hunk, lines: hunk.lines.slice(-SHOWN_LINES) };
  return (
    <section className="card thread-card">
      <p className="mono t12 card__h">{first.path}</p>
      {shown !== undefined && facts?.isResolved !== true && (
        // What scrolls must be reachable by the keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div className="dfile__b" role="region" aria-label={first.path} tabIndex={0}>
          <DiffTable path={first.path} hunks={[shown]} mode="unified" tokens={NO_TOKENS} notes={undefined} />
        </div>
      )}
      <div className="card__b">
        <ThreadCard {...props} thread={{ comments: item.comments, facts }} />
      </div>
    </section>
  );
}
