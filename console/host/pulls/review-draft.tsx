// The review that somebody is writing: comments on lines, a summary, a verdict. It is kept in this browser until it is submitted.
import { createContext, useContext, useEffect, useMemo, useRef, type ReactNode } from 'react';
import { useDraft } from '../../app/drafts.ts';
import type { LineSpot } from '../diff/diff-file.ts';
import { spotKey } from './pull.ts';
import type { DraftComment, PullPlace, ReviewOrder } from './pull-queries.ts';

export interface LineDraft extends DraftComment {
  /** It is being written. */
  isOpen: boolean;
}

interface DraftValue {
  comments: LineDraft[];
  body: string;
  event: ReviewOrder['event'];
}

const EMPTY: DraftValue = { comments: [], body: '', event: 'COMMENT' };

export interface ReviewDraft extends DraftValue {
  change: (patch: Partial<Pick<DraftValue, 'body' | 'event'>>) => void;
  /** Begins one where there is none. */
  add: (spot: LineSpot) => void;
  edit: (spot: LineSpot, patch: Partial<Pick<LineDraft, 'body' | 'isOpen' | 'start_line'>>) => void;
  remove: (spot: LineSpot) => void;
  forget: () => void;
}

const DraftContext = createContext<ReviewDraft | undefined>(undefined);
/** The spots alone: what shows lines is not drawn anew at every letter. */
const SpotsContext = createContext<{ spots: ReadonlySet<string>; add: ReviewDraft['add'] } | undefined>(
  undefined,
);

export function useReviewDraft(): ReviewDraft {
  return useContext(DraftContext)!;
}

export function useDraftSpots() {
  return useContext(SpotsContext)!;
}

export function ReviewDraftProvider({ place, children }: { place: PullPlace; children: ReactNode }) {
  const key = `review ${place.owner}/${place.repo}#${place.number}`;
  const { value, change, forget } = useDraft<DraftValue>(key, EMPTY);
  const { comments } = value;
  const isAt = (spot: LineSpot) => (one: LineDraft) => spotKey(one) === spotKey(spot);
  const draft: ReviewDraft = {
    ...value,
    change,
    forget,
    add: (spot) => {
      const isThere = comments.some(isAt(spot));
      const next = isThere ? comments : [...comments, { ...spot, body: '', isOpen: true }];
      change({ comments: next.map((one) => (isAt(spot)(one) ? { ...one, isOpen: true } : one)) });
    },
    edit: (spot, patch) =>
      change({ comments: comments.map((one) => (isAt(spot)(one) ? { ...one, ...patch } : one)) }),
    remove: (spot) => change({ comments: comments.filter((one) => !isAt(spot)(one)) }),
  };
  const words = comments.map(spotKey).toSorted().join('\n');
  const latest = useRef(draft);
  useEffect(() => {
    latest.current = draft;
  });
  const spots = useMemo(
    () => ({
      spots: new Set(words === '' ? [] : words.split('\n')),
      add: (spot: LineSpot) => latest.current.add(spot),
    }),
    [words],
  );
  return (
    <DraftContext value={draft}>
      <SpotsContext value={spots}>{children}</SpotsContext>
    </DraftContext>
  );
}

/** Those that say something. */
export function saidDrafts(comments: readonly LineDraft[]): DraftComment[] {
  return comments.filter(({ body }) => body.trim() !== '').map(toComment);
}

/** As the API takes it. */
export function toComment({ path, side, line, start_line: start, body }: LineDraft): DraftComment {
  return { path, side, line, ...(start !== undefined && { start_line: start }), body };
}
