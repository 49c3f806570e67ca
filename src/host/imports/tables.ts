// The tables of imports.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    repository_imports: RepositoryImportRow;
    imported_items: ImportedItemRow;
  }
}

/** A repository that is filled from elsewhere. */
export interface RepositoryImportRow {
  repository_number: number;
  /** The address there. */
  source: string;
  begun_at: number;
  /** When the last batch came. */
  active_at: number;
  finished_at: number | null;
}

export interface ImportedItemRow {
  repository_number: number;
  /** Such as `issue` or `comment`. */
  kind: string;
  /** Its id there, and here. */
  source_id: number;
  id: number;
  /** When it was changed there. */
  updated_at: number;
}
