// The tables of repositories and their former names.
import type { Generated } from 'kysely';
import type { RepositoryBinding } from './repository.ts';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    repositories: RepositoryRow;
    repository_redirects: RepositoryRedirectRow;
  }
}

export interface RepositoryRow {
  number: Generated<number>;
  /** A member, a service token or an organization. */
  owner_id: string;
  name: string;
  /** `owner/name` in lower case, for sorting and searching. Names are ASCII. */
  full_name: string;
  description: string | null;
  is_private: number;
  is_archived: number;
  default_branch: string;
  /** The homepage, the enabled features and how pull requests are merged, as JSON. */
  settings: string;
  /** A JSON list. */
  topics: string;
  /** Bytes by language, as JSON; updated with the default branch. */
  languages: string;
  /** The one with the most bytes. */
  language: string | null;
  /** The SPDX identifier. */
  license: string | null;
  size_kb: number;
  /** The repository that it was forked from, and the first one of the family. */
  parent_number: number | null;
  source_number: number | null;
  /** Why it stays private; see `RepositoryBinding`. */
  binding: Generated<RepositoryBinding | null>;
  star_count: number;
  watch_count: number;
  fork_count: number;
  /** Of issues and pull requests: the last number that was given, and how many are open. */
  last_issue_number: Generated<number>;
  last_milestone_number: Generated<number>;
  open_issue_count: Generated<number>;
  created_at: number;
  updated_at: number;
  pushed_at: number;
  /** Set while background work deletes it: it is found by nobody. */
  deleted_at: number | null;
  /** 0 until its references were recorded once, then how often they were. */
  refs_version: Generated<number>;
  /** How many bytes its objects have when they are inflated, at most: of pushes, and of what was there when it was measured. */
  inflated_bytes: Generated<number>;
}

export interface RepositoryRedirectRow {
  owner_id: string;
  folded_name: string;
  repository_number: number;
  created_at: number;
}
