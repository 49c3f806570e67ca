// The tables of code references.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    code_repositories: CodeRepositoryRow;
    code_branches: CodeBranchRow;
    code_references: CodeReferenceRow;
    code_extinctions: CodeExtinctionRow;
  }
}

export interface CodeRepositoryRow {
  id: string;
  name: string;
  type: string;
  default_branch: string;
  is_enabled: number;
  /** The links, as JSON. */
  doc: string;
  version: number;
  created_at: number;
}

export interface CodeBranchRow {
  id: string;
  repository_id: string;
  name: string;
  head: string;
  update_sequence_id: number | null;
  sync_time: number;
  commit_time: number | null;
  file_count: number;
  hunk_count: number;
}

/** All that names one flag on a branch. */
export interface CodeReferenceRow {
  branch_id: string;
  position: number;
  /** Null where the scan names no project. */
  project_id: string | null;
  /** Empty where the scan names no flag. A flag of this key may not exist (any more): the code names it all the same. */
  flag_key: string;
  file_count: number;
  hunk_count: number;
  /** Of `doc`, so that it can be known before it is read. */
  length: number;
  /** A JSON list of files. */
  doc: string;
}

export interface CodeExtinctionRow {
  id: string;
  branch_id: string;
  project_id: string;
  flag_key: string;
  revision: string;
  message: string;
  time: number;
}
