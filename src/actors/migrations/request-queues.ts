// The tables of request queues: counters and requests.
import type { Migration } from '../../kernel/storage/migrate.ts';

export const requestQueueMigrations: Migration[] = [
  {
    name: 'actors-request-queues',
    up: ({ serial, text }) => [
      // Requests refer to the number, because 24 letters of an id would be most of an index.
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
      // Includes the lock, so that locked requests are skipped without reading their rows.
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
