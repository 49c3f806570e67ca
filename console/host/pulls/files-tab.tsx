// The files of a pull request with their differences, and what is said about their lines.
import { useEffect, useMemo, useRef } from 'react';
import { useDraft } from '../../app/drafts.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { useDiffContext } from '../commits/diff-context.ts';
import type { DiffFile, LineNotes, LineSpot } from '../diff/diff-file.ts';
import { DiffFiles } from '../diff/diff-files.tsx';
import type { Hunk, PatchLine } from '../diff/patch.ts';
import { useDiffMode } from '../diff/use-diff-mode.ts';
import type { Rights } from '../issues/rights.ts';
import { DraftCard } from './line-draft.tsx';
import { spotKey, type Pull, type Thread } from './pull.ts';
import { usePullFiles, useThreads, type PullPlace } from './pull-queries.ts';
import { PULL, REVIEW } from './pull-words.ts';
import { useDraftSpots } from './review-draft.tsx';
import { ThreadCard } from './thread-card.tsx';
import '../../styles/pulls.css';

export interface PullTabProps {
  place: PullPlace;
  pull: Pull;
  rights: Rights;
}

/** Lines that a comment can begin at. */
const MOST_LINES = 30;

export function FilesTab({ place, pull, rights }: PullTabProps) {
  const { rows: files, error, retry, hasMore, isReadingMore } = usePullFiles(place, { isWhole: true });
  const [mode, setMode] = useDiffMode();
  const { threads } = useThreads(place);
  const viewed = useViewed(place);
  const { notes, others } = useNotes({ place, pull, rights }, threads);
  const places = useDiffContext(placeOfHead(pull) ?? place, mode, pull.base.sha, pull.head.sha);
  const context = useMemo(() => ({ ...places, notes, viewed }), [places, notes, viewed]);
  if (error !== null) return <ReadProblem error={error} onRetry={retry} />;
  if (files === undefined) return <Skeleton lines={12} />;
  return (
    <div className="stack stack--16">
      {others.length > 0 && (
        <details className="card other-threads">
          <summary>
            {REVIEW.otherThreads} ({others.length})
          </summary>
          <div className="stack card__b">
            {others.map((thread) => (
              <div key={thread.comments[0]!.id} className="stack stack--4">
                <p className="mono t12">{thread.comments[0]!.path}</p>
                <ThreadCard place={place} pull={pull} rights={rights} thread={thread} />
              </div>
            ))}
          </div>
        </details>
      )}
      <DiffFiles
        files={files}
        hasMore={hasMore}
        additions={pull.additions}
        deletions={pull.deletions}
        context={context}
        onMode={setMode}
      />
      {isReadingMore ? (
        <p className="muted t13" role="status">
          {PULL.files.reading}
        </p>
      ) : (
        hasMore && <p className="muted t13">{PULL.files.limit}</p>
      )}
    </div>
  );
}

const NONE_VIEWED = { files: {} };

/** Which files the reader has ticked off, in this browser. What is pushed over a file takes its tick away. */
function useViewed({ owner, repo, number }: PullPlace) {
  const { value, change } = useDraft<{ files: Readonly<Record<string, string>> }>(
    `viewed:${owner}/${repo}#${number}`,
    NONE_VIEWED,
  );
  const latest = useRef(change);
  useEffect(() => {
    latest.current = change;
  });
  return useMemo(() => {
    const { files } = value;
    const has = ({ filename, sha }: DiffFile) => files[filename] === (sha ?? '');
    const toggle = (file: DiffFile) => {
      const { [file.filename]: _, ...others } = files;
      latest.current({ files: has(file) ? others : { ...others, [file.filename]: file.sha ?? '' } });
    };
    return { has, toggle };
  }, [value]);
}

function placeOfHead({ head }: Pull) {
  return head.repo === null ? undefined : { owner: head.repo.owner.login, repo: head.repo.name };
}

/** Made anew only when a conversation or the place of a draft changes, so that typing draws no line anew. */
function useNotes({ place, pull, rights }: PullTabProps, threads: readonly Thread[]) {
  const { spots, add } = useDraftSpots();
  return useMemo(() => {
    const bySpot = new Map<string, Thread[]>();
    const others: Thread[] = [];
    for (const thread of threads) {
      const [first] = thread.comments;
      if (first === undefined) continue;
      const { path, side, line, subject_type: type } = first;
      if (line === null || type === 'file') others.push(thread);
      else {
        const key = spotKey({ path, side, line });
        bySpot.set(key, [...(bySpot.get(key) ?? []), thread]);
      }
    }
    const notes: LineNotes = {
      at: (spot, hunk) => {
        const said = bySpot.get(spotKey(spot));
        const hasDraft = spots.has(spotKey(spot));
        if (said === undefined && !hasDraft) return undefined;
        return (
          <div className="stack stack--8">
            {said?.map((thread) => (
              <ThreadCard
                key={thread.comments[0]!.id}
                place={place}
                pull={pull}
                rights={rights}
                thread={thread}
              />
            ))}
            {hasDraft && (
              <DraftCard
                place={place}
                pull={pull}
                rights={rights}
                spot={spot}
                linesBefore={() => linesUpTo(hunk, spot)}
              />
            )}
          </div>
        );
      },
      ...(rights.whyNoComment === undefined && { onAdd: add }),
    };
    return { notes, others };
  }, [place, pull, rights, threads, spots, add]);
}

/** Of the part of the difference that the line is in. */
function linesUpTo({ lines }: Hunk, { side, line }: LineSpot): { line: number; text: string }[] {
  const numberOf = ({ kind, before, after }: PatchLine) =>
    side === 'LEFT' ? (kind === 'add' ? undefined : before) : kind === 'del' ? undefined : after;
  const numbered = lines.flatMap((one) => {
    const number = numberOf(one);
    return number === undefined ? [] : [{ line: number, text: one.text }];
  });
  return numbered.filter((one) => one.line <= line).slice(-MOST_LINES);
}
