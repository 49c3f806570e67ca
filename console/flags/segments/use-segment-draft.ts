// What somebody edits of a segment, kept in this browser until it is saved or discarded, together with what it was read as.
import { useDraft } from '../../app/drafts.ts';
import { editOf, type Segment, type SegmentEdit } from './segment.ts';
import { segmentInstructions } from './segment-instructions.ts';

interface KeptEdit {
  /** What the edit began with; null where nothing is edited. */
  base: SegmentEdit | null;
  edited: SegmentEdit | null;
  version: number;
}

const NOTHING: KeptEdit = { base: null, edited: null, version: 0 };

export function useSegmentDraft(place: string, segment: Segment) {
  const { value, change, forget } = useDraft<KeptEdit>(`segment ${place}`, NOTHING);
  const base = value.base ?? editOf(segment);
  const edited = value.edited ?? base;
  const version = value.base === null ? segment.version : value.version;
  const instructions = segmentInstructions(base, edited);
  return {
    base,
    edited,
    version,
    instructions,
    isOutdated: instructions.length > 0 && version !== segment.version,
    edit: (patch: Partial<SegmentEdit>) => change({ base, edited: { ...edited, ...patch }, version }),
    forget,
  };
}

export type SegmentDraft = ReturnType<typeof useSegmentDraft>;
