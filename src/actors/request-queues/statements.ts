// What the hot operations ask of an engine. Each engine has its own words for them, held to the same tests.
import type { Engine } from '../../kernel/storage/engine.ts';
import type { Entry } from './model.ts';

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

export interface LockedRow {
  id: string;
  head: string;
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

export interface RemovedRow {
  id: string;
  head: string;
}

/** All answer undefined when the queue is gone. Entries and ids must not repeat. */
export interface QueueStatements {
  /** Inserts those that are not there yet; answers with their ids. */
  add(engine: Engine, queueId: string, entries: Entry[], moment: Moment): Promise<Set<string> | undefined>;
  /** Replaces those that are there, and inserts the others. */
  change(engine: Engine, queueId: string, entries: Entry[], moment: Moment): Promise<Changed | undefined>;
  remove(engine: Engine, queueId: string, ids: string[], moment: Moment): Promise<RemovedRow[] | undefined>;
  /** Locks the first that are free. */
  lock(engine: Engine, queueId: string, order: LockOrder): Promise<LockedRows | undefined>;
}
