// The tables of accounts: limits, secrets and daily usage.
import type { Migration } from '../../kernel/storage/migrate.ts';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    actor_accounts: {
      user_id: string;
      /** Signs the objects that the account encodes; never shown. */
      secret: string;
      proxy_password: string;
      /** Null where the account has set none. */
      max_monthly_usage_usd: number | null;
      data_retention_days: number | null;
    };
    actor_usage: {
      user_id: string;
      /** Midnight UTC. */
      day: number;
      service: string;
      /** In the unit of the service; transfers in bytes. */
      quantity: number;
    };
  }
}

export const userMigrations: Migration[] = [
  {
    name: 'actors-accounts',
    up: ({ text }) => [
      `create table actor_accounts (
         user_id ${text} primary key, secret ${text} not null, proxy_password ${text} not null,
         max_monthly_usage_usd double precision, data_retention_days integer)`,
      `create table actor_usage (
         user_id ${text} not null, day bigint not null, service ${text} not null, quantity bigint not null,
         primary key (user_id, day, service))`,
      // Each account has its own retention.
      `drop index storages_unnamed`,
      `create index storages_unnamed on storages (user_id, accessed_at) where name is null`,
    ],
  },
  {
    // For what all accounts together have used.
    name: 'actors-usage-by-day',
    up: () => [`create index actor_usage_by_day on actor_usage (day, user_id, service)`],
  },
];
