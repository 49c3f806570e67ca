// Removes finished builds and runs that are older than the retention of their account; the newest of each Actor stay.
import type { Kernel } from '../../kernel/kernel.ts';
import { retentionOf } from '../users/store.ts';
import {
  findLastKept,
  findNextActor,
  listFinishedJobs,
  type ActorOfAccount,
  type JobTable,
  type StartedJob,
} from './store-finished.ts';

export const RETENTION_SWEEP_MS = 60 * 60 * 1000;
const BATCH_SIZE = 100;
/** Of each Actor and account, whatever their age. */
const KEPT = 10;

/** Removes one in a transaction, unless it was changed since it was found. */
type RemoveOld = (id: string, finishedBefore: number) => Promise<void>;

export async function sweepFinished(
  kernel: Kernel,
  table: JobTable,
  remove: RemoveOld,
  signal: AbortSignal,
): Promise<void> {
  const { db, clock } = kernel;
  let of = await findNextActor(db, table, undefined);
  while (of !== undefined) {
    const finishedBefore = clock.now() - (await retentionOf(kernel, of.userId));
    for await (const id of listOld(kernel, table, of, finishedBefore)) {
      signal.throwIfAborted();
      await remove(id, finishedBefore);
    }
    of = await findNextActor(db, table, of);
  }
}

async function* listOld(
  { db }: Kernel,
  table: JobTable,
  of: ActorOfAccount,
  finishedBefore: number,
): AsyncGenerator<string, void> {
  const before = await findLastKept(db, table, of, KEPT);
  if (before === undefined) return;
  let after: StartedJob | undefined;
  for (;;) {
    const found = await listFinishedJobs(db, table, of, { after, before, finishedBefore }, BATCH_SIZE);
    yield* found.map(({ id }) => id);
    if (found.length < BATCH_SIZE) return;
    after = found.at(-1);
  }
}
