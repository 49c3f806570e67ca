// The tables of runs.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const runMigrations: Migration[] = [
  {
    name: 'actors-runs',
    up: ({ text }) => [
      `create table runs (
         id ${text} primary key, actor_id ${text} not null, user_id ${text} not null, task_id ${text},
         build_id ${text} not null, build_number ${text} not null, status ${text} not null, status_message ${text},
         is_message_terminal integer not null, origin ${text} not null, meta ${text} not null, options ${text} not null,
         memory_mbytes integer not null, stats ${text} not null, exit_code integer, started_at bigint not null,
         finished_at bigint, timeout_at bigint, dataset_id ${text} not null, store_id ${text} not null,
         queue_id ${text} not null, input_key ${text} not null, general_access ${text} not null,
         permission_level ${text} not null, charged_events ${text} not null, metamorphs ${text} not null,
         token_hash ${text})`,
      `create index runs_of_user on runs (user_id, started_at, id)`,
      `create index runs_of_actor on runs (actor_id, started_at, id)`,
      // For the retention, which goes by account and Actor, and for lists of a public Actor that many accounts run.
      `create index runs_of_actor_and_user on runs (user_id, actor_id, started_at, id)`,
      `create index runs_of_task on runs (task_id, started_at, id) where task_id is not null`,
      `create index runs_of_user_by_status on runs (user_id, status, started_at, id)`,
      `create index runs_of_actor_by_status on runs (actor_id, status, started_at, id)`,
      `create index runs_unfinished on runs (user_id, memory_mbytes) where finished_at is null`,
      `create index runs_of_build on runs (build_id)`,
      `create table run_counts (scope ${text} primary key, total bigint not null)`,
      `create table run_charges (
         run_id ${text} not null references runs (id) on delete cascade, key ${text} not null, charged_at bigint not null,
         primary key (run_id, key))`,
      `create unique index runs_token on runs (token_hash) where token_hash is not null`,
    ],
  },
  {
    name: 'actors-runs-server-ready',
    up: () => ['alter table runs add column is_server_ready integer not null default 0'],
  },
  {
    name: 'actors-runs-boundaries',
    up: ({ text }) => [
      `alter table runs add column boundary_id ${text}`,
      `create index runs_boundary on runs (boundary_id) where boundary_id is not null`,
    ],
  },
  {
    name: 'actors-users-of-actors',
    up: ({ text }) => [
      `alter table actors add column total_users bigint not null default 0`,
      `create table actor_users (
         actor_id ${text} not null references actors (id) on delete cascade, user_id ${text} not null,
         last_run_at bigint not null, primary key (actor_id, user_id))`,
      `create index actor_users_recent on actor_users (actor_id, last_run_at)`,
      `create index actor_users_user on actor_users (user_id, actor_id)`,
      // Of the runs that are still there. Those that have changed their Actor began with another.
      `insert into actor_users (actor_id, user_id, last_run_at)
         select runs.actor_id, runs.user_id, max(runs.started_at) from runs join actors on actors.id = runs.actor_id
         where runs.metamorphs = '[]' group by runs.actor_id, runs.user_id`,
      `update actors set total_users = (select count(*) from actor_users where actor_users.actor_id = actors.id)`,
    ],
  },
  {
    name: 'actors-runs-pricing',
    up: ({ text }) => [`alter table runs add column pricing ${text}`],
  },
  {
    name: 'actors-runs-aliases',
    up: ({ text }) => [`alter table runs add column aliases ${text}`],
  },
  {
    // Without a foreign key: a program that starts a run would wait for the transactions that lock its own.
    name: 'actors-runs-steps',
    up: ({ serial, text }) => [
      `create table run_steps (
         seq ${serial}, run_id ${text} not null, kind ${text} not null, at bigint not null, details ${text} not null)`,
      `create index run_steps_of_run on run_steps (run_id, kind, seq)`,
    ],
  },
  {
    name: 'actors-runs-calls',
    up: ({ text }) => [
      `create table run_calls (
         run_id ${text} not null, api ${text} not null, operation ${text} not null, calls bigint not null,
         refused bigint not null, failed bigint not null, first_at bigint not null, last_at bigint not null,
         last_status integer not null, primary key (run_id, api, operation))`,
      `create index run_calls_by_last on run_calls (last_at)`,
    ],
  },
  {
    // For what all accounts together have run.
    name: 'actors-runs-by-start',
    up: () => [`create index runs_by_start on runs (started_at, id)`],
  },
  {
    name: 'actors-runs-flags',
    up: ({ text }) => [
      `create table run_flags (
         run_id ${text} not null, environment_id ${text} not null, flag_key ${text} not null, variation integer not null,
         version bigint not null, value ${text}, reason ${text}, reads bigint not null, first_at bigint not null,
         last_at bigint not null, primary key (run_id, environment_id, flag_key, variation, version))`,
      `create index run_flags_by_last on run_flags (last_at)`,
    ],
  },
];
