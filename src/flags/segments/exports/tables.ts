// The table of exports of big segments.

declare module '../../../kernel/storage/tables.ts' {
  interface Tables {
    segment_exports: SegmentExportRow;
  }
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
