// The table of jobs: builds and runs that wait for a node, or are executed by one.
import type { Generated } from 'kysely';

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
  /** Whether programs share the network of its machine: 0 or 1; null where a node has not said. */
  shares_network: Generated<number | null>;
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
  /** When processes died while they executed it, as `job-deaths.ts` writes it. */
  deaths: Generated<string | null>;
  /** 1 while the node that executes it stops in an orderly way, so that its end is no death. */
  is_stopping: Generated<number>;
}
