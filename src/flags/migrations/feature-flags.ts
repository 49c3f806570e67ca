// Flags: what is the same everywhere, and the configuration in each environment.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const featureFlagMigrations: Migration[] = [
  {
    name: 'flags-feature-flags',
    up: () => [
      `create table flags (
         id text primary key, project_id text not null references projects (id) on delete cascade,
         key text not null, name text not null, words text not null, tags text not null,
         is_temporary integer not null, state text not null, availability integer not null,
         maintainer_id text, maintainer_team text, version integer not null, created_at bigint not null,
         doc text not null, unique (project_id, key))`,
      `create table flag_configs (
         flag_id text not null references flags (id) on delete cascade,
         environment_id text not null references environments (id) on delete cascade,
         is_on integer not null, version integer not null, modified_at bigint not null, doc text not null,
         primary key (flag_id, environment_id))`,
      `create index flag_configs_environment on flag_configs (environment_id, flag_id)`,
      `create table flag_graves (
         project_id text not null references projects (id) on delete cascade,
         key text not null, version integer not null, primary key (project_id, key))`,
    ],
  },
];
