// The table of builds.
import type { Generated } from 'kysely';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    builds: BuildRow;
    build_snapshots: BuildSnapshotRow;
  }
}

export interface BuildRow {
  id: string;
  actor_id: string;
  user_id: string;
  version_number: string;
  /** `MAJOR.MINOR.N` */
  build_number: string;
  source_type: string;
  /** The tag that the Actor gets when the build succeeds. */
  tag: string | null;
  status: string;
  status_message: string | null;
  exit_code: number | null;
  /** Origin, address and user agent of the call, as JSON. */
  meta: string;
  options: string;
  stats: string;
  started_at: number;
  finished_at: number | null;
  /** The hash of the built sources, by which their blob and their folder are named; null until the build succeeds. */
  sources: string | null;
  /** The id of the commit that they come from; null for other sources. */
  commit_oid: Generated<string | null>;
  /** The key of the folder with installed dependencies; null where there are none. */
  dependencies: string | null;
  /** How it is started and how dependencies are installed, as JSON; null until the build succeeds. */
  runtime: string | null;
  /** `.actor/actor.json` with the schemas that it refers to, as JSON. */
  definition: string | null;
  /** The input schema as JSON text. */
  input_schema: string | null;
  readme: string | null;
  changelog: string | null;
  /** Of its initiator, so that the boundary is kept. */
  boundary_id: Generated<string | null>;
  /** 0 for builds of earlier releases, whose logs stay the owner's alone. */
  has_public_log: Generated<number>;
}

/** What a build uses of its version. */
export interface BuildSnapshotRow {
  build_id: string;
  source: string | null;
  env_vars: string;
}
