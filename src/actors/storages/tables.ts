// The row that every storage has: its name, owner and general access.

export interface StorageRow {
  id: string;
  kind: string;
  user_id: string;
  name: string | null;
  title: string | null;
  general_access: string;
  /** Signs public URLs; the owner may see it. */
  secret: string;
  schema: string | null;
  act_id: string | null;
  act_run_id: string | null;
  /** Whether its run is charged for its items. */
  charges_items: number;
  created_at: number;
  modified_at: number;
  /** When it was last used, to the minute; retention depends on it. */
  accessed_at: number;
}

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    storages: StorageRow;
  }
}
