// Starts, aborts and removes builds, each in one transaction with its log and its job; old ones that nothing needs are removed now and then.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { RecurringWork } from '../../kernel/http/protocol.ts';
import { newId } from '../../kernel/id.ts';
import { shareLockAccount } from '../../kernel/identity/store-accounts.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { deleteTagsOfBuild, findTaggedBuild } from '../actors/store-tags.ts';
import { findActorById, takeBuildNumber } from '../actors/store.ts';
import { deleteWaitingJob, requestControl, insertJob } from '../jobs/store.ts';
import { deleteLog, endLog, insertLog } from '../logs/store.ts';
import { isFinished } from '../jobs/job.ts';
import { listBuildWebhooks, recordBuildEvent } from '../webhooks/record-event.ts';
import { RETENTION_SWEEP_MS, sweepFinished } from '../jobs/retention.ts';
import { isBuildOfTask } from '../tasks/store.ts';
import type { Actor } from '../actors/model.ts';
import { findVersion } from '../actors/store-versions.ts';
import { checkExecution } from '../jobs/this-node.ts';
import type { JobMeta } from '../jobs/job-meta.ts';
import { buildNotFound, type Build, BUILD_MEMORY_MBYTES } from './model.ts';
import { clearSnapshotSource, insertSnapshot } from './store-snapshots.ts';
import { deleteBuild, lockBuild, tryLockBuild, updateBuild, isBuildUsed, insertBuild } from './store.ts';

interface NewBuild {
  actor: Actor;
  versionNumber: string;
  /** Instead of the version's own tag. */
  tag?: string | undefined;
  useCache?: boolean | undefined;
  betaPackages?: boolean | undefined;
  meta: JobMeta;
  caller: KnownCaller;
  /** Is done in the same transaction. */
  alongside?(tx: Db): Promise<void>;
}

export async function startBuild(kernel: Kernel, wanted: NewBuild, now: number): Promise<Build> {
  const { actor, versionNumber, tag, useCache, betaPackages, meta, caller } = wanted;
  checkExecution(kernel);
  const memoryMbytes = buildMemory(kernel);
  return await kernel.db.transaction().execute(async (tx) => {
    const version = versionNumber.includes('\0') ? undefined : await findVersion(tx, actor.id, versionNumber);
    if (version === undefined)
      throw new Failure(
        'not-found',
        `The Actor has no version "${versionNumber.replaceAll('\0', '\uFFFD')}"`,
      );
    await shareLockAccount(tx, caller);
    const build: Build = {
      id: newId(now),
      actorId: actor.id,
      userId: actor.userId,
      versionNumber,
      buildNumber: `${versionNumber}.${await takeBuildNumber(tx, actor.id, versionNumber)}`,
      sourceType: version.sourceType,
      tag: tag ?? version.buildTag,
      status: 'READY',
      statusMessage: null,
      exitCode: null,
      meta,
      options: {
        ...(useCache !== undefined && { useCache }),
        ...(betaPackages !== undefined && { betaPackages }),
        memoryMbytes,
        diskMbytes: 2 * memoryMbytes,
      },
      stats: { runTimeMs: 0, sourceBytes: 0 },
      startedAt: now,
      finishedAt: null,
      sources: null,
      commit: null,
      dependencies: null,
      runtime: null,
      definition: null,
      inputSchema: null,
      readme: null,
      changelog: null,
    };
    await insertBuild(tx, build);
    await insertSnapshot(tx, build.id, version);
    await insertLog(tx, { id: build.id, userId: build.userId }, now);
    await insertJob(tx, { id: build.id, kind: 'build', userId: build.userId, memoryMbytes }, now);
    await recordBuildEvent(tx, await listBuildWebhooks(tx, build), build, 'CREATED', now);
    await wanted.alongside?.(tx);
    return build;
  });
}

/** The platform's, unless this machine is smaller: a job that fits into no node would wait for ever. */
function buildMemory({ settings }: Kernel): number {
  return Math.min(BUILD_MEMORY_MBYTES, settings.execution.nodeMemoryMbytes);
}

/** One that no node has claimed ends at once; for others the node that executes it gets the word. A finished one stays as it is. */
export async function abortBuild(kernel: Kernel, id: string, now: number): Promise<Build> {
  return await kernel.db.transaction().execute(async (tx) => {
    const build = await lockBuild(tx, id);
    if (build === undefined) throw buildNotFound();
    return isFinished(build.status) ? build : await abortIn(tx, build, now);
  });
}

async function abortIn(tx: Db, build: Build, now: number): Promise<Build> {
  const { id } = build;
  if (await deleteWaitingJob(tx, id)) {
    const changes = { status: 'ABORTED' as const, finishedAt: now, statusMessage: 'Build was aborted' };
    const after = { ...build, ...changes };
    await updateBuild(tx, id, changes);
    await clearSnapshotSource(tx, id);
    await endLog(tx, id);
    await recordBuildEvent(tx, await listBuildWebhooks(tx, build), after, 'ended', now);
    return after;
  }
  const changes = { status: 'ABORTING' as const };
  await updateBuild(tx, id, changes);
  await requestControl(tx, id, 'abort');
  return { ...build, ...changes };
}

/** Refuses one that is not finished, and the one that runs get by default. Its sources are swept later. */
export async function removeBuild(kernel: Kernel, id: string, now: number): Promise<void> {
  await kernel.db.transaction().execute(async (tx) => {
    const build = await lockBuild(tx, id);
    if (build === undefined) throw buildNotFound();
    if (!isFinished(build.status)) {
      throw new Failure('invalid', 'The build is not finished: abort it first.', {
        code: 'deleting-unfinished-build',
      });
    }
    const actor = await findActorById(tx, build.actorId);
    if (actor !== undefined && (await isDefault(tx, actor.id, actor.runOptions.build, build))) {
      throw new Failure(
        'invalid',
        `The build is the default one of the Actor ("${actor.runOptions.build}"): tag another build first.`,
        { code: 'deleting-default-build' },
      );
    }
    await deleteBuildRows(tx, id, now);
  });
}

async function isDefault(tx: Db, actorId: string, tagOrNumber: string, build: Build): Promise<boolean> {
  const tagged = await findTaggedBuild(tx, actorId, tagOrNumber);
  return tagged === undefined ? build.buildNumber === tagOrNumber : tagged === build.id;
}

/** With its tags and its log. */
export async function deleteBuildRows(tx: Db, id: string, now: number): Promise<void> {
  await deleteTagsOfBuild(tx, id);
  await deleteLog(tx, id, now);
  await deleteBuild(tx, id);
}

export function buildRetention(kernel: Kernel): RecurringWork {
  const remove = (id: string) => removeOldBuild(kernel, id);
  return {
    kind: 'builds.retention',
    everyMs: RETENTION_SWEEP_MS,
    run: (signal) => sweepFinished(kernel, 'builds', remove, signal),
  };
}

/**
 * One that a tag, a run, a task, or the default options or the standby settings of its Actor name is kept; and so is one that
 * is locked, because a run is being started with it: a wait could be long where many are.
 */
async function removeOldBuild({ db, clock }: Kernel, id: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const build = await tryLockBuild(tx, id);
    if (build === undefined || (await isBuildUsed(tx, id))) return;
    const actor = await findActorById(tx, build.actorId);
    const named = [actor?.runOptions.build, actor?.details.actorStandby?.build];
    if (named.includes(build.buildNumber)) return;
    if (await isBuildOfTask(tx, build.actorId, build.buildNumber)) return;
    await deleteBuildRows(tx, id, clock.now());
  });
}
