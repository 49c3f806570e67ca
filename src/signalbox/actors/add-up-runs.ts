// Adds up what runs used, of one account or of all of them.
import type { Db } from '../../kernel/storage/tables.ts';
import { listNewestRuns, type UsedRun } from './store-runs.ts';
import { addRun, nothingUsed, type Used } from './usage-model.ts';

/** Runs that are added up, and how many are read at once. */
export const MAX_ADDED_RUNS = 20_000;
const BATCH = 2000;

interface UsageSpan {
  /** Undefined for all accounts. */
  userId?: string;
  since: number;
  now: number;
}

/** The newest first, batch by batch, so that the event loop goes on between them. `partsOf` says to what each of them is added. */
export async function addUpRuns(
  db: Db,
  { userId, since, now }: UsageSpan,
  partsOf: (run: UsedRun) => readonly Used[],
): Promise<{ total: Used; isPartial: boolean }> {
  const total = nothingUsed();
  let before: Pick<UsedRun, 'startedAt' | 'id'> | undefined;
  for (;;) {
    const runs = await listNewestRuns(db, userId, { since, before, limit: BATCH });
    for (const run of runs) for (const used of [total, ...partsOf(run)]) addRun(used, run, now);
    if (runs.length < BATCH) return { total, isPartial: false };
    if (total.runs >= MAX_ADDED_RUNS) return { total, isPartial: true };
    before = runs.at(-1);
  }
}
