// A comment on a line that is not sent yet: written, kept for the review, or sent at once.
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { Field } from '../../ui/field.tsx';
import { SelectInput } from '../../ui/input.tsx';
import { Badge } from '../../ui/status.tsx';
import { TextEditor } from '../issues/text-editor.tsx';
import { ISSUE } from '../issues/issue-words.ts';
import type { Rights } from '../issues/rights.ts';
import type { LineSpot } from '../diff/diff-file.ts';
import { spotKey, type Pull } from './pull.ts';
import { useSubmitReview, type PullPlace } from './pull-queries.ts';
import { REVIEW } from './pull-words.ts';
import { toComment, useReviewDraft, type LineDraft } from './review-draft.tsx';
import { suggestionOf } from './suggestions.ts';

export interface DraftCardProps {
  place: PullPlace;
  pull: Pull;
  spot: LineSpot;
  rights: Rights;
  /** The lines of the same part of the difference up to this one, the last of them last. */
  linesBefore: () => { line: number; text: string }[];
}

export function DraftCard(props: DraftCardProps) {
  const { spot, rights } = props;
  const { comments, edit, remove } = useReviewDraft();
  const draft = comments.find((one) => spotKey(one) === spotKey(spot));
  if (draft === undefined) return null;
  const { start_line: start, line } = draft;
  return (
    <section className="said said--draft" aria-label={REVIEW.commentOn(spot.line)}>
      <div className="said__h">
        <Avatar name={rights.login ?? ''} isDecorative />
        <b>{rights.login}</b>
        <span className="muted t12">
          {start === undefined ? REVIEW.line(line) : REVIEW.lines(start, line)}
        </span>
        <span className="push" />
        <Badge icon="clock">{REVIEW.draftMark}</Badge>
      </div>
      <div className="said__b">
        {draft.isOpen ? (
          <DraftEditor {...props} draft={draft} />
        ) : (
          <>
            <p className="draft-text">{draft.body}</p>
            <div className="row">
              <Button size="sm" icon="pen" onClick={() => edit(spot, { isOpen: true })}>
                {REVIEW.edit}
              </Button>
              <Button size="sm" icon="trash" onClick={() => remove(spot)}>
                {REVIEW.remove}
              </Button>
            </div>
          </>
        )}
      </div>
    </section>
  );
}

function DraftEditor({ place, pull, spot, draft, linesBefore }: DraftCardProps & { draft: LineDraft }) {
  const { edit, remove } = useReviewDraft();
  const submit = useSubmitReview(place);
  const isEmpty = draft.body.trim() === '';
  const lines = linesBefore();
  const first = draft.start_line ?? draft.line;
  const suggest = () => {
    const text = lines
      .filter(({ line }) => line >= first)
      .map((one) => one.text)
      .join('\n');
    const start = draft.body === '' || draft.body.endsWith('\n') ? draft.body : `${draft.body}\n`;
    edit(spot, { body: start + suggestionOf(text) });
  };
  const send = () => {
    submit.mutate(
      { commit_id: pull.head.sha, event: 'COMMENT', comments: [toComment(draft)] },
      { onSuccess: () => remove(spot) },
    );
  };
  const keep = () => !isEmpty && edit(spot, { isOpen: false });
  return (
    <>
      <ChangeError error={submit.error} />
      <TextEditor
        place={place}
        label={REVIEW.commentOn(spot.line)}
        help={ISSUE.textHelp}
        rows={4}
        value={draft.body}
        onChange={(body) => edit(spot, { body })}
        onSubmit={keep}
        isFocused={isEmpty}
        tools={
          spot.side === 'RIGHT' && (
            <Button size="sm" icon="pen" onClick={suggest}>
              {REVIEW.suggest}
            </Button>
          )
        }
      />
      {lines.length > 1 && (
        <Field label={REVIEW.startsAt}>
          <SelectInput
            controlSize="sm"
            value={String(first)}
            onValue={(value) =>
              edit(spot, { start_line: Number(value) === draft.line ? undefined : Number(value) })
            }
            options={lines.toReversed().map(({ line }) => ({ value: String(line), label: String(line) }))}
          />
        </Field>
      )}
      <div className="row row--wrap">
        <Button size="sm" tone="primary" disabledReason={isEmpty ? ISSUE.sayFirst : undefined} onClick={keep}>
          {REVIEW.keep}
        </Button>
        <Button
          size="sm"
          isBusy={submit.isPending}
          disabledReason={isEmpty ? ISSUE.sayFirst : undefined}
          onClick={send}
        >
          {REVIEW.single}
        </Button>
        <Button size="sm" tone="ghost" onClick={() => remove(spot)}>
          {isEmpty ? ISSUE.cancel : REVIEW.remove}
        </Button>
      </div>
    </>
  );
}
