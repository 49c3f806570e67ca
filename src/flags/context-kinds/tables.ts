// The table of context kinds.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    context_kinds: ContextKindRow;
  }
}

export interface ContextKindRow {
  project_id: string;
  key: string;
  name: string;
  is_archived: number;
  version: number;
  created_at: number;
  modified_at: number;
  description: string;
}
