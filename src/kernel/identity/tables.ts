// The tables of identity: members, their roles and teams, tokens and browser sessions.
import { secondFactorMigrations } from './second-factor/tables.ts';
import { externalLoginMigrations } from './external-logins/tables.ts';
import type { Generated } from 'kysely';
import { fillSortNames, type Migration } from '../storage/migrate.ts';

declare module '../storage/tables.ts' {
  interface Tables {
    members: {
      /** A small number, for the API whose clients expect numeric ids. */
      number: Generated<number>;
      id: string;
      username: string;
      email: string;
      password: string | null;
      first_name: string | null;
      last_name: string | null;
      /** The sort key of the displayed name. */
      sort_name: string;
      role: string;
      custom_roles: string;
      created_at: number;
      updated_at: number;
      last_seen_at: number | null;
      /** The token of the last call; null for a browser. */
      last_seen_token: string | null;
      /** Values for the placeholders of their custom roles: a JSON object of lists. */
      role_attributes: string | null;
      version: Generated<number>;
      /** The row of a removed member stays, because audit entries and service tokens refer to it. */
      removed_at: number | null;
    };
    roles: {
      id: string;
      key: string;
      name: string;
      description: string;
      policy: string;
      base_role: string;
      created_at: number;
      category: string | null;
      version: Generated<number>;
    };
    teams: {
      id: string;
      key: string;
      name: string;
      description: string;
      role_attributes: string;
      version: number;
      created_at: number;
      updated_at: number;
    };
    team_members: { team_id: string; member_id: string };
    team_roles: { team_id: string; role_id: string; applied_at: number };
    /** Permissions on a team for members outside it. `actions` is a JSON list, or the name of a set of actions. */
    team_grants: { team_id: string; member_id: string; actions: string };
    tokens: {
      id: string;
      member_id: string;
      is_service: number;
      name: string;
      description: string;
      hash: string;
      ending: string;
      old_hash: string | null;
      old_until: number | null;
      role: string | null;
      custom_roles: string;
      inline_policy: string | null;
      default_api_version: number | null;
      created_at: number;
      modified_at: number;
      last_used_at: number | null;
      expires_at: number | null;
      version: number;
      /** Of the last use; null in tokens that were last used before these were recorded. */
      last_used_address: Generated<string | null>;
      last_used_api: Generated<string | null>;
      /** The id of the operation; null where there was none at the path. */
      last_used_operation: Generated<string | null>;
    };
    /** How many calls a token made in an hour, by API and category of rate limits. */
    token_hours: {
      token_id: string;
      /** When it began. */
      hour: number;
      api: string;
      category: string;
      calls: number;
      /** Of these calls, those over a rate limit. */
      refused: number;
    };
    /** The same by operation; empty where there was none at the path. */
    token_operations: {
      token_id: string;
      hour: number;
      api: string;
      category: string;
      operation: string;
      calls: number;
      refused: number;
    };
    /** The last calls of a token that were over a rate limit. */
    token_refusals: {
      token_id: string;
      at: number;
      call_id: string;
      api: string;
      category: string;
      operation: string;
    };
    /** The account of a service token, with a username and a number of its own. */
    service_accounts: { number: Generated<number>; token_id: string; username: string };
    /** The accounts of programs that an API knows by itself; they own nothing and have no token of the kernel's. */
    bot_accounts: {
      number: Generated<number>;
      id: string;
      username: string;
      name: string;
      created_at: number;
      updated_at: number;
    };
    /** The names that are taken, in lower case, and by what: `member`, `organization` or `path`. */
    reserved_names: { name: string; reserved_for: string };
    sessions: {
      hash: string;
      member_id: string;
      created_at: number;
      expires_at: number;
      /** Of the secret that pages hold; null in sessions from before there was one. */
      page_hash: string | null;
      /** Where it was opened, and by which program; null in sessions from before this was recorded. */
      address: string | null;
      agent: string | null;
      seen_at: number | null;
      /** The purpose of the link that opened it; null where a password did, or when it has set one. */
      link_purpose: string | null;
    };
    login_links: { hash: string; member_id: string; expires_at: number; purpose: string };
    /** By the hash of `layers`, a JSON list of what tokens allow. */
    permission_boundaries: { id: string; layers: string; used_at: number };
  }
}

