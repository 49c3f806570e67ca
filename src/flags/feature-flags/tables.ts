// The tables of flags that no other resource writes.
import type { Generated } from 'kysely';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    flag_tags: FlagTagRow;
    flag_prerequisites: FlagPrerequisiteRow;
    flag_usage: FlagUsageRow;
  }
}

declare module '../tables.ts' {
  interface FlagRow {
    /** Short, for comparing: the id is what everyone else knows the flag by. */
    no: Generated<number>;
  }
  interface FlagConfigRow {
    /** What lists show of the configuration, as JSON: the document may be large. */
    head: string;
  }
}

/** A tag of a flag, for searching: the flag itself has them all. */
export interface FlagTagRow {
  project_id: string;
  tag: string;
  flag_no: number;
  flag_id: string;
}

/** That a flag needs another one to serve a variation, in one environment. */
export interface FlagPrerequisiteRow {
  flag_id: string;
  environment_id: string;
  needs_id: string;
  variation: number;
}

/** When SDKs last asked for a flag in an environment, and which default they brought along, as JSON. */
export interface FlagUsageRow {
  environment_id: string;
  flag_id: string;
  last_requested_at: number;
  last_default: string | null;
}
