// The tables of schedules.
import type { Generated } from 'kysely';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    schedules: ScheduleRow;
    schedule_actions: ScheduleActionRow;
    schedule_log: ScheduleLogRow;
  }
}

export interface ScheduleRow {
  id: string;
  user_id: string;
  name: string;
  title: string | null;
  description: string | null;
  cron_expression: string;
  timezone: string;
  is_enabled: number;
  is_exclusive: number;
  sends_email: number;
  /** Whose permissions its runs have, as JSON. */
  initiator: string;
  /** Of its initiator, so that the boundary is kept. */
  boundary_id: Generated<string | null>;
  /** The moment that fires next, or that is firing now; null while it is disabled. */
  next_run_at: number | null;
  last_run_at: number | null;
  created_at: number;
  modified_at: number;
}

export interface ScheduleActionRow {
  id: string;
  schedule_id: string;
  position: number;
  type: string;
  /** The Actor, or the task. */
  target_id: string;
  run_options: string | null;
  /** Sealed, because it may have secrets. */
  input: string | null;
  /** Its latest run, for exclusive schedules. */
  last_run_id: string | null;
  /** The moment of the schedule that this action has done last. */
  last_moment: number | null;
}

export interface ScheduleLogRow {
  seq: Generated<number>;
  schedule_id: string;
  level: string;
  message: string;
  created_at: number;
}
