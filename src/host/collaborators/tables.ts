// The table of collaborators.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    collaborators: CollaboratorRow;
  }
}

export interface CollaboratorRow {
  repository_number: number;
  account_id: string;
  /** A repository role, or the name of a custom one. */
  role: string;
  created_at: number;
}
