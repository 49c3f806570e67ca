// The tables of builds.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const buildMigrations: Migration[] = [
  {
    name: 'actors-builds',
    up: ({ text }) => [
      `create table builds (
         id ${text} primary key, actor_id ${text} not null, user_id ${text} not null, version_number ${text} not null,
         build_number ${text} not null, source_type ${text} not null, tag ${text}, status ${text} not null, status_message ${text}, exit_code integer,
         meta ${text} not null, options ${text} not null, stats ${text} not null, started_at bigint not null,
         finished_at bigint, sources ${text}, dependencies ${text}, runtime ${text}, definition ${text}, input_schema ${text},
         readme ${text}, changelog ${text})`,
      `create table build_snapshots (
         build_id ${text} primary key references builds (id) on delete cascade, env_vars ${text} not null, source ${text})`,
      `create unique index builds_number on builds (actor_id, build_number)`,
      `create index builds_of_actor on builds (actor_id, started_at, id)`,
      `create index builds_of_actor_and_user on builds (user_id, actor_id, started_at, id)`,
      `create index builds_of_user on builds (user_id, started_at, id)`,
      `create index builds_sources on builds (sources) where sources is not null`,
      `create index builds_dependencies on builds (dependencies) where dependencies is not null`,
    ],
  },
  {
    name: 'actors-builds-boundaries',
    up: ({ text }) => [
      `alter table builds add column boundary_id ${text}`,
      `create index builds_boundary on builds (boundary_id) where boundary_id is not null`,
    ],
  },
  {
    // What builds of earlier releases have printed was promised to be the owner's alone.
    name: 'actors-builds-public-logs',
    up: () => [`alter table builds add column has_public_log integer not null default 0`],
  },
  {
    name: 'actors-builds-commits',
    up: ({ text }) => [`alter table builds add column commit_oid ${text}`],
  },
];
