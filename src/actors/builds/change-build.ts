// Aborts and removes builds.
import { Failure } from '../../kernel/failure.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { deleteTagsOfBuild, findTaggedBuild } from '../actors/store-tags.ts';
import { findActorById } from '../actors/store.ts';
import { deleteWaitingJob, requestControl } from '../jobs/store.ts';
import { deleteLog, endLog } from '../logs/store.ts';
import { isFinished } from '../jobs/job-status.ts';
import { listBuildWebhooks, recordBuildEvent } from '../webhooks/record-event.ts';
import { buildNotFound, type Build } from './model.ts';
import { clearSnapshotSource } from './store-snapshots.ts';
import { deleteBuild, findBuild, lockBuild, updateBuild } from './store.ts';

/** One that no node has claimed ends at once; for others the node that executes it gets the word. A finished one stays as it is. */
export async function abortBuild(kernel: Kernel, id: string, now: number): Promise<Build> {
  await kernel.db.transaction().execute(async (tx) => {
    const build = await lockBuild(tx, id);
    if (build === undefined) throw buildNotFound();
    if (!isFinished(build.status)) await abortIn(tx, build, now);
  });
  const build = await findBuild(kernel.db, id);
  if (build === undefined) throw buildNotFound();
  return build;
}

async function abortIn(tx: Db, build: Build, now: number): Promise<void> {
  const { id } = build;
  if (await deleteWaitingJob(tx, id)) {
    const changes = { status: 'ABORTED' as const, finishedAt: now, statusMessage: 'Build was aborted' };
    await updateBuild(tx, id, changes);
    await clearSnapshotSource(tx, id);
    await endLog(tx, id);
    await recordBuildEvent(tx, await listBuildWebhooks(tx, build), { ...build, ...changes }, 'ended', now);
    return;
  }
  await updateBuild(tx, id, { status: 'ABORTING' });
  await requestControl(tx, id, 'abort');
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
