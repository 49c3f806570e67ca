// The tables of webhooks of repositories and organizations, and of the cursors of their events.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const hookMigrations: Migration[] = [
  {
    name: 'host-hooks',
    up: ({ serial, text }) => [
      `create table host_hooks (
         number ${serial}, repository_number bigint, organization_id ${text},
         target_number bigint not null, is_active integer not null,
         events ${text} not null, url ${text} not null, content_type ${text} not null, insecure_ssl integer not null,
         secret ${text}, after_event bigint not null, last_code integer, last_status ${text} not null, last_message ${text},
         created_at bigint not null, updated_at bigint not null)`,
      `create index host_hooks_repository on host_hooks (repository_number, number) where repository_number is not null`,
      `create index host_hooks_organization on host_hooks (organization_id, number) where organization_id is not null`,
      `create table host_hook_cursors (queue ${text} primary key, event_number bigint not null)`,
    ],
  },
  {
    name: 'host-hooks-work-renamed',
    up: () => [
      `update due set kind = 'host.deliver-events', id = replace(id, 'host.tell-hooks:', 'host.deliver-events:')
         where kind = 'host.tell-hooks'`,
    ],
  },
];
