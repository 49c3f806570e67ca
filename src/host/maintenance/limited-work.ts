// Due work that reads whole repositories: after the limits of git have stopped it, it is tried again a week later.
import { retry, type DueHandler } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { GitLimitExceeded } from '../git/process-limits.ts';
import { PAUSE_MS } from './schedule-maintenance.ts';

/** Another try soon would end the same way, at the same cost. */
export function limitedWork({ db, clock, log }: Kernel, handle: DueHandler): DueHandler {
  return async (due, signal) => {
    try {
      await handle(due, signal);
    } catch (error) {
      if (!(error instanceof GitLimitExceeded)) throw error;
      log.warn(
        { err: error, due: due.id, pauseMs: PAUSE_MS },
        'Due work waits: git needs more memory or time than it may use',
      );
      await retry(db, due, clock.now() + PAUSE_MS, error.message);
    }
  };
}
