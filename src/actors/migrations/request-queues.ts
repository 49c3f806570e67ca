// Request queues: what is counted of each, and the requests in them.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const requestQueueMigrations: Migration[] = [
  {
    name: 'actors-request-queues',
    up: ({ serial, text }) => [
      // The number stands for the id in the many rows of requests, where 24 letters would be most of an index.
      `create table request_queues (
         no ${serial}, id ${text} not null unique, total bigint not null, handled bigint not null,
         last_order bigint not null, modified_at bigint not null,
         client_key ${text}, had_multiple_clients integer not null,
         read_count bigint not null, write_count bigint not null, delete_count bigint not null,
         head_item_read_count bigint not null)`,
      `create table queue_requests (
         queue_no bigint not null, id ${text} not null, order_no bigint, handled_at bigint,
         lock_until bigint not null, locked_by ${text}, head ${text} not null, rest ${text},
         primary key (queue_no, id))`,
      // The lock in it, so that what is locked is passed over without a look at its row.
      `create index queue_requests_order on queue_requests (queue_no, order_no, lock_until)
         where order_no is not null`,
      `create index queue_requests_locked on queue_requests (queue_no, lock_until) where lock_until > 0`,
    ],
  },
  {
    name: 'actors-request-queues-bytes',
    up: () => [
      `alter table request_queues add column bytes bigint not null default 0`,
      `update request_queues set bytes = coalesce((
         select sum(octet_length(head) + coalesce(octet_length(rest), 0)) from queue_requests
         where queue_no = request_queues.no), 0)`,
    ],
  },
];
