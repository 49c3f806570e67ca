// The table of webhooks.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const flagsWebhookMigrations: Migration[] = [
  {
    name: 'flags-webhooks',
    up: ({ text }) => [
      `create table webhooks (
         id ${text} primary key, name ${text} not null, url ${text} not null, is_on integer not null, secret ${text},
         tags ${text} not null, statements ${text} not null, version integer not null, created_at bigint not null)`,
      `create index webhooks_created on webhooks (created_at, id)`,
      `create index webhooks_on on webhooks (is_on)`,
    ],
  },
];
