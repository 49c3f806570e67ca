// What was said about a gist, and a form to say something.
import { useSayDraft } from '../../app/draft-call.ts';
import { useDraft } from '../../app/drafts.ts';
import { useMe } from '../../app/me.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Button } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { CountBadge } from '../../ui/status.tsx';
import { loginOf } from '../issues/issue.ts';
import { TextCard } from '../issues/text-card.tsx';
import { TextEditor } from '../issues/text-editor.tsx';
import type { Gist } from './gist.ts';
import {
  commentCall,
  GIST_TOPICS,
  newGistCommentCall,
  useAddGistComment,
  useGistComments,
} from './gists-queries.ts';
import { GIST } from './gists-words.ts';

export function GistComments({ gist }: { gist: Gist }) {
  const { id, owner } = gist;
  const { data: me } = useMe();
  const login = me?.username;
  const { rows, error, hasMore, isReadingMore, readMore, retry } = useGistComments(id);
  return (
    <Section title={GIST.comments} badge={<CountBadge value={gist.comments} />}>
      <div className="stack gist__talk">
        {error !== null ? (
          <ReadProblem error={error} onRetry={retry} />
        ) : rows === undefined ? (
          <Skeleton lines={3} />
        ) : rows.length === 0 ? (
          <p className="muted t13">{GIST.noComments}</p>
        ) : (
          rows.map((comment) => {
            const isAuthor = login !== undefined && loginOf(comment.user) === login;
            return (
              <TextCard
                key={comment.id}
                call={commentCall(id, comment.id)}
                topics={GIST_TOPICS}
                text={comment}
                anchor={`comment-${comment.id}`}
                mayEdit={isAuthor}
                mayDelete={isAuthor || login === loginOf(owner)}
              />
            );
          })
        )}
        {hasMore && (
          <Button isBusy={isReadingMore} onClick={readMore}>
            {GIST.moreComments}
          </Button>
        )}
        <CommentForm id={id} />
      </div>
    </Section>
  );
}

/** What is typed stays in this browser until it is sent. */
function CommentForm({ id }: { id: string }) {
  const { value, change, forget } = useDraft(`comment gist ${id}`, { body: '' });
  const add = useAddGistComment(id);
  const isEmpty = value.body.trim() === '';
  useSayDraft(isEmpty ? undefined : newGistCommentCall(id, value.body));
  const send = () => {
    if (!isEmpty) add.mutate(value.body, { onSuccess: forget });
  };
  return (
    <section className="card" aria-label={GIST.commentLabel}>
      <div className="card__b stack">
        <ChangeError error={add.error} />
        <TextEditor
          label={GIST.commentLabel}
          help={GIST.commentHelp}
          value={value.body}
          onChange={(body) => change({ body })}
          onSubmit={send}
          rows={4}
        />
        <div className="row">
          <Button
            tone="primary"
            disabledReason={isEmpty ? GIST.sayFirst : undefined}
            isBusy={add.isPending}
            onClick={send}
          >
            {GIST.comment}
          </Button>
        </div>
      </div>
    </section>
  );
}
