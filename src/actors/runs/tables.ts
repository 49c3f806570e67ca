// The tables of runs.
import type { Generated } from 'kysely';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    runs: RunRow;
    run_counts: { scope: string; total: number };
    run_charges: RunChargeRow;
    run_steps: RunStepRow;
    run_calls: RunCallRow;
    run_flags: RunFlagRow;
  }
}

export interface RunCallRow {
  run_id: string;
  /** Empty where the calls are those of operations for which there was no room. */
  api: string;
  operation: string;
  calls: number;
  refused: number;
  failed: number;
  first_at: number;
  last_at: number;
  last_status: number;
}

export interface RunFlagRow {
  run_id: string;
  environment_id: string;
  flag_key: string;
  /** -1 where the default value in the code applied. */
  variation: number;
  /** 0 where the SDK did not know the flag. */
  version: number;
  /** As JSON. */
  value: string | null;
  /** The last one, as JSON. */
  reason: string | null;
  reads: number;
  first_at: number;
  last_at: number;
}

/** The key that makes a repeated charge count once. */
export interface RunChargeRow {
  run_id: string;
  key: string;
  charged_at: number;
}

export interface RunStepRow {
  /** Increases with time. */
  seq: Generated<number>;
  run_id: string;
  kind: string;
  at: number;
  /** As JSON. */
  details: string;
}

export interface RunRow {
  id: string;
  /** The Actor that runs now: a metamorph changes it. */
  actor_id: string;
  user_id: string;
  task_id: string | null;
  build_id: string;
  build_number: string;
  status: string;
  status_message: string | null;
  is_message_terminal: number;
  origin: string;
  /** Address and user agent of the call that started it, as JSON. */
  meta: string;
  options: string;
  memory_mbytes: number;
  stats: string;
  exit_code: number | null;
  started_at: number;
  finished_at: number | null;
  /** When it times out; null where it may take any time. */
  timeout_at: number | null;
  dataset_id: string;
  store_id: string;
  queue_id: string;
  /** Ids of further storages by kind and alias, as JSON. */
  aliases: string | null;
  /** The key of the record with its input. */
  input_key: string;
  general_access: string;
  permission_level: string;
  /** Of the Actor when the run was started, as JSON. */
  pricing: string | null;
  /** Counts by the name of the event, as JSON. */
  charged_events: string;
  metamorphs: string;
  /** Of the token that its process has; each process gets a new one. */
  token_hash: string | null;
  /** Whether its process has answered a request. */
  is_server_ready: number;
  /** Of its initiator, so that the boundary is kept. */
  boundary_id: string | null;
}
