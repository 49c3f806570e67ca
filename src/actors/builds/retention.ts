// Removes old builds that nothing needs any more; their sources and packages are swept later.
import type { RecurringWork } from '../../kernel/http/protocol.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { findActorById } from '../actors/store.ts';
import { RETENTION_SWEEP_MS, sweepFinished } from '../jobs/retention.ts';
import { isBuildOfTask } from '../tasks/store.ts';
import { deleteBuildRows } from './change-build.ts';
import { isBuildUsed, lockBuild } from './store.ts';

export function buildRetention(kernel: Kernel): RecurringWork {
  const remove = (id: string) => removeOldBuild(kernel, id);
  return {
    kind: 'builds.retention',
    everyMs: RETENTION_SWEEP_MS,
    run: (signal) => sweepFinished(kernel, 'builds', remove, signal),
  };
}

/** One that a tag, a run, a task, or the default options or the standby settings of its Actor name is kept. */
async function removeOldBuild({ db, clock }: Kernel, id: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const build = await lockBuild(tx, id);
    if (build === undefined || (await isBuildUsed(tx, id))) return;
    const actor = await findActorById(tx, build.actorId);
    const named = [actor?.runOptions.build, actor?.details.actorStandby?.build];
    if (named.includes(build.buildNumber)) return;
    if (await isBuildOfTask(tx, build.actorId, build.buildNumber)) return;
    await deleteBuildRows(tx, id, clock.now());
  });
}
