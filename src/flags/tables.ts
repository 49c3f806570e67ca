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
  /** The other fields, as JSON. */
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
  /** Stored in plain text: clients read it from the API, and secure mode signs with it. */
  sdk_key: string;
  /** The key before the last reset, and until when it works; the same for the other two keys. */
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
  /** The sort key of the name. */
  sort_name: Generated<string>;
  /** Key and name in lower case, for searching. */
  words: string;
  /** Null for most flags. */
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

/** The last version of a deleted flag. A new flag with its key starts above it, because SDKs ignore older versions. */
export interface FlagGraveRow {
  project_id: string;
  key: string;
  version: number;
}
