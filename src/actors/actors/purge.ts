// Due work after an Actor was deleted: aborts its builds and runs, and deletes what is left of them.
import type { BackgroundWork } from '../../kernel/http/protocol.ts';
import { schedule, type Due } from '../../kernel/jobs/due-store.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { abortBuild, deleteBuildRows } from '../builds/change-build.ts';
import { lockBuild } from '../builds/store.ts';
import { isFinished } from '../jobs/job.ts';
import { listJobsOfActor, type JobTable, type StartedJob } from '../jobs/store-finished.ts';
import { abortRun, removeRun } from '../runs/change-run.ts';
import { lockRun } from '../runs/store.ts';
import { PURGE_ACTOR } from './change-actor.ts';

const BATCH_SIZE = 100;
/** How long until another look at builds and runs that were aborted and have not ended yet. */
const RETRY_MS = 1000;

export function actorWork(kernel: Kernel): BackgroundWork {
  return { handlers: { [PURGE_ACTOR]: (due, signal) => purgeActor(kernel, due, signal) } };
}

async function purgeActor(kernel: Kernel, due: Due, signal: AbortSignal): Promise<void> {
  const { id, userId } = JSON.parse(due.payload) as { id: string; userId: string };
  const runs = await visitAll(kernel, 'runs', id, signal, (runId) => purgeRun(kernel, runId, userId));
  // A run needs its build until it has ended.
  const mayDelete = runs === 0;
  const builds = await visitAll(kernel, 'builds', id, signal, (buildId) =>
    purgeBuild(kernel, buildId, mayDelete),
  );
  if (runs + builds === 0) return;
  const now = kernel.clock.now();
  const { kind, payload } = due;
  await schedule(kernel.db, { id: due.id, kind, payload, dueAt: now + RETRY_MS }, now, 'move');
}

/** Returns how many are not done yet. */
async function visitAll(
  { db }: Kernel,
  table: JobTable,
  actorId: string,
  signal: AbortSignal,
  purge: (id: string) => Promise<boolean>,
): Promise<number> {
  let pending = 0;
  let after: StartedJob | undefined;
  for (;;) {
    const rows = await listJobsOfActor(db, table, actorId, after, BATCH_SIZE);
    for (const row of rows) {
      signal.throwIfAborted();
      if (!(await purge(row.id))) pending += 1;
    }
    if (rows.length < BATCH_SIZE) return pending;
    after = rows.at(-1);
  }
}

/** Runs that other accounts started are aborted, and stay with their results: they belong to those accounts. */
async function purgeRun(kernel: Kernel, id: string, ownerId: string): Promise<boolean> {
  const now = kernel.clock.now();
  const { status, userId } = await abortRun(kernel, id, false, now);
  if (!isFinished(status)) return false;
  if (userId !== ownerId) return true;
  await kernel.db.transaction().execute(async (tx) => {
    const run = await lockRun(tx, id);
    if (run !== undefined) await removeRun(tx, run, now);
  });
  return true;
}

async function purgeBuild(kernel: Kernel, id: string, mayDelete: boolean): Promise<boolean> {
  const now = kernel.clock.now();
  const { status } = await abortBuild(kernel, id, now);
  if (!isFinished(status) || !mayDelete) return false;
  await kernel.db.transaction().execute(async (tx) => {
    if ((await lockBuild(tx, id)) !== undefined) await deleteBuildRows(tx, id, now);
  });
  return true;
}
