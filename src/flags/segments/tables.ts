// The tables of segments.
import type { Generated } from 'kysely';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    segments: SegmentRow;
    segment_graves: SegmentGraveRow;
    segment_members: SegmentMemberRow;
    segment_uses: SegmentUseRow;
  }
}

export interface SegmentRow {
  id: string;
  environment_id: string;
  key: string;
  name: string;
  /** The name as names are sorted. */
  sort_name: string;
  /** Key, name and description in small letters, for searching. */
  words: string;
  /** A JSON list, sorted. */
  tags: string;
  is_unbounded: number;
  included_count: number;
  excluded_count: number;
  /** The mode of the import that runs. */
  importing: string | null;
  version: number;
  generation: number;
  created_at: number;
  modified_at: number;
  /** The rest, as JSON. */
  doc: string;
}

/** What a deleted segment leaves behind, for one of the same key to begin above. */
export interface SegmentGraveRow {
  environment_id: string;
  key: string;
  /** That of its deletion. */
  version: number;
  generation: number;
}

/** A context in a big segment, or kept out of it. */
export interface SegmentMemberRow {
  segment_id: string;
  context_key: string;
  is_included: number;
  /** The number of the import that has seen it last: one that replaces all removes those without its own. */
  mark: Generated<number>;
}

/** That rules of a flag name a segment in an environment. */
export interface SegmentUseRow {
  environment_id: string;
  segment_key: string;
  flag_id: string;
}
