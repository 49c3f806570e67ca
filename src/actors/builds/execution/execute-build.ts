// Executes a build on this node: from the claim of its job to its end.
import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../../kernel/failure.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import { type Job, type JobContext, type JobStatus, isFinished, reasonToGiveUp } from '../../jobs/job.ts';
import { deleteJob, holdsJob } from '../../jobs/store.ts';
import { openLogWriter } from '../../logs/log-writer.ts';
import { finishLog } from '../../logs/stored-log.ts';
import { removeTree } from '../../runner/remove-tree.ts';
import { saveStoreEntry } from '../../actor-store/store-entries.ts';
import { setTag } from '../../actors/store-tags.ts';
import { lockActor } from '../../actors/store.ts';
import { listBuildWebhooks, recordBuildEvent } from '../../webhooks/record-event.ts';
import { StepFailed } from './build-step.ts';
import { BUILD_TIMEOUT_MS, type Build } from '../model.ts';
import { produceBuild, type BuildContext, type BuildResult } from './produce-build.ts';
import { clearEarlierSources, clearSnapshotSource } from '../store-snapshots.ts';
import { findBuild, lockBuild, updateBuild } from '../store.ts';
import { BUILD_FOLDERS, makeTemporaryFolder, makeWorkFolder } from './work-folders.ts';

export interface BuildExecution {
  timeoutMs?: number;
}

/** Why a build stops before its end, other than the end of the lease or of the server. */
class BuildStopped extends Error {
  readonly status: 'ABORTED' | 'TIMED-OUT';

  constructor(status: 'ABORTED' | 'TIMED-OUT', message: string) {
    super(message);
    this.status = status;
  }
}

/** After so many claims an error that is not the Actor's own ends the build, which would otherwise be tried for ever. */
const MAX_CLAIMS = 5;

export async function executeBuild(
  kernel: Kernel,
  job: Job,
  context: JobContext,
  { timeoutMs = BUILD_TIMEOUT_MS }: BuildExecution = {},
): Promise<void> {
  const build = await findBuild(kernel.db, job.id);
  if (build === undefined || isFinished(build.status)) {
    await deleteJob(kernel.db, job);
    return;
  }
  if (!(await beginBuild(kernel, job))) return;
  const begun = performance.now();
  const stop = new AbortController();
  const timer = setTimeout(
    () => stop.abort(new BuildStopped('TIMED-OUT', timeoutMessage(timeoutMs))),
    timeoutMs,
  );
  const leave = () => stop.abort(context.signal.reason);
  context.signal.addEventListener('abort', leave, { once: true });
  if (context.signal.aborted) leave();
  context.onControl((control) => {
    if (control.startsWith('abort')) stop.abort(new BuildStopped('ABORTED', 'The build was aborted.'));
  });
  const { work } = kernel.settings.execution;
  const folder = await makeWorkFolder(work, BUILD_FOLDERS, build.id);
  const temporary = await makeTemporaryFolder(folder, 'work');
  // Beside the folder of the build, which is deleted: a log that could not be stored yet stays.
  const log = await openLogWriter(kernel, { id: build.id, folder: join(work, 'logs') });
  try {
    const result = await buildOrLeave(kernel, job, { build, log, temporary, signal: stop.signal }, context);
    if (result === undefined) return;
    // Followers of the log see the final status when it ends.
    if (await endBuild(kernel, job, result, Math.round(performance.now() - begun)))
      await finishLog(kernel, build.id);
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener('abort', leave);
    await removeTree(temporary);
    await rmdir(folder).catch(() => {}); // an earlier execution may still clean up in it
  }
}

/** Closes the log. Undefined where another node goes on with the job, or this one after a restart. */
async function buildOrLeave(
  kernel: Kernel,
  job: Job,
  building: BuildContext,
  { signal }: JobContext,
): Promise<BuildResult | undefined> {
  const { log } = building;
  try {
    const result = await buildOrFail(kernel, job, building);
    signal.throwIfAborted();
    log.write(`ACTOR: ${result.message}`);
    return result;
  } catch (error) {
    if (!signal.aborted) throw error;
    return undefined;
  } finally {
    await log.close();
  }
}

function timeoutMessage(timeoutMs: number): string {
  return `The build was stopped: it took more than ${timeoutMs / 1000} seconds.`;
}

/** An error of the Actor is a result; others are thrown, and the job is tried again. */
async function buildOrFail(kernel: Kernel, job: Job, context: BuildContext): Promise<BuildResult> {
  const { signal, build } = context;
  const message = reasonToGiveUp(job);
  if (message !== undefined) return { status: 'FAILED', message };
  try {
    return await produceBuild(kernel, context);
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error;
    if (reason instanceof BuildStopped) return { status: reason.status, message: reason.message };
    if (signal.aborted) throw error;
    if (error instanceof StepFailed)
      return { status: 'FAILED', message: error.message, exitCode: error.exitCode };
    if (error instanceof Failure && error.kind !== 'unavailable' && error.kind !== 'internal')
      return { status: 'FAILED', message: error.message };
    if (job.claims < MAX_CLAIMS) throw error;
    kernel.log.error({ err: error, build: build.id }, 'a build failed for the last time');
    return { status: 'FAILED', message: 'The build failed because of an error of the server.' };
  }
}

/** The row of the build is locked before that of the job, as everywhere. False if the lease was lost. */
async function beginBuild(kernel: Kernel, job: Job): Promise<boolean> {
  return await kernel.db.transaction().execute(async (tx) => {
    const build = await lockBuild(tx, job.id);
    if (build === undefined || !(await holdsJob(tx, job))) return false;
    if (build.status === 'READY') await updateBuild(tx, job.id, { status: 'RUNNING' });
    return true;
  });
}

/** Files that were edited here are compared with those of the last good build. Other sources are addresses. */
function isKept({ sourceType }: Build, status: JobStatus): boolean {
  return sourceType === 'SOURCE_FILES' && status === 'SUCCEEDED';
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
    await (isKept(build, status) ? clearEarlierSources(tx, build) : clearSnapshotSource(tx, build.id));
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
