// The tables of tasks.
import type { Generated } from 'kysely';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    tasks: TaskRow;
    task_inputs: TaskInputRow;
  }
}

export interface TaskRow {
  id: string;
  user_id: string;
  actor_id: string;
  name: string;
  title: string | null;
  /** The run options, as JSON; null where the Actor's are used. */
  options: string;
  /** All other fields that clients may set, as JSON. */
  details: string;
  /** The builds that `options` and the standby settings name, so that they can be found by them. */
  build: string | null;
  standby_build: string | null;
  /** Of the token that saved the standby settings. */
  boundary_id: Generated<string | null>;
  total_runs: number;
  /** 0 where it has never run. */
  last_run_started_at: number;
  created_at: number;
  modified_at: number;
}

/** Apart from the tasks, whose rows change with every run, because an input may have megabytes. */
export interface TaskInputRow {
  task_id: string;
  /** JSON; the values of secret fields are encrypted. */
  input: string;
}
