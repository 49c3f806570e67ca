// The table of links.

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
  /** The rest, as JSON. */
  doc: string;
}
