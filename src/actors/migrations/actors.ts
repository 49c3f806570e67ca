// The tables of Actors, their versions and their tagged builds.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const actorMigrations: Migration[] = [
  {
    name: 'actors-actors',
    up: ({ text }) => [
      `create table actors (
         id ${text} primary key, user_id ${text} not null, name ${text} not null, title ${text}, description ${text},
         is_public integer not null, permission_level ${text} not null, run_options ${text} not null, details ${text} not null,
         total_builds bigint not null, total_runs bigint not null, total_metamorphs bigint not null,
         last_run_started_at bigint not null, created_at bigint not null, modified_at bigint not null)`,
      `create unique index actors_name on actors (user_id, lower(name))`,
      `create index actors_created on actors (user_id, created_at, id)`,
      `create index actors_last_run on actors (user_id, last_run_started_at, id)`,
      `create table actor_versions (
         actor_id ${text} not null references actors (id) on delete cascade, number ${text} not null,
         source_type ${text} not null, source ${text} not null, source_bytes bigint not null, build_tag ${text},
         env_vars ${text} not null, applies_env_vars_to_build integer not null, position integer not null,
         created_at bigint not null, primary key (actor_id, number))`,
      `create table actor_build_numbers (
         actor_id ${text} not null references actors (id) on delete cascade, version_number ${text} not null,
         last_build integer not null, primary key (actor_id, version_number))`,
      `create table actor_tags (
         actor_id ${text} not null references actors (id) on delete cascade, tag ${text} not null, build_id ${text} not null,
         primary key (actor_id, tag))`,
      `create index actor_tags_build on actor_tags (build_id)`,
    ],
  },
  {
    name: 'actors-build-on-push',
    up: ({ text }) => [
      'alter table actor_versions add column builds_on_push integer not null default 0',
      `alter table actor_versions add column pushed_repository ${text}`,
      'create index actor_versions_pushed on actor_versions (pushed_repository) where pushed_repository is not null',
    ],
  },
  {
    name: 'actors-boundaries',
    up: ({ text }) => [
      `alter table actors add column boundary_id ${text}`,
      `create index actors_boundary on actors (boundary_id) where boundary_id is not null`,
      `alter table actor_versions add column boundary_id ${text}`,
      `create index actor_versions_boundary on actor_versions (boundary_id) where boundary_id is not null`,
    ],
  },
];
