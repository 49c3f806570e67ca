// The table of the statuses of commits.
import type { Generated } from 'kysely';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    commit_statuses: CommitStatusRow;
  }
}

export interface CommitStatusRow {
  number: Generated<number>;
  repository_number: number;
  sha: string;
  /** What reports it; the newest status of each context counts. */
  context: string;
  state: string;
  description: string | null;
  target_url: string | null;
  creator_id: string;
  created_at: number;
}
