// Schedules the maintenance of a repository or a gist, decides when one needs it, and puts off work that the limits of git have stopped.
import {
  schedule,
  scheduleStatement,
  type DueWork,
  retry,
  type DueHandler,
} from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { SqlStatement } from '../../kernel/storage/statement.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { GitLimitExceeded } from '../git/process/process-limits.ts';
import type { RepositoryFiles } from '../git/maintenance/repack.ts';

export const MAINTAIN_REPOSITORY = 'host.maintain-repository';
export const MAINTAIN_GIST = 'host.maintain-gist';

export type MaintenanceKind = typeof MAINTAIN_REPOSITORY | typeof MAINTAIN_GIST;

/** The next push often follows soon. */
const QUIET_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Unreachable objects are kept this long: a change under way may need them, and so may people who made a mistake. */
export const EXPIRY_MS = 14 * DAY_MS;

/** A repack that the limits of git have stopped is not tried again before, however often the repository is pushed to. */
export const PAUSE_MS = 7 * DAY_MS;

export interface MaintenancePayload {
  number: number;
  /** After a repack that was stopped. */
  pause?: MaintenancePause;
}

interface MaintenancePause {
  until: number;
  /** Something was pushed meanwhile, so that another repack may end otherwise. */
  isChanged: boolean;
}

/** Below these, reads lose less than a repack costs. Every push brings a pack. */
const MAX_LOOSE_OBJECTS = 2000;
const MAX_PACKS = 50;
/** From here on, a history without a commit graph is slow to read. */
const GRAPH_FROM_BYTES = 1024 ** 2;

/** In the transaction that records a push. Many pushes need it once. */
export async function scheduleMaintenance(
  tx: Db,
  number: number,
  now: number,
  kind: MaintenanceKind = MAINTAIN_REPOSITORY,
): Promise<void> {
  await tx.executeQuery(maintenanceStatement(tx, number, now, kind));
}

/** As `scheduleMaintenance`, for `executeAll`. */
export function maintenanceStatement(
  tx: Db,
  number: number,
  now: number,
  kind: MaintenanceKind = MAINTAIN_REPOSITORY,
): SqlStatement {
  return scheduleStatement(tx, workOn(kind, number, now + QUIET_MS), now, 'advance');
}

/** For when the unreachable objects of today have expired, by the maintenance that runs. A push advances it. */
export async function scheduleExpiry(
  db: Db,
  kind: MaintenanceKind,
  number: number,
  now: number,
): Promise<void> {
  await schedule(db, workOn(kind, number, now + EXPIRY_MS + DAY_MS), now, 'move');
}

/** By the maintenance that runs. A push advances it, and it is moved to the end of the pause then. */
export async function schedulePaused(
  db: Db,
  kind: MaintenanceKind,
  number: number,
  pause: MaintenancePause,
  now: number,
): Promise<void> {
  await schedule(db, workOn(kind, number, pause.until, pause), now, 'move');
}

function workOn(kind: MaintenanceKind, number: number, dueAt: number, pause?: MaintenancePause): DueWork {
  const payload: MaintenancePayload = { number, ...(pause && { pause }) };
  return { id: `${kind}:${number}`, kind, payload: JSON.stringify(payload), dueAt };
}

export function needsMaintenance(files: RepositoryFiles, now: number): boolean {
  const { looseObjects, packs, packBytes, cruftAt = now, hasCommitGraph } = files;
  if (looseObjects > MAX_LOOSE_OBJECTS || packs > MAX_PACKS || cruftAt <= now - EXPIRY_MS) return true;
  return !hasCommitGraph && packBytes >= GRAPH_FROM_BYTES;
}

/**
 * For work that reads whole repositories: after the limits of git have stopped it, it is tried again a week later.
 * Another try soon would end the same way, at the same cost.
 */
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
