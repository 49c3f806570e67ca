// The table of expiring targets.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    expiring_targets: ExpiringTargetRow;
  }
}

export interface ExpiringTargetRow {
  id: string;
  resource_kind: string;
  resource_id: string;
  environment_id: string;
  /** The ID of a variation, or `included` or `excluded`. */
  place: string;
  context_kind: string;
  context_key: string;
  expires_at: number;
  version: number;
}
