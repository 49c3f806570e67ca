// The rows of request queues, as Kysely types.
import type { Generated, Selectable } from 'kysely';
import type { Tables } from '../../kernel/storage/tables.ts';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    request_queues: {
      /** Referred to by requests instead of the id, which is longer. */
      no: Generated<number>;
      id: string;
      /** All requests, and the handled ones: updated with every write, because counting would take too long. */
      total: number;
      handled: number;
      /** The size of its requests, updated with every write. */
      bytes: Generated<number>;
      /** The greatest absolute `order_no` so far: the end of the queue counts up, the front counts down. */
      last_order: number;
      /** Grows strictly with every write to a request. */
      modified_at: number;
      /** The first client; empty for one without a key. */
      client_key: string | null;
      had_multiple_clients: number;
      read_count: number;
      write_count: number;
      delete_count: number;
      head_item_read_count: number;
    };
    queue_requests: {
      queue_no: number;
      id: string;
      /** The place in the queue, which a lock does not change; null once it is handled. */
      order_no: number | null;
      handled_at: number | null;
      /** Locked while this is in the future. An expired lock is not written back. */
      lock_until: number;
      /** The client that locked it last; empty for one without a key. */
      locked_by: string | null;
      head: string;
      rest: string | null;
    };
  }
}

export type QueueRow = Selectable<Tables['request_queues']>;
