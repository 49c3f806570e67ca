// The table of triggers.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    flag_triggers: FlagTriggerRow;
  }
}

export interface FlagTriggerRow {
  id: string;
  flag_id: string;
  environment_id: string;
  member_id: string;
  integration_key: string;
  is_on: number;
  /** The hash of the secret in the URL. */
  hash: string;
  fired_count: number;
  fired_at: number | null;
  version: number;
  created_at: number;
  comment: string | null;
  /** A JSON list. */
  instructions: string;
}
