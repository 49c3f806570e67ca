// The table of webhooks and of audit-log subscriptions.
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
  {
    name: 'flags-webhooks-integrations',
    up: ({ text }) => [
      `alter table webhooks add column integration_key ${text}`,
      `alter table webhooks add column config ${text}`,
      'create index webhooks_integration on webhooks (integration_key, created_at, id)',
    ],
  },
  {
    name: 'flags-webhooks-saved-by',
    up: ({ text }) => [`alter table webhooks add column saved_by ${text}`],
  },
];
