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
  /** The sort key of the name. */
  sort_name: string;
  /** Key, name and description in lower case, for searching. */
  words: string;
  /** A JSON list, sorted. */
  tags: string;
  is_unbounded: number;
  included_count: number;
  excluded_count: number;
  /** The mode of the running import. */
  importing: string | null;
  version: number;
  generation: number;
  created_at: number;
  modified_at: number;
  /** The rest, as JSON. */
  doc: string;
}

/** The last version and generation of a deleted segment. A new one with its key starts above them. */
export interface SegmentGraveRow {
  environment_id: string;
  key: string;
  /** The version of the deletion. */
  version: number;
  generation: number;
}

/** A context that a big segment includes or excludes. */
export interface SegmentMemberRow {
  segment_id: string;
  context_key: string;
  is_included: number;
  /**
   * The number of the last import whose file contained it. An import that replaces all members removes those without
   * its number.
   */
  mark: Generated<number>;
}

/** The rules of a flag in an environment name a segment. */
export interface SegmentUseRow {
  environment_id: string;
  segment_key: string;
  flag_id: string;
}
