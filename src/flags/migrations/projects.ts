// The tables of projects and environments.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const projectMigrations: Migration[] = [
  {
    name: 'flags-projects',
    up: ({ text }) => [
      `create table projects (
         id ${text} primary key, key ${text} not null unique, name ${text} not null, tags ${text} not null,
         version integer not null, created_at bigint not null, doc ${text} not null)`,
      `create index projects_created on projects (created_at, key)`,
      `create table environments (
         id ${text} primary key, project_id ${text} not null references projects (id) on delete cascade,
         key ${text} not null, name ${text} not null, tags ${text} not null, is_critical integer not null,
         sdk_key ${text} not null unique, old_sdk_key ${text} unique, old_sdk_until bigint,
         mobile_key ${text} not null unique, old_mobile_key ${text} unique, old_mobile_until bigint,
         client_id ${text} not null unique, old_client_id ${text} unique, old_client_until bigint, version integer not null, created_at bigint not null,
         doc ${text} not null, unique (project_id, key))`,
      `create index environments_created on environments (project_id, created_at, key)`,
    ],
  },
];
