// The tables of schedules, their actions and their logs.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const scheduleMigrations: Migration[] = [
  {
    name: 'actors-schedules',
    up: ({ serial, text }) => [
      `create table schedules (
         id ${text} primary key, user_id ${text} not null, name ${text} not null, title ${text}, description ${text},
         cron_expression ${text} not null, timezone ${text} not null, is_enabled integer not null,
         is_exclusive integer not null, sends_email integer not null, initiator ${text} not null, next_run_at bigint,
         last_run_at bigint, created_at bigint not null, modified_at bigint not null)`,
      `create unique index schedules_name on schedules (user_id, lower(name))`,
      `create index schedules_created on schedules (user_id, created_at, id)`,
      `create table schedule_actions (
         id ${text} primary key, schedule_id ${text} not null references schedules (id) on delete cascade,
         position integer not null, type ${text} not null, target_id ${text} not null, run_options ${text}, input ${text},
         last_run_id ${text}, last_moment bigint)`,
      `create index schedule_actions_of_schedule on schedule_actions (schedule_id, position)`,
      `create index schedule_actions_of_target on schedule_actions (target_id)`,
      `create table schedule_log (
         seq ${serial}, schedule_id ${text} not null references schedules (id) on delete cascade, level ${text} not null,
         message ${text} not null, created_at bigint not null)`,
      `create index schedule_log_of_schedule on schedule_log (schedule_id, seq)`,
    ],
  },
  {
    name: 'actors-schedules-boundaries',
    up: ({ text }) => [
      `alter table schedules add column boundary_id ${text}`,
      `create index schedules_boundary on schedules (boundary_id) where boundary_id is not null`,
    ],
  },
];
