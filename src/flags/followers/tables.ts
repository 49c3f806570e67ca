// The table of followers.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    flag_followers: FlagFollowerRow;
  }
}

export interface FlagFollowerRow {
  flag_id: string;
  environment_id: string;
  member_id: string;
  followed_at: number;
}
