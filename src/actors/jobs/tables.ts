// The table of jobs: builds and runs that wait for a node, or are executed by one.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    jobs: JobRow;
    actor_nodes: ActorNodeRow;
  }
}

/** A node that executes runs. */
export interface ActorNodeRow {
  name: string;
  /** Where other nodes reach it; null where its operator has not said. */
  url: string | null;
  seen_at: number;
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
  /** The one node that may execute it, as long as that is there; null for any. */
  node: string | null;
}
