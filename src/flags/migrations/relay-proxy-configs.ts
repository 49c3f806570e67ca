// The tables of Relay Proxy configurations.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const relayProxyConfigMigrations: Migration[] = [
  {
    name: 'flags-relay-proxy-configs',
    up: ({ text }) => [
      `create table relay_proxy_configs (
         id ${text} primary key, name ${text} not null, policy ${text} not null, creator_id ${text} not null,
         hash ${text} not null unique, ending ${text} not null, old_hash ${text}, old_until bigint,
         version integer not null, created_at bigint not null, modified_at bigint not null)`,
      'create index relay_proxy_configs_created on relay_proxy_configs (created_at, id)',
      'create index relay_proxy_configs_old_hash on relay_proxy_configs (old_hash) where old_hash is not null',
    ],
  },
  {
    name: 'flags-relay-revisions',
    up: () => ['create table relay_revisions (id integer primary key, revision bigint not null)'],
  },
];
