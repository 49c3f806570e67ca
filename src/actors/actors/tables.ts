// The tables of Actors, their versions and their tagged builds.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    actors: ActorRow;
    actor_versions: VersionRow;
    actor_tags: TagRow;
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
  total_builds: number;
  total_runs: number;
  total_metamorphs: number;
  last_run_started_at: number | null;
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
  build_tag: string | null;
  /** JSON; the values of secret ones are sealed. */
  env_vars: string;
  applies_env_vars_to_build: number;
  /** The last number given to a build of this version. */
  last_build: number;
  created_at: number;
}

export interface TagRow {
  actor_id: string;
  tag: string;
  build_id: string;
}
