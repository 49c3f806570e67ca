// The tables of apps, their installations and the tokens of these.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const appMigrations: Migration[] = [
  {
    name: 'host-apps',
    up: ({ serial, text }) => [
      `create table host_apps (
         number ${serial}, slug ${text} not null, client_id ${text} not null unique, owner_id ${text} not null,
         bot_id ${text} not null, name ${text} not null, description ${text}, external_url ${text} not null,
         is_public integer not null, permissions ${text} not null, events ${text} not null, urls ${text} not null,
         client_secret_hash ${text}, hook_url ${text}, hook_active integer not null,
         hook_content_type ${text} not null, hook_insecure_ssl integer not null, hook_secret ${text},
         rights_revision integer not null default 0, lost_rights ${text} not null default '{}',
         created_at bigint not null, updated_at bigint not null, deleted_at bigint)`,
      `create unique index host_apps_slug on host_apps (slug) where deleted_at is null`,
      `create index host_apps_owner on host_apps (owner_id, number)`,
      `create table host_app_keys (
         number ${serial}, app_number bigint not null, public_key ${text} not null, created_at bigint not null)`,
      `create index host_app_keys_app on host_app_keys (app_number, number)`,
      `create table host_installations (
         number ${serial}, app_number bigint not null, account_id ${text} not null, target_type ${text} not null,
         repository_selection ${text} not null, permissions ${text} not null, events ${text} not null,
         rights_revision integer not null default 0, suspended_at bigint, suspended_by ${text}, created_at bigint not null, updated_at bigint not null,
         removed_at bigint)`,
      // An app is installed on an account once; while background work removes an installation, it may be installed anew.
      `create unique index host_installations_once on host_installations (app_number, account_id) where removed_at is null`,
      `create index host_installations_app on host_installations (app_number, number)`,
      `create index host_installations_account on host_installations (account_id, number)`,
      `create table host_installation_repositories (
         installation_number bigint not null, repository_number bigint not null,
         primary key (installation_number, repository_number))`,
      `create index host_installation_repositories_repository on host_installation_repositories (repository_number)`,
      `create table host_installation_tokens (
         hash ${text} primary key, installation_number bigint not null, permissions ${text} not null,
         repositories ${text}, created_at bigint not null, expires_at bigint not null)`,
      `create index host_installation_tokens_installation on host_installation_tokens (installation_number)`,
      `create index host_installation_tokens_expires on host_installation_tokens (expires_at)`,
    ],
  },
];
