// Inserts, upserts and deletes requests, at last those of a deleted queue. Concurrent writes to one queue share a statement.
import { buildForLists } from '../../kernel/storage/build-once.ts';
import type { Engine } from '../../kernel/storage/engine.ts';
import { Batcher } from './batcher.ts';
import type { Registration } from './model.ts';
import type { RequestEntry } from './request.ts';
import { statementsOf } from './engine-statements.ts';
import type { WriteContext, HeadRow } from './statements.ts';
import { numberOf, queueNotFound, takeUsage, type UsageCounters, deleteQueue, renameQueue } from './store.ts';

interface PendingWrite {
  entry: RequestEntry;
  now: number;
}

interface WriteServices {
  engine: Engine;
  usageCounters: UsageCounters;
}

export interface RequestWriters extends WriteServices {
  inserts: Batcher<PendingWrite, Registration>;
  upserts: Batcher<PendingWrite, Registration>;
}

/** In characters: some hundreds of usual requests, or a few large ones. */
const BATCH_LIMIT = {
  maxSize: 1_000_000,
  sizeOf: ({ entry: { head, rest } }: PendingWrite) => 1000 + head.length + (rest === null ? 0 : rest.length),
};

export function openRequestWriters(services: WriteServices): RequestWriters {
  return {
    ...services,
    inserts: new Batcher((queueId, writes) => insertBatch(services, queueId, writes), BATCH_LIMIT),
    upserts: new Batcher((queueId, writes) => upsertBatch(services, queueId, writes), BATCH_LIMIT),
  };
}

/** Inserts the requests that do not exist yet. The results are in the order of the entries. */
export function insertRequests(
  { inserts }: RequestWriters,
  queueId: string,
  entries: RequestEntry[],
  now: number,
): Promise<Registration[]> {
  const writes = entries.map((entry) => ({ entry, now }));
  return inserts.add(queueId, writes);
}

/** Replaces the request, or inserts it. The result says whether it existed before. */
export async function upsertRequest(
  { upserts }: RequestWriters,
  queueId: string,
  entry: RequestEntry,
  now: number,
): Promise<Registration> {
  const [result] = await upserts.add(queueId, [{ entry, now }]);
  return result!;
}

async function insertBatch(
  services: WriteServices,
  queueId: string,
  writes: PendingWrite[],
): Promise<Registration[]> {
  const { engine } = services;
  const first = new Map<string, RequestEntry>();
  for (const { entry } of writes) if (!first.has(entry.id)) first.set(entry.id, entry);
  const entries = [...first.values()];
  const added = await statementsOf(engine).insert(
    engine,
    queueId,
    entries,
    writeContextOf(services, queueId, writes),
  );
  if (added === undefined) throw queueNotFound();
  const present = entries.filter(({ id }) => !added.has(id)).map(({ id }) => id);
  const handled = present.length === 0 ? new Set<string>() : await findHandled(engine, queueId, present);
  return writes.map(({ entry: { id } }) => {
    if (added.delete(id)) {
      // A later duplicate in the same batch finds this one.
      if (first.get(id)!.handledAt !== null) handled.add(id);
      return { requestId: id, wasAlreadyPresent: false, wasAlreadyHandled: false };
    }
    return { requestId: id, wasAlreadyPresent: true, wasAlreadyHandled: handled.has(id) };
  });
}

async function findHandled({ db }: Engine, queueId: string, ids: string[]): Promise<Set<string>> {
  const rows = await selectHandled(db, ids, queueId);
  return new Set(rows.map(({ id }) => id));
}

const selectHandled = buildForLists((db, ids: readonly string[], queueId: string) =>
  db
    .selectFrom('queue_requests')
    .select('id')
    .where('queue_no', '=', numberOf(queueId))
    .where('id', 'in', ids)
    .where('handled_at', 'is not', null),
);

async function upsertBatch(
  services: WriteServices,
  queueId: string,
  writes: PendingWrite[],
): Promise<Registration[]> {
  const { engine } = services;
  // Of several writes to one request only the last is stored.
  let last = new Map<string, RequestEntry>();
  for (const { entry } of writes) {
    last.delete(entry.id);
    last.set(entry.id, entry);
  }
  const states = new Map<string, { isHandled: boolean }>();
  let context = writeContextOf(services, queueId, writes);
  while (last.size > 0) {
    const changed = await statementsOf(engine).upsert(engine, queueId, [...last.values()], context);
    if (changed === undefined) throw queueNotFound();
    for (const { id, handled } of changed.before) states.set(id, { isHandled: Boolean(handled) });
    last = new Map(changed.missed.map((id) => [id, last.get(id)!]));
    context = { now: context.now, reads: 0, headReads: 0, writes: 0 };
  }
  return writes.map(({ entry: { id, handledAt } }) => {
    const before = states.get(id);
    states.set(id, { isHandled: handledAt !== null });
    return {
      requestId: id,
      wasAlreadyPresent: before !== undefined,
      wasAlreadyHandled: before?.isHandled === true,
    };
  });
}

/** Returns the requests that existed. With a client, those that another has locked stay. */
export async function deleteRequests(
  services: WriteServices,
  queueId: string,
  ids: string[],
  now: number,
  client = '',
): Promise<HeadRow[]> {
  const { engine } = services;
  const context = { now, ...takeUsage(services, queueId) };
  const deleted = await statementsOf(engine).delete(engine, queueId, [...new Set(ids)], client, context);
  if (deleted === undefined) throw queueNotFound();
  return deleted;
}

function writeContextOf(services: WriteServices, queueId: string, pending: PendingWrite[]): WriteContext {
  const { reads, headReads, writes } = takeUsage(services, queueId);
  return { now: pending.at(-1)!.now, reads, headReads, writes: writes + pending.length };
}

const PURGED_AT_ONCE = 1000;
const UNCOUNTED = { now: 0, reads: 0, headReads: 0, writes: 0 };

/**
 * The queue is renamed first: a request that is added later finds no queue, so that none is left behind. By the new name
 * the work finds the queue again after an interruption.
 */
export async function purgeQueue(engine: Engine, id: string, signal: AbortSignal): Promise<void> {
  const { db } = engine;
  const renamed = `deleted ${id}`;
  await renameQueue(db, id, renamed);
  for (;;) {
    signal.throwIfAborted();
    const ids = await statementsOf(engine).listIds(engine, renamed, PURGED_AT_ONCE);
    if (ids.length === 0) break;
    await statementsOf(engine).delete(engine, renamed, ids, '', UNCOUNTED);
  }
  await deleteQueue(db, renamed);
}
