// The interface of the hot statements of request queues. Each engine implements them in its own SQL; one suite tests both.
import type { Engine } from '../../kernel/storage/engine.ts';
import type { RequestEntry, StoredRequest } from './request.ts';

/** The time of a write, and the usage counted in memory since the last write. */
export interface WriteContext {
  now: number;
  reads: number;
  headReads: number;
  writes: number;
}

/** A request as it was before an upsert. */
export interface PreviousState {
  id: string;
  /** 0 or 1, as all booleans in rows. */
  handled: number | boolean;
}

export interface UpsertResult {
  before: PreviousState[];
  /** Requests that another call inserted concurrently: they were not changed, and a second try will see them. */
  missed: string[];
}

export interface LockParameters {
  limit: number;
  /** The client that takes the locks. */
  client: string;
  until: number;
  now: number;
}

/** A request, and the client that claims to hold its lock. */
export interface LockHolder {
  queueId: string;
  id: string;
  client: string;
  now: number;
}

/** The new lock of a request, and the end of the queue that it moves to. */
export interface LockUpdate {
  until: number;
  nextClient: string | null;
  /** -1 for the front of the queue and 1 for its end. */
  signMessage: 1 | -1;
}

/** The columns that the head of a queue shows of a request. */
export interface HeadRow {
  id: string;
  head: string;
}

export interface LockedRow extends HeadRow {
  order_no: number;
}

/** Sorts rows that an update returned, which come in any order. */
export function inOrder(rows: LockedRow[]): LockedRow[] {
  return rows.sort((a, b) => a.order_no - b.order_no);
}

export interface LockedRows {
  modifiedAt: number;
  hadMultipleClients: boolean;
  /** In the order of the queue. */
  rows: LockedRow[];
}

/** The columns of a whole request. */
export const REQUEST_COLUMNS = ['id', 'head', 'rest', 'handled_at', 'lock_until', 'locked_by'] as const;

/** The same with the column that the cursor of a list needs. */
export const LIST_COLUMNS = [...REQUEST_COLUMNS, 'order_no'] as const;

export interface ListedRow extends StoredRequest {
  order_no: number | null;
  /** The running total of bytes, this request included. */
  bytes: number;
}

/** A list ends with the request that makes it this large, whatever its limit. */
export const MAX_LIST_BYTES = 8_000_000;

/** All requests by id, or those in one of these states in the order of the queue. */
export type RequestListQuery = { limit: number; now: number } & (
  | { by: 'id'; after: string }
  | { by: 'order_no'; after: number; states: 'locked' | 'pending' | 'both' }
);

/** Writes return undefined when the queue does not exist. Entries and ids must not repeat. */
export interface QueueStatements {
  /** Inserts the requests that do not exist yet, and returns their ids. */
  insert(
    engine: Engine,
    queueId: string,
    entries: RequestEntry[],
    context: WriteContext,
  ): Promise<Set<string> | undefined>;
  upsert(
    engine: Engine,
    queueId: string,
    entries: RequestEntry[],
    context: WriteContext,
  ): Promise<UpsertResult | undefined>;
  /** Without those that another client than this has locked; an empty one stands for none, and deletes them too. */
  delete(
    engine: Engine,
    queueId: string,
    ids: string[],
    client: string,
    context: WriteContext,
  ): Promise<HeadRow[] | undefined>;
  /** The first requests without a lock. Empty when the queue does not exist. */
  listHead(engine: Engine, queueId: string, limit: number, now: number): Promise<HeadRow[]>;
  /** The requests behind `after`, as many as the limit and the size allow. Empty when the queue does not exist. */
  list(engine: Engine, queueId: string, query: RequestListQuery): Promise<ListedRow[]>;
  /** Some ids, for a caller that deletes all requests. */
  listIds(engine: Engine, queueId: string, limit: number): Promise<string[]>;
  /** Locks the first requests without a lock. */
  lock(engine: Engine, queueId: string, parameters: LockParameters): Promise<LockedRows | undefined>;
  /** Returns false when the client does not hold the lock. */
  updateLock(engine: Engine, holder: LockHolder, update: LockUpdate): Promise<boolean>;
  /** Releases all locks of the client, and returns how many there were. */
  releaseLocks(engine: Engine, queueId: string, client: string, now: number): Promise<number>;
}
