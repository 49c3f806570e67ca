// Adds and changes, gathered per queue: what comes while a statement is under way goes together with the next.
import type { Engine } from '../../kernel/storage/engine.ts';
import { Gatherer } from './gather.ts';
import type { Registration } from './model.ts';
import type { Entry } from './request.ts';
import { statementsOf } from './engines.ts';
import type { Moment, HeadRow } from './statements.ts';
import { numberOf, queueGone } from './store.ts';
import { takeTally, type Tallies } from './tally.ts';

interface Wanted {
  entry: Entry;
  now: number;
}

/** Where writes count what was read before them. */
interface Writing {
  engine: Engine;
  tallies: Tallies;
}

export interface Writers extends Writing {
  adds: Gatherer<Wanted, Registration>;
  changes: Gatherer<Wanted, Registration>;
}

/** In characters: some hundreds of usual requests, and few large ones. */
const MEASURE = {
  most: 1_000_000,
  sizeOf: ({ entry: { head, rest } }: Wanted) => 1000 + head.length + (rest === null ? 0 : rest.length),
};

export function openWriters(writing: Writing): Writers {
  return {
    ...writing,
    adds: new Gatherer((queueId, wanted) => writeAdds(writing, queueId, wanted), MEASURE),
    changes: new Gatherer((queueId, wanted) => writeChanges(writing, queueId, wanted), MEASURE),
  };
}

/** Adds those that are not there yet. The results are in the order of the entries. */
export function addRequests(
  { adds }: Writers,
  queueId: string,
  entries: Entry[],
  now: number,
): Promise<Registration[]> {
  const wanted = entries.map((entry) => ({ entry, now }));
  return adds.add(queueId, wanted);
}

/** Replaces the request, or adds it. The result tells what was there before. */
export async function changeRequest(
  { changes }: Writers,
  queueId: string,
  entry: Entry,
  now: number,
): Promise<Registration> {
  const [result] = await changes.add(queueId, [{ entry, now }]);
  return result!;
}

async function writeAdds(writing: Writing, queueId: string, wanted: Wanted[]): Promise<Registration[]> {
  const { engine } = writing;
  const first = new Map<string, Entry>();
  for (const { entry } of wanted) if (!first.has(entry.id)) first.set(entry.id, entry);
  const entries = [...first.values()];
  const added = await statementsOf(engine).add(engine, queueId, entries, momentOf(writing, queueId, wanted));
  if (added === undefined) throw queueGone();
  const present = entries.filter(({ id }) => !added.has(id)).map(({ id }) => id);
  const handled = present.length === 0 ? new Set<string>() : await findHandled(engine, queueId, present);
  return wanted.map(({ entry: { id } }) => {
    if (added.delete(id)) {
      // The next one with the same id finds this one.
      if (first.get(id)!.handledAt !== null) handled.add(id);
      return { requestId: id, wasAlreadyPresent: false, wasAlreadyHandled: false };
    }
    return { requestId: id, wasAlreadyPresent: true, wasAlreadyHandled: handled.has(id) };
  });
}

async function findHandled({ db }: Engine, queueId: string, ids: string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('queue_requests')
    .select('id')
    .where('queue_no', '=', numberOf(queueId))
    .where('id', 'in', ids)
    .where('handled_at', 'is not', null)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

async function writeChanges(writing: Writing, queueId: string, wanted: Wanted[]): Promise<Registration[]> {
  const { engine } = writing;
  // Of several changes to one request only the last is left to write.
  let last = new Map<string, Entry>();
  for (const { entry } of wanted) {
    last.delete(entry.id);
    last.set(entry.id, entry);
  }
  const states = new Map<string, { isHandled: boolean }>();
  let moment = momentOf(writing, queueId, wanted);
  while (last.size > 0) {
    const changed = await statementsOf(engine).change(engine, queueId, [...last.values()], moment);
    if (changed === undefined) throw queueGone();
    for (const { id, handled } of changed.before) states.set(id, { isHandled: Boolean(handled) });
    last = new Map(changed.missed.map((id) => [id, last.get(id)!]));
    moment = { now: moment.now, reads: 0, headReads: 0, writes: 0 };
  }
  return wanted.map(({ entry: { id, handledAt } }) => {
    const before = states.get(id);
    states.set(id, { isHandled: handledAt !== null });
    return {
      requestId: id,
      wasAlreadyPresent: before !== undefined,
      wasAlreadyHandled: before?.isHandled === true,
    };
  });
}

/** Answers with those that were there. */
export async function removeRequests(
  writing: Writing,
  queueId: string,
  ids: string[],
  now: number,
): Promise<HeadRow[]> {
  const { engine } = writing;
  const moment = { now, ...takeTally(writing, queueId) };
  const removed = await statementsOf(engine).remove(engine, queueId, [...new Set(ids)], moment);
  if (removed === undefined) throw queueGone();
  return removed;
}

function momentOf(writing: Writing, queueId: string, wanted: Wanted[]): Moment {
  const { reads, headReads, writes } = takeTally(writing, queueId);
  return { now: wanted.at(-1)!.now, reads, headReads, writes: writes + wanted.length };
}
