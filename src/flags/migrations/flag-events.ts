// The tables of what SDKs report: how often flags are evaluated, for which kinds of contexts, and which payloads have been counted.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const flagEventMigrations: Migration[] = [
  {
    name: 'flags-events',
    up: ({ text }) => [
      // No foreign keys: deleting an environment would cascade to millions of rows. A recurring task deletes them.
      `create table flag_evaluations (
         environment_id ${text} not null, flag_key ${text} not null, hour bigint not null, variation integer not null,
         version bigint not null, sdk ${text} not null, count bigint not null,
         primary key (environment_id, flag_key, hour, variation, version, sdk))`,
      `create index flag_evaluations_hour on flag_evaluations (environment_id, hour)`,
      `create table flag_event_payloads (
         environment_id ${text} not null, payload_id ${text} not null, received_at bigint not null,
         primary key (environment_id, payload_id))`,
      `create index flag_event_payloads_received on flag_event_payloads (received_at)`,
    ],
  },
  {
    name: 'flags-events-context-kinds',
    up: ({ text }) => [
      `create table flag_context_kinds (
         environment_id ${text} not null references environments (id) on delete cascade,
         flag_id ${text} not null references flags (id) on delete cascade,
         kind ${text} not null, seen_at bigint not null, primary key (environment_id, flag_id, kind))`,
      `create index flag_context_kinds_flag on flag_context_kinds (flag_id, kind)`,
      `create index flag_context_kinds_seen on flag_context_kinds (seen_at)`,
    ],
  },
];
