// The table of events: what feeds show, and what webhooks are told.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const eventMigrations: Migration[] = [
  {
    name: 'host-events',
    up: ({ serial, text }) => [
      `create table host_events (
         number ${serial}, at bigint not null, name ${text} not null, action ${text}, actor_id ${text},
         repository_number bigint, network_number bigint, organization_id ${text},
         is_public integer not null, feed ${text}, details ${text} not null, snapshot ${text} not null)`,
      // The queues that webhooks are told from.
      `create index host_events_repository on host_events (repository_number, number)`,
      `create index host_events_organization on host_events (organization_id, number) where repository_number is null`,
      // One for each feed. They hold the repository, so that most of a feed is read from its index alone.
      `create index host_feed_public on host_events (number, repository_number) where feed is not null and is_public = 1`,
      `create index host_feed_repository on host_events (repository_number, number, is_public) where feed is not null`,
      `create index host_feed_network on host_events (network_number, number, repository_number) where feed is not null and is_public = 1`,
      `create index host_feed_organization on host_events (organization_id, number, repository_number, is_public) where feed is not null`,
      `create index host_feed_actor on host_events (actor_id, number, repository_number, is_public) where feed is not null`,
    ],
  },
];
