// The tables of events: what webhooks receive, and what feeds show.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const hostEventMigrations: Migration[] = [
  {
    name: 'host-events',
    up: ({ serial, text }) => [
      `create table host_events (
         number ${serial}, at bigint not null, name ${text} not null, action ${text}, actor_id ${text},
         repository_number bigint, organization_id ${text}, is_public integer not null,
         feed ${text}, details ${text} not null, snapshot ${text} not null)`,
      `create index host_events_repository on host_events (repository_number, number)`,
      `create index host_events_organization on host_events (organization_id, number) where repository_number is null`,
      // One index for all feeds: no statistics can lead a planner to read another from its end.
      `create table host_feeds (
         feed ${text} not null, is_public integer not null,
         event_number bigint not null references host_events (number) on delete cascade,
         repository_number bigint not null, primary key (feed, is_public, event_number))`,
      `create index host_feeds_event on host_feeds (event_number)`,
    ],
  },
  {
    name: 'host-app-events',
    up: () => [
      `alter table host_events add column app_number bigint`,
      `create index host_events_app on host_events (app_number, number) where app_number is not null`,
    ],
  },
];
