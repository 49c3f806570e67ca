// The tables of flags that only this folder writes.
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
    /** A short number for comparisons in indexes. Everywhere else the flag is known by its id. */
    no: Generated<number>;
  }
  interface FlagConfigRow {
    /** The part of the configuration that lists show, as JSON: the whole document may be large. */
    head: string;
  }
}

/** A tag of a flag, for searches. The row of the flag has all its tags, too. */
export interface FlagTagRow {
  project_id: string;
  tag: string;
  flag_no: number;
  flag_id: string;
}

/** In one environment, a flag has another one as a prerequisite, with the variation that it must serve. */
export interface FlagPrerequisiteRow {
  flag_id: string;
  environment_id: string;
  needs_id: string;
  variation: number;
}

/** When SDKs last requested a flag in an environment, and the default value that they sent, as JSON. */
export interface FlagUsageRow {
  environment_id: string;
  flag_id: string;
  last_requested_at: number;
  last_default: string | null;
}
