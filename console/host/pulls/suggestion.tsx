// Suggestions in a comment on lines: shown beside what they replace, and committed to the branch by those who may.
import { useState } from 'react';
import { send } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { invalidateTopics } from '../../api/read.ts';
import { Button } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { toast } from '../../ui/toast-store.ts';
import { encodePath } from '../place.ts';
import { repositoryCall, TOPICS } from '../queries.ts';
import type { Pull, ReviewComment } from './pull.ts';
import { applySuggestion, base64Of, suggestionsIn, textOf } from './suggestions.ts';
import { REVIEW } from './pull-words.ts';

export interface SuggestionsProps {
  pull: Pull;
  comment: ReviewComment;
  /** Whether the person may push to the branch. */
  mayApply: boolean;
}

export function Suggestions({ pull, comment, mayApply }: SuggestionsProps) {
  const found = suggestionsIn(comment.body ?? '');
  if (found.length === 0 || comment.side !== 'RIGHT') return null;
  const isCurrent = comment.line !== null && pull.state === 'open' && pull.head.repo !== null;
  return (
    <>
      {found.map((lines, index) => (
        <Suggestion
          key={index}
          lines={lines}
          pull={pull}
          comment={comment}
          mayApply={mayApply && isCurrent}
        />
      ))}
    </>
  );
}

function Suggestion({ lines, pull, comment, mayApply }: SuggestionsProps & { lines: readonly string[] }) {
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const apply = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await commitSuggestion(pull, comment, lines);
      toast({ text: REVIEW.applied });
      invalidateTopics(TOPICS);
    } catch (failure) {
      setError(
        failure instanceof ApiError ? failure : new ApiError(0, { message: String(failure) }, new Headers()),
      );
    } finally {
      setBusy(false);
    }
  };
  const last = comment.line ?? comment.original_line ?? 1;
  const first = comment.start_line ?? last;
  return (
    <div className="code">
      <div className="code__h">
        <span className="grow">
          {REVIEW.suggestion}: {first === last ? REVIEW.line(last) : REVIEW.lines(first, last)}
        </span>
        {mayApply && (
          <Button size="xs" isBusy={isBusy} onClick={() => void apply()}>
            {REVIEW.apply}
          </Button>
        )}
      </div>
      <ChangeError error={error} />
      {lines.length === 0 ? (
        <p className="muted t13 card__b">{REVIEW.empty}</p>
      ) : (
        // What scrolls must be reachable by the keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div className="sugg" role="region" aria-label={REVIEW.suggestion} tabIndex={0}>
          <table className="diff">
            <tbody>
              {lines.map((text, index) => (
                <tr key={index} className="add">
                  <td className="n">{first + index}</td>
                  <td className="s">+</td>
                  <td className="t">{text}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

interface FileContent {
  sha: string;
  content: string;
  encoding: string;
}

/** As a commit to the branch of the pull request. The file's id makes sure that nobody has changed it meanwhile. */
async function commitSuggestion(
  { head }: Pull,
  comment: ReviewComment,
  lines: readonly string[],
): Promise<void> {
  const { path, line, start_line: start } = comment;
  const place = { owner: head.repo!.owner.login, repo: head.repo!.name };
  const call = repositoryCall(place, `/contents/${encodePath(path)}`);
  const { body: file } = await send<FileContent>({ ...call, query: { ref: head.ref } });
  const before = file.encoding === 'base64' ? textOf(file.content) : undefined;
  if (before === undefined || line === null) throw new Error(REVIEW.notApplied);
  const content = base64Of(applySuggestion(before, start ?? line, line, lines));
  const message = REVIEW.applyMessage(path);
  await send({ ...call, method: 'PUT', body: { message, content, sha: file.sha, branch: head.ref } });
}
