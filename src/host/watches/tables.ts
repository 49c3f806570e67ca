// The table of watched repositories.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    watches: WatchRow;
  }
}

export interface WatchRow {
  account_id: string;
  repository_number: number;
  is_ignored: number;
  created_at: number;
}
