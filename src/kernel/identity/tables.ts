// The tables of identity: members, their roles, tokens and browser sessions.
import type { Generated } from 'kysely';
import type { Migration } from '../storage/migrate.ts';

declare module '../storage/tables.ts' {
  interface Tables {
    members: {
      /** A small number, for the API whose clients expect one. */
      number: Generated<number>;
      id: string;
      username: string;
      email: string;
      password: string | null;
      first_name: string | null;
      last_name: string | null;
      role: string;
      custom_roles: string;
      created_at: number;
      updated_at: number;
      last_seen_at: number | null;
    };
    roles: {
      id: string;
      key: string;
      name: string;
      description: string;
      policy: string;
      base_role: string;
      created_at: number;
    };
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
    };
    sessions: { hash: string; member_id: string; created_at: number; expires_at: number };
    login_links: { hash: string; member_id: string; expires_at: number };
  }
}

export const identityMigrations: Migration[] = [
  {
    name: 'kernel-identity',
    up: ({ serial }) => [
      `create table members (
         number ${serial}, id text not null unique, username text not null unique, email text not null unique,
         password text, first_name text, last_name text, role text not null, custom_roles text not null,
         created_at bigint not null, updated_at bigint not null, last_seen_at bigint)`,
      `create table roles (
         id text primary key, key text not null unique, name text not null, description text not null,
         policy text not null, base_role text not null, created_at bigint not null)`,
      `create table tokens (
         id text primary key, member_id text not null references members (id) on delete cascade,
         is_service integer not null, name text not null, description text not null,
         hash text not null unique, ending text not null, old_hash text unique, old_until bigint,
         role text, custom_roles text not null, inline_policy text, default_api_version bigint,
         created_at bigint not null, modified_at bigint not null, last_used_at bigint, expires_at bigint,
         version integer not null)`,
      `create index tokens_created on tokens (created_at, id)`,
      `create index tokens_member on tokens (member_id, created_at, id)`,
      `create index tokens_service on tokens (is_service, created_at, id)`,
      `create index tokens_expires on tokens (expires_at)`,
      `create table sessions (
         hash text primary key, member_id text not null references members (id) on delete cascade,
         created_at bigint not null, expires_at bigint not null)`,
      `create index sessions_member on sessions (member_id)`,
      `create index sessions_expires on sessions (expires_at)`,
      `create table login_links (
         hash text primary key, member_id text not null references members (id) on delete cascade,
         expires_at bigint not null)`,
      `create index login_links_expires on login_links (expires_at)`,
    ],
  },
];
