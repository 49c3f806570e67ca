// The transitions of a build that its node makes, each in a transaction that holds the job.
import type { Kernel } from '../../kernel/kernel.ts';
import { saveStoreEntry } from '../actor-store/store-entries.ts';
import { setTag } from '../actors/store-tags.ts';
import { lockActor } from '../actors/store.ts';
import type { Job } from '../jobs/job.ts';
import { deleteJob, holdsJob } from '../jobs/store.ts';
import { listBuildWebhooks, recordBuildEvent } from '../webhooks/record-event.ts';
import type { Build } from './model.ts';
import { clearSnapshotSource } from './store-snapshots.ts';
import { lockBuild, updateBuild } from './store.ts';

export interface BuildResult {
  status: 'SUCCEEDED' | 'FAILED' | 'ABORTED' | 'TIMED-OUT';
  message: string;
  exitCode?: number | null;
  /** Of one that has succeeded. */
  content?: Pick<
    Build,
    'sources' | 'dependencies' | 'runtime' | 'definition' | 'inputSchema' | 'readme' | 'changelog'
  >;
  sourceBytes?: number;
}

/** The row of the build is locked before that of the job, as everywhere. False if the lease was lost. */
export async function beginBuild(kernel: Kernel, job: Job): Promise<boolean> {
  return await kernel.db.transaction().execute(async (tx) => {
    const build = await lockBuild(tx, job.id);
    if (build === undefined || !(await holdsJob(tx, job))) return false;
    if (build.status === 'READY') await updateBuild(tx, job.id, { status: 'RUNNING' });
    return true;
  });
}

/** Saves the result, gives the tag to a build that has succeeded, and ends the job. False if the lease was lost: nothing is written. */
export async function endBuild(
  kernel: Kernel,
  job: Job,
  result: BuildResult,
  runTimeMs: number,
): Promise<boolean> {
  const now = kernel.clock.now();
  return await kernel.db.transaction().execute(async (tx) => {
    const build = await lockBuild(tx, job.id);
    if (!(await holdsJob(tx, job))) return false;
    await deleteJob(tx, job);
    // Deleted with its Actor.
    if (build === undefined) return true;
    // The caller of an abort got this status, so it stays, whatever came first.
    const isAborted = build.status === 'ABORTING';
    const status = isAborted ? 'ABORTED' : result.status;
    const changes = {
      status,
      statusMessage: isAborted ? 'The build was aborted.' : result.message,
      exitCode: result.exitCode ?? null,
      finishedAt: now,
      stats: { runTimeMs: build.stats.runTimeMs + runTimeMs, sourceBytes: result.sourceBytes ?? 0 },
      ...(status === 'SUCCEEDED' && result.content),
    };
    await updateBuild(tx, build.id, changes);
    await clearSnapshotSource(tx, build.id);
    const actor =
      status === 'SUCCEEDED' && build.tag !== null ? await lockActor(tx, build.actorId) : undefined;
    if (actor !== undefined) {
      await setTag(tx, actor.id, build.tag!, build.id);
      if (actor.isPublic) await saveStoreEntry(tx, actor);
    }
    await recordBuildEvent(tx, await listBuildWebhooks(tx, build), { ...build, ...changes }, 'ended', now);
    return true;
  });
}
