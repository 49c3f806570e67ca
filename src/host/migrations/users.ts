// The tables of what users say about themselves: profile, e-mail addresses, keys.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const hostUserMigrations: Migration[] = [
  {
    name: 'host-users',
    up: ({ serial, text }) => [
      `create table user_profiles (account_id ${text} primary key, profile ${text} not null, updated_at bigint not null)`,
      `create table user_emails (
         folded_email ${text} primary key, account_id ${text} not null, email ${text} not null, created_at bigint not null)`,
      `create index user_emails_account on user_emails (account_id, created_at, folded_email)`,
      `create table user_keys (
         number ${serial}, account_id ${text} not null, title ${text} not null, public_key ${text} not null,
         fingerprint ${text} not null, created_at bigint not null)`,
      `create unique index user_keys_fingerprint on user_keys (fingerprint)`,
      `create index user_keys_account on user_keys (account_id, number)`,
    ],
  },
];
