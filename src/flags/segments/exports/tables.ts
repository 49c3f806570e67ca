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
  /** Who wanted it. */
  member_id: string;
  created_at: number;
}
