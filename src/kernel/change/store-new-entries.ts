// Reads audit entries as their transactions end, so that none is missed: on PostgreSQL a transaction takes the numbers of its rows before it commits, and another with higher ones may commit first. ADR 0137.
import type { Engine } from '../storage/engine.ts';
import type { Db } from '../storage/tables.ts';

/** All before it is there to be read: entries up to a number, or those of transactions before a number. */
export type Position = { upTo: number } | { before: number };

/** As text, for the ids of events. */
export function formatPosition(position: Position): string {
  return 'upTo' in position ? `e${position.upTo}` : `t${position.before}`;
}

/** Undefined for what no server has sent. */
export function parsePosition(text: string): Position | undefined {
  const found = /^([et])(\d{1,15})$/.exec(text);
  if (found === null) return undefined;
  const number = Number(found[2]);
  return found[1] === 'e' ? { upTo: number } : { before: number };
}

/** That of now. */
export async function readPosition(engine: Engine): Promise<Position> {
  const oldest = await engine.oldestTransaction();
  if (oldest !== undefined) return { before: oldest };
  const { last } = await engine.db
    .selectFrom('events')
    .select(({ fn }) => fn.max('seq').as('last'))
    .executeTakeFirstOrThrow();
  return { upTo: last ?? 0 };
}

export interface EntryNumber {
  seq: number;
  /** Null where numbers alone decide. */
  xid: number | null;
}

/** The entries that are there now and were not, or need not have been, at the position; in the order of their numbers. */
export async function listNumbersSince(db: Db, position: Position, limit?: number): Promise<EntryNumber[]> {
  const numbers = db
    .selectFrom('events')
    .select(['seq', 'xid'])
    .$if(limit !== undefined, (query) => query.limit(limit!));
  return 'upTo' in position
    ? await numbers.where('seq', '>', position.upTo).orderBy('seq').execute()
    : await numbers.where('xid', '>=', position.before).orderBy('xid').orderBy('seq').execute();
}

/** Whether it may become visible only after the position. */
export function isSince({ seq, xid }: EntryNumber, position: Position): boolean {
  return 'upTo' in position ? seq > position.upTo : (xid ?? 0) >= position.before;
}

/** What a notice of a change names. */
export interface ChangeNotice {
  seq: number;
  id: string;
  at: number;
  action: string;
  resource: string;
  kind: string;
  name: string;
  memberId: string | null;
  ownerId: string | null;
}

export async function listNotices(db: Db, seqs: readonly number[]): Promise<ChangeNotice[]> {
  if (seqs.length === 0) return [];
  const rows = await db
    .selectFrom('events')
    .select(['seq', 'id', 'at', 'action', 'resource', 'kind', 'name', 'member_id', 'owner_id'])
    .where('seq', 'in', seqs)
    .orderBy('seq')
    .execute();
  return rows.map(({ member_id: memberId, owner_id: ownerId, ...row }) => ({ ...row, memberId, ownerId }));
}
