// The tables of Actors, their versions and their tagged builds.
import type { Generated } from 'kysely';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    actors: ActorRow;
    actor_versions: VersionRow;
    actor_build_numbers: BuildNumberRow;
    actor_tags: TagRow;
    actor_users: ActorUserRow;
  }
}

export interface ActorRow {
  id: string;
  user_id: string;
  name: string;
  title: string | null;
  description: string | null;
  is_public: number;
  permission_level: string;
  /** The default run options, as JSON. */
  run_options: string;
  /** All other fields that clients may set, as JSON. */
  details: string;
  /** Of the token that saved the standby settings. */
  boundary_id: Generated<string | null>;
  total_builds: number;
  total_runs: number;
  total_metamorphs: number;
  /** The accounts that have started a run of it. */
  total_users: Generated<number>;
  /** 0 where it has never run: the engines sort nulls differently. */
  last_run_started_at: number;
  created_at: number;
  modified_at: number;
}

export interface VersionRow {
  actor_id: string;
  /** `MAJOR.MINOR` */
  number: string;
  source_type: string;
  /** The fields of the source type, as JSON: `sourceFiles`, `gitRepoUrl`, `tarballUrl` or `gitHubGistUrl`. */
  source: string;
  /** The size of `source`. */
  source_bytes: number;
  build_tag: string | null;
  /** JSON; the values of secret ones are sealed. */
  env_vars: string;
  applies_env_vars_to_build: number;
  builds_on_push: Generated<number>;
  /** The `owner/name` whose pushes start builds, in lower case. */
  pushed_repository: Generated<string | null>;
  /** Of the token that saved it: builds that pushes start read no more than that. */
  boundary_id: Generated<string | null>;
  /** Versions are listed in the order in which they were added. */
  position: number;
  created_at: number;
}

/** Apart from the versions: a version that is deleted and added again must not give numbers to builds that exist. */
export interface BuildNumberRow {
  actor_id: string;
  version_number: string;
  /** The last number given to a build of this version. */
  last_build: number;
}

/** An account that has run the Actor; it stays when its runs are deleted. */
export interface ActorUserRow {
  actor_id: string;
  user_id: string;
  last_run_at: number;
}

export interface TagRow {
  actor_id: string;
  tag: string;
  build_id: string;
}
