// The tables of segments, of members of big ones, and of their imports and exports.
import type { Generated } from 'kysely';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    segments: SegmentRow;
    segment_graves: SegmentGraveRow;
    segment_members: SegmentMemberRow;
    segment_uses: SegmentUseRow;
    segment_imports: SegmentImportRow;
    segment_exports: SegmentExportRow;
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

export interface SegmentImportRow {
  id: string;
  segment_id: string;
  number: number;
  mode: string;
  status: string;
  is_waiting: number;
  filename: string | null;
  size: number;
  is_typed: number;
  taken_bytes: number;
  key_count: number;
  processed_count: number;
  changed_count: number;
  removed_count: number;
  removed_to: string | null;
  message: string | null;
  comment: string | null;
  /** As JSON. */
  doer: string;
  created_at: number;
}

export interface SegmentExportRow {
  id: string;
  segment_id: string;
  status: string;
  size: number;
  /** The member who requested it. */
  member_id: string;
  created_at: number;
}
