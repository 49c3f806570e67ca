// The table of stars.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    stars: StarRow;
  }
}

export interface StarRow {
  account_id: string;
  repository_number: number;
  created_at: number;
}
