// The tables of the flag service that more than one of its resources reads.
import type { Generated } from 'kysely';

declare module '../kernel/storage/tables.ts' {
  interface Tables {
    projects: ProjectRow;
    environments: EnvironmentRow;
    flags: FlagRow;
    flag_configs: FlagConfigRow;
    flag_graves: FlagGraveRow;
  }
}

export interface ProjectRow {
  id: string;
  key: string;
  name: string;
  /** A JSON list, sorted. */
  tags: string;
  /** The rest of what is shown, as JSON. */
  doc: string;
  version: number;
  created_at: number;
}

export interface EnvironmentRow {
  id: string;
  project_id: string;
  key: string;
  name: string;
  tags: string;
  is_critical: number;
  doc: string;
  /** Kept readable: clients read it from the API, and secure mode signs with it. */
  sdk_key: string;
  /** The one before the last reset, for as long as it was given; so with the other two. */
  old_sdk_key: string | null;
  old_sdk_until: number | null;
  mobile_key: string;
  old_mobile_key: string | null;
  old_mobile_until: number | null;
  client_id: string;
  old_client_id: string | null;
  old_client_until: number | null;
  version: number;
  created_at: number;
}

export interface FlagRow {
  id: string;
  project_id: string;
  key: string;
  name: string;
  /** The name as names are sorted. */
  sort_name: Generated<string>;
  /** Key and name in small letters, for searching. */
  words: string;
  /** Of the few that have one. */
  purpose: Generated<string | null>;
  tags: string;
  is_temporary: number;
  /** `live`, `deprecated` or `archived`. */
  state: string;
  /** 1 for mobile keys, 2 for client-side IDs, 3 for both. */
  availability: number;
  maintainer_id: string | null;
  maintainer_team: string | null;
  version: number;
  created_at: number;
  doc: string;
}

export interface FlagConfigRow {
  flag_id: string;
  environment_id: string;
  is_on: number;
  version: number;
  modified_at: number;
  doc: string;
}

/** The version a deleted flag had, so that one of the same key begins above it: SDKs take nothing older. */
export interface FlagGraveRow {
  project_id: string;
  key: string;
  version: number;
}
