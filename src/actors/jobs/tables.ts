// The table of jobs: builds and runs that wait for a node, or are executed by one.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    jobs: JobRow;
  }
}

export interface JobRow {
  /** The id of the build or run. */
  id: string;
  kind: string;
  user_id: string;
  memory_mbytes: number;
  queued_at: number;
  /** The node that executes it; null while it waits. */
  owner: string | null;
  /** When the job is lost, unless the node extends its leases before. */
  lease_until: number | null;
  /** What a caller wants of the node that executes it. */
  control: string | null;
  /** How often a node has claimed it. */
  claims: number;
}
