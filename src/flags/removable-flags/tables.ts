// The table of flags that are ready to be removed.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    removable_flags: RemovableFlagRow;
  }
}

/** Brought up to date by recurring work: what it says may have changed since. */
export interface RemovableFlagRow {
  flag_id: string;
  project_id: string;
  /** Since when it is ready. */
  since: number;
}
