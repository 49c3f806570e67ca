// The table of imports into big segments.

declare module '../../../kernel/storage/tables.ts' {
  interface Tables {
    segment_imports: SegmentImportRow;
  }
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
