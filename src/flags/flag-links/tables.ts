// The table of flag links.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    flag_links: FlagLinkRow;
  }
}

export interface FlagLinkRow {
  id: string;
  flag_id: string;
  key: string;
  member_id: string;
  version: number;
  created_at: number;
  /** All other fields, as JSON. */
  doc: string;
}
