// What the hot operations ask of an engine. Each engine has its own words for them, held to the same tests.
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Entry, StoredRequest } from './request.ts';

/** When it happens, and what reads and locks have been counted since the last write. */
export interface Moment {
  now: number;
  reads: number;
  headReads: number;
  writes: number;
}

/** A request as it was before it was changed. */
export interface Before {
  id: string;
  /** 0 or 1, as all booleans in rows. */
  handled: number | boolean;
}

export interface Changed {
  before: Before[];
  /** Requests that someone else made at the same moment: nothing was changed, and a second try will find them. */
  missed: string[];
}

export interface LockOrder {
  limit: number;
  /** Who locks. */
  client: string;
  until: number;
  now: number;
}

/** Which request, and the client that says it holds it. */
export interface Holder {
  queueId: string;
  id: string;
  client: string;
  now: number;
}

/** Where a request that is held goes, and who holds it from then on. */
export interface Placing {
  until: number;
  nextClient: string | null;
  /** -1 for the front of the queue and 1 for its end. */
  sign: 1 | -1;
}

/** What the head of a queue shows of a request. */
export interface HeadRow {
  id: string;
  head: string;
}

export interface LockedRow extends HeadRow {
  order_no: number;
}

/** What a statement returns of the rows it changed comes in any order. */
export function inOrder(rows: LockedRow[]): LockedRow[] {
  return rows.sort((a, b) => a.order_no - b.order_no);
}

export interface LockedRows {
  modifiedAt: number;
  hadMultipleClients: boolean;
  /** In the order of the queue. */
  rows: LockedRow[];
}

/** The columns that tell all of a request. */
export const STORED = ['id', 'head', 'rest', 'handled_at', 'lock_until', 'locked_by'] as const;

/** And those that a list goes on by. */
export const LISTED = [...STORED, 'order_no'] as const;

export interface ListedRow extends StoredRequest {
  order_no: number | null;
  /** How much there is up to here, with this one. */
  bytes: number;
}

/** A list ends with the request that makes it this large, whatever its limit. */
export const MOST_BYTES = 8_000_000;

/** All requests by id, or those in one of these states in the order of the queue. */
export type Listing =
  | { by: 'id'; after: string; limit: number }
  | { by: 'order_no'; after: number; limit: number; states: 'locked' | 'pending' | 'both'; now: number };

/** Writes answer undefined when the queue is gone. Entries and ids must not repeat. */
export interface QueueStatements {
  /** Inserts those that are not there yet; answers with their ids. */
  add(engine: Engine, queueId: string, entries: Entry[], moment: Moment): Promise<Set<string> | undefined>;
  /** Replaces those that are there, and inserts the others. */
  change(engine: Engine, queueId: string, entries: Entry[], moment: Moment): Promise<Changed | undefined>;
  remove(engine: Engine, queueId: string, ids: string[], moment: Moment): Promise<HeadRow[] | undefined>;
  /** The first that are free. Empty when the queue is gone. */
  head(engine: Engine, queueId: string, limit: number, now: number): Promise<HeadRow[]>;
  /** Behind `after`, as many as the limit or the size allows. Empty when the queue is gone. */
  list(engine: Engine, queueId: string, listing: Listing): Promise<ListedRow[]>;
  /** Some of all, for whoever takes them all. */
  ids(engine: Engine, queueId: string, limit: number): Promise<string[]>;
  /** Locks the first that are free. */
  lock(engine: Engine, queueId: string, order: LockOrder): Promise<LockedRows | undefined>;
  /** False when the request is not this client's to place. */
  place(engine: Engine, holder: Holder, placing: Placing): Promise<boolean>;
  /** Answers with how many the client held. */
  releaseAll(engine: Engine, queueId: string, client: string, now: number): Promise<number>;
}
