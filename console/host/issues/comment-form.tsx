// A new comment, and what else can be done with it: close, reopen. What is typed stays in this browser until it is sent.
import type { ReactNode } from 'react';
import { useSayDraft } from '../../app/draft-call.ts';
import { useDraft } from '../../app/drafts.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import type { RepositoryPlace } from '../place.ts';
import { newCommentCall, useAddComment } from './issue-queries.ts';
import { ISSUE } from './issue-words.ts';
import type { Rights } from './rights.ts';
import { TextEditor } from './text-editor.tsx';

export interface CommentFormProps {
  place: RepositoryPlace;
  number: number;
  rights: Rights;
  /** Buttons that close or reopen: `send` sends what is typed first, where there is something. */
  renderActions?: ((send: (then: () => void) => void, hasText: boolean) => ReactNode) | undefined;
}

export function CommentForm({ place, number, rights, renderActions }: CommentFormProps) {
  const key = `comment ${place.owner}/${place.repo}#${number}`;
  const { value, change, forget } = useDraft(key, { body: '' });
  const add = useAddComment(place, number);
  const text = value.body.trim();
  useSayDraft(text === '' ? undefined : newCommentCall(place, number, text));
  const send = (then?: () => void) => {
    if (text === '') return then?.();
    return add.mutate(value.body, {
      onSuccess: () => {
        forget();
        then?.();
      },
    });
  };
  if (rights.whyNoComment !== undefined) return <Banner tone="neutral">{rights.whyNoComment}</Banner>;
  return (
    <section className="card" aria-label={ISSUE.commentLabel}>
      <div className="card__b stack">
        <ChangeError error={add.error} />
        <TextEditor
          place={place}
          label={ISSUE.commentLabel}
          help={ISSUE.textHelp}
          value={value.body}
          onChange={(body) => change({ body })}
          onSubmit={() => send()}
        />
        <div className="row row--wrap">
          <span className="push" />
          {renderActions?.(send, text !== '')}
          <Button
            tone="primary"
            disabledReason={text === '' ? ISSUE.sayFirst : undefined}
            isBusy={add.isPending}
            onClick={() => send()}
          >
            {ISSUE.comment}
          </Button>
        </div>
      </div>
    </section>
  );
}
