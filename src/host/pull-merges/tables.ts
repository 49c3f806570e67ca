// The table of merges that have begun.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    merge_intents: MergeIntentRow;
  }
}

export interface MergeIntentRow {
  issue_id: number;
  /** That the base moves to. */
  commit_id: string;
  repository_number: number;
  base_ref: string;
  /** What the pull request was when the merge began, as JSON. */
  merged_state: string;
  merged_by_id: string;
  created_at: number;
}