const SHOWN_NAME = `coalesce(nullif(trim(coalesce(first_name, '') || ' ' || coalesce(last_name, '')), ''), email)`;

export const identityMigrations: Migration[] = [
  {
    name: 'kernel-identity',
    up: ({ serial, text }) => [
      `create table members (
         number ${serial}, id ${text} not null unique, username ${text} not null unique, email ${text} not null unique,
         password ${text}, first_name ${text}, last_name ${text}, role ${text} not null, custom_roles ${text} not null,
         created_at bigint not null, updated_at bigint not null, last_seen_at bigint)`,
      `create table roles (
         id ${text} primary key, key ${text} not null unique, name ${text} not null, description ${text} not null,
         policy ${text} not null, base_role ${text} not null, created_at bigint not null)`,
      `create table tokens (
         id ${text} primary key, member_id ${text} not null references members (id) on delete cascade,
         is_service integer not null, name ${text} not null, description ${text} not null,
         hash ${text} not null unique, ending ${text} not null, old_hash ${text} unique, old_until bigint,
         role ${text}, custom_roles ${text} not null, inline_policy ${text}, default_api_version bigint,
         created_at bigint not null, modified_at bigint not null, last_used_at bigint, expires_at bigint,
         version integer not null)`,
      `create index tokens_created on tokens (created_at, id)`,
      `create index tokens_member on tokens (member_id, created_at, id)`,
      `create index tokens_service on tokens (is_service, created_at, id)`,
      `create index tokens_expires on tokens (expires_at)`,
      `create table sessions (
         hash ${text} primary key, member_id ${text} not null references members (id) on delete cascade,
         created_at bigint not null, expires_at bigint not null)`,
      `create index sessions_member on sessions (member_id)`,
      `create index sessions_expires on sessions (expires_at)`,
      `create table login_links (
         hash ${text} primary key, member_id ${text} not null references members (id) on delete cascade,
         expires_at bigint not null)`,
      `create index login_links_expires on login_links (expires_at)`,
    ],
  },
  {
    name: 'kernel-identity-teams',
    up: ({ text }) => [
      `alter table members add column last_seen_token ${text}`,
      `alter table members add column role_attributes ${text}`,
      `alter table members add column version integer not null default 1`,
      `alter table members add column removed_at bigint`,
      `create index members_lower_email on members (lower(email))`,
      `create index members_with_roles on members (id) where custom_roles <> '[]'`,
      `create index tokens_with_roles on tokens (id) where custom_roles <> '[]'`,
      `alter table roles add column category ${text}`,
      `alter table roles add column version integer not null default 1`,
      `create index roles_created on roles (created_at, key)`,
      `create table teams (
         id ${text} primary key, key ${text} not null unique, name ${text} not null, description ${text} not null,
         role_attributes ${text} not null, version integer not null, created_at bigint not null,
         updated_at bigint not null)`,
      `create index teams_created on teams (created_at, key)`,
      `create table team_members (
         team_id ${text} not null references teams (id) on delete cascade,
         member_id ${text} not null references members (id) on delete cascade,
         primary key (team_id, member_id))`,
      `create index team_members_member on team_members (member_id)`,
      `create table team_roles (
         team_id ${text} not null references teams (id) on delete cascade,
         role_id ${text} not null references roles (id) on delete cascade,
         applied_at bigint not null, primary key (team_id, role_id))`,
      `create index team_roles_role on team_roles (role_id)`,
      `create table team_grants (
         team_id ${text} not null references teams (id) on delete cascade,
         member_id ${text} not null references members (id) on delete cascade,
         actions ${text} not null, primary key (team_id, member_id, actions))`,
      `create index team_grants_member on team_grants (member_id)`,
    ],
  },
  {
    name: 'kernel-identity-service-accounts',
    up: ({ serial, text }) => [
      `create table service_accounts (
         number ${serial}, token_id ${text} not null unique references tokens (id) on delete cascade,
         username ${text} not null unique)`,
    ],
  },
  {
    name: 'kernel-identity-sort-names',
    up: ({ text }) => [
      `alter table members add column sort_name ${text} not null default ''`,
      `update members set sort_name = lower(${SHOWN_NAME})`,
      `create index members_sort_name on members (sort_name, number)`,
    ],
    fill: (tx) => fillSortNames(tx, 'members', SHOWN_NAME),
  },
  {
    name: 'kernel-identity-reserved-names',
    up: ({ text }) => [
      `create table reserved_names (name ${text} primary key, reserved_for ${text} not null)`,
      `insert into reserved_names (name, reserved_for)
         select distinct lower(username), 'member' from members where removed_at is null`,
      `create index members_lower_username on members (lower(username))`,
    ],
  },
  {
    name: 'kernel-identity-bot-accounts',
    up: ({ serial, text }) => [
      `create table bot_accounts (
         number ${serial}, id ${text} not null unique, username ${text} not null unique, name ${text} not null,
         created_at bigint not null, updated_at bigint not null)`,
    ],
  },
  {
    name: 'kernel-identity-boundaries',
    up: ({ text }) => [
      `create table permission_boundaries (id ${text} primary key, layers ${text} not null, used_at bigint not null)`,
      `create index permission_boundaries_used on permission_boundaries (used_at)`,
    ],
  },
  {
    name: 'kernel-identity-page-secrets',
    up: ({ text }) => [`alter table sessions add column page_hash ${text}`],
  },
  {
    name: 'kernel-identity-session-origins',
    up: ({ text }) => [
      `alter table sessions add column address ${text}`,
      `alter table sessions add column agent ${text}`,
      `alter table sessions add column seen_at bigint`,
      `drop index sessions_member`,
      `create index sessions_member on sessions (member_id, created_at, hash)`,
    ],
  },
  {
    name: 'kernel-identity-link-purposes',
    up: ({ text }) => [
      `alter table login_links add column purpose ${text} not null default 'login'`,
      `update login_links set purpose = 'invitation'
         where member_id in (select id from members where last_seen_at is null and password is null)`,
      `create index login_links_member on login_links (member_id, expires_at)`,
      `alter table sessions add column link_purpose ${text}`,
      `create index members_by_role on members (role, sort_name, number) where removed_at is null`,
    ],
  },
  {
    name: 'kernel-identity-token-uses',
    up: ({ text }) => [
      `alter table tokens add column last_used_address ${text}`,
      `alter table tokens add column last_used_api ${text}`,
      `alter table tokens add column last_used_operation ${text}`,
      `create table token_hours (
         token_id ${text} not null references tokens (id) on delete cascade, hour bigint not null, api ${text} not null,
         category ${text} not null, calls bigint not null, refused bigint not null,
         primary key (token_id, hour, api, category))`,
      `create index token_hours_hour on token_hours (hour, token_id)`,
    ],
  },
  {
    name: 'kernel-identity-token-operations',
    up: ({ text }) => [
      `create table token_operations (
         token_id ${text} not null references tokens (id) on delete cascade, hour bigint not null, api ${text} not null,
         category ${text} not null, operation ${text} not null, calls bigint not null, refused bigint not null,
         primary key (token_id, hour, api, category, operation))`,
      `create index token_operations_hour on token_operations (hour, token_id)`,
      `create table token_refusals (
         token_id ${text} not null references tokens (id) on delete cascade, at bigint not null, call_id ${text} not null,
         api ${text} not null, category ${text} not null, operation ${text} not null,
         primary key (token_id, at, call_id))`,
      `create index token_refusals_at on token_refusals (at)`,
    ],
  },
  ...secondFactorMigrations,
  ...externalLoginMigrations,
];
