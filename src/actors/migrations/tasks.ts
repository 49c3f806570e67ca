// The tables of tasks.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const taskMigrations: Migration[] = [
  {
    name: 'actors-tasks',
    up: ({ text }) => [
      `create table tasks (
         id ${text} primary key, user_id ${text} not null, actor_id ${text} not null references actors (id) on delete cascade,
         name ${text} not null, title ${text}, options ${text} not null, details ${text} not null, build ${text},
         standby_build ${text}, total_runs bigint not null, last_run_started_at bigint not null,
         created_at bigint not null, modified_at bigint not null)`,
      `create unique index tasks_name on tasks (user_id, lower(name))`,
      `create index tasks_created on tasks (user_id, created_at, id)`,
      // By Actor alone, too: its deletion deletes them.
      `create index tasks_build on tasks (actor_id, build)`,
      `create index tasks_standby_build on tasks (actor_id, standby_build) where standby_build is not null`,
      `create table task_inputs (
         task_id ${text} primary key references tasks (id) on delete cascade, input ${text} not null)`,
      `create index runs_of_task_by_status on runs (task_id, status, started_at, id) where task_id is not null`,
    ],
  },
  {
    name: 'actors-tasks-boundaries',
    up: ({ text }) => [
      `alter table tasks add column boundary_id ${text}`,
      `create index tasks_boundary on tasks (boundary_id) where boundary_id is not null`,
    ],
  },
];
