// The tables of pushes: those that go on, and the values of references that were last recorded.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const pushMigrations: Migration[] = [
  {
    name: 'host-pushes',
    up: ({ text }) => [
      // 0 until the references were recorded once; then it counts how often they were, so that a reader sees that they changed.
      `alter table repositories add column refs_version bigint not null default 0`,
      `create table host_refs (
         repository_number bigint not null references repositories (number) on delete cascade, name ${text} not null,
         oid ${text} not null, primary key (repository_number, name))`,
      `create table host_pushes (
         id ${text} primary key, repository_number bigint not null references repositories (number) on delete cascade,
         pusher ${text} not null, begun_at bigint not null, changes ${text})`,
      `create index host_pushes_of_repository on host_pushes (repository_number, begun_at)`,
    ],
  },
  {
    name: 'host-pushes-work-renamed',
    up: () => [
      `update due set kind = 'host.record-push', id = replace(id, 'host.tell-push:', 'host.record-push:')
         where kind = 'host.tell-push'`,
    ],
  },
  {
    name: 'host-pushes-inflated-bytes',
    up: () => [`alter table repositories add column inflated_bytes bigint not null default 0`],
  },
];
