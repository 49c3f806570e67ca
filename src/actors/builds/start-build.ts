// Starts a build: its row, its log and its job, in one transaction.
import { Failure } from '../../kernel/failure.ts';
import { newId } from '../../kernel/id.ts';
import { shareLockAccount } from '../../kernel/identity/store-accounts.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Actor } from '../actors/model.ts';
import { findVersion } from '../actors/store-versions.ts';
import { takeBuildNumber } from '../actors/store.ts';
import { checkExecution } from '../jobs/check-execution.ts';
import { insertJob } from '../jobs/store.ts';
import { insertLog } from '../logs/store.ts';
import type { JobMeta } from '../jobs/job-meta.ts';
import { listBuildWebhooks, recordBuildEvent } from '../webhooks/record-event.ts';
import { BUILD_MEMORY_MBYTES, type Build } from './model.ts';
import { insertSnapshot } from './store-snapshots.ts';
import { insertBuild } from './store.ts';

export interface NewBuild {
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
