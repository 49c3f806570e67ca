// The table of scheduled changes.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    scheduled_changes: ScheduledChangeRow;
  }
}

export interface ScheduledChangeRow {
  id: string;
  flag_id: string;
  environment_id: string;
  /** The member in whose name the change is applied. */
  member_id: string;
  service_token_id: string | null;
  boundary_id: string | null;
  execution_at: number;
  status: string;
  version: number;
  created_at: number;
  comment: string | null;
  /** Why it failed, as a JSON list. */
  conflicts: string;
  /** The plan, as JSON. */
  plan: string;
}
