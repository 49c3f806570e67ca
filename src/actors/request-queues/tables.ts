// The rows of request queues, as Kysely types.
import type { Generated, Selectable } from 'kysely';
import type { Tables } from '../../kernel/storage/tables.ts';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    request_queues: {
      /** Stands for the id in the rows of requests. */
      no: Generated<number>;
      id: string;
      /** All requests, and those of them that are handled: kept with every change, as counting would take too long. */
      total: number;
      handled: number;
      /** What its requests take, kept with every change. */
      bytes: Generated<number>;
      /** The place given last. The end of the queue counts up from it, the front counts down. */
      last_order: number;
      /** Grows with every change to a request. */
      modified_at: number;
      /** The first client; empty for one that did not say who it is. */
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
      /** The place in the queue, kept while it is locked; null once it is handled. */
      order_no: number | null;
      handled_at: number | null;
      /** It is locked while this is in the future. Nothing is written when the time has come. */
      lock_until: number;
      /** Who locked it last; empty for a client that did not say who it is. */
      locked_by: string | null;
      head: string;
      rest: string | null;
    };
  }
}

export type QueueRow = Selectable<Tables['request_queues']>;
