// The table of jobs: builds and runs that wait for a node, or are executed by one.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const jobMigrations: Migration[] = [
  {
    name: 'actors-jobs',
    up: ({ text }) => [
      `create table jobs (
         id ${text} primary key, kind ${text} not null, user_id ${text} not null, memory_mbytes integer not null,
         queued_at bigint not null, owner ${text}, lease_until bigint, control ${text}, claims integer not null)`,
      // Waiting jobs by account: the queue is fair across accounts.
      `create index jobs_waiting on jobs (user_id, queued_at, id) where owner is null`,
      `create index jobs_queued on jobs (queued_at) where owner is null`,
      `create index jobs_owned on jobs (owner, lease_until) where owner is not null`,
      `create index jobs_leased on jobs (lease_until) where owner is not null`,
    ],
  },
  {
    name: 'actors-nodes',
    up: ({ text }) => [
      `alter table jobs add column node ${text}`,
      `create index jobs_pinned on jobs (node) where node is not null`,
      // The nodes that execute runs, and how the others reach them.
      `create table actor_nodes (name ${text} primary key, url ${text}, seen_at bigint not null)`,
    ],
  },
  {
    name: 'actors-nodes-network',
    // Nodes of earlier releases say nothing about it.
    up: () => [`alter table actor_nodes add column shares_network integer`],
  },
  {
    name: 'actors-job-deaths',
    up: ({ text }) => [
      `alter table jobs add column deaths ${text}`,
      `alter table jobs add column is_stopping integer not null default 0`,
    ],
  },
];
