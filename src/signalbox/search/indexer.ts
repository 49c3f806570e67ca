// Keeps the index of the search up to date: takes what triggers have recorded, some at a time.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kernel } from '../../kernel/kernel.ts';
import type { StopReason } from '../../kernel/jobs/due-worker.ts';
import { SEARCH_SOURCES } from './sources.ts';
import { hasUnindexed, indexChanges } from './store.ts';

/** A search reads newer changes by itself, so that this may take its time. */
const EVERY_MS = 3000;
const BATCH_SIZE = 200;

/** Looks by time, not by notices: some changes are made without any. A look that finds nothing only reads. */
export function startIndexing({ db, log }: Pick<Kernel, 'db' | 'log'>): {
  stop(reason?: StopReason): Promise<void>;
} {
  let isStopping = false;
  let working: Promise<void> = Promise.resolve();
  let isWorking = false;
  const look = async () => {
    if (!(await hasUnindexed(db))) return;
    while (!isStopping && (await indexChanges(db, SEARCH_SOURCES, BATCH_SIZE)) === BATCH_SIZE)
      await nextTurn();
  };
  const timer = setInterval(() => {
    if (isWorking) return;
    isWorking = true;
    working = look()
      .catch((error: unknown) =>
        log.warn({ err: error }, 'cannot index changes for the search; will try again'),
      )
      .finally(() => {
        isWorking = false;
      });
  }, EVERY_MS).unref();
  return {
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await working;
    },
  };
}
