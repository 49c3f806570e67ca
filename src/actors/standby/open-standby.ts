// Finds what is in standby mode by the name in a path, and checks that the caller may run it.
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { RawRouteCall } from '../../kernel/raw-route.ts';
import { openActor } from '../actors/access.ts';
import type { Actor } from '../actors/model.ts';
import { findActorById } from '../actors/store.ts';
import type { JobMeta } from '../jobs/job-meta.ts';
import { metaOf } from '../jobs/job-origin.ts';
import { startRun, type RunStart } from '../runs/start-run.ts';
import { openTask } from '../tasks/access.ts';
import type { Task } from '../tasks/model.ts';
import { startTaskRun } from '../tasks/start-task-run.ts';
import { notInStandbyMode, poolSettingsOf, type PoolSettings } from './model.ts';
import type { PoolKey } from './pools.ts';
import type { StartRun } from './pool.ts';

export interface StandbyProgram {
  /** Runs belong to the caller's account, also those of an Actor of others. */
  key: PoolKey;
  settings: PoolSettings;
  start: StartRun;
}

/** An Actor wins over a task of the same name, unless only the task is in standby mode. */
export async function openStandby(
  kernel: Kernel,
  call: RawRouteCall,
  reference: string,
  address: string,
): Promise<StandbyProgram> {
  const meta = {
    ...metaOf({ caller: call.caller, headers: call.headers, address }),
    origin: 'STANDBY' as const,
  };
  const actor = await unlessMissing(openActor(kernel, call, reference, 'runActor'));
  if (actor?.details.actorStandby?.isEnabled === true) return standbyActor(kernel, call.caller, actor, meta);
  const task = await unlessMissing(openTask(kernel, call, reference, 'runTask'));
  const standby = task && (await standbyTask(kernel, call.caller, task, meta));
  if (standby !== undefined) return standby;
  if (actor === undefined && task === undefined)
    throw new Failure('not-found', 'Neither an Actor nor a task of this name was found');
  throw notInStandbyMode();
}

async function unlessMissing<T>(opening: Promise<T>): Promise<T | undefined> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not-found') return undefined;
    throw error;
  }
}

function standbyActor(kernel: Kernel, caller: KnownCaller, actor: Actor, meta: JobMeta): StandbyProgram {
  const settings = poolSettingsOf(actor.details.actorStandby!);
  return {
    key: { userId: accountOf(caller).id, actorId: actor.id, taskId: null },
    settings,
    async start() {
      const input = exampleInputOf(actor, settings);
      const { id } = await startRun(
        kernel,
        { actor, caller, input, ...startOf(kernel, meta, settings) },
        kernel.clock.now(),
      );
      return id;
    },
  };
}

/** Undefined where neither the task nor its Actor is in standby mode. */
async function standbyTask(
  kernel: Kernel,
  caller: KnownCaller,
  task: Task,
  meta: JobMeta,
): Promise<StandbyProgram | undefined> {
  const actor = await findActorById(kernel.db, task.actorId);
  const ofActor = actor?.details.actorStandby ?? {};
  const { actorStandby } = task.details;
  if ((actorStandby.isEnabled ?? ofActor.isEnabled) !== true) return undefined;
  const settings = poolSettingsOf(ofActor, actorStandby);
  return {
    key: { userId: accountOf(caller).id, actorId: task.actorId, taskId: task.id },
    settings,
    async start() {
      const input = settings.passesInput ? {} : 'none';
      const { id } = await startTaskRun(
        kernel,
        { task, caller, input, ...startOf(kernel, meta, settings) },
        kernel.clock.now(),
      );
      return id;
    },
  };
}

function startOf(
  { services }: Kernel,
  meta: JobMeta,
  { build, memoryMbytes: memory }: PoolSettings,
): Pick<RunStart, 'meta' | 'query' | 'node'> {
  return {
    meta,
    query: { build, memory, timeout: 0 },
    // Where its requests are counted.
    node: services.thisNode.name,
  };
}

/** The Actor's own example, where it is to be passed: nobody sends an input. */
function exampleInputOf({ details }: Actor, { passesInput }: PoolSettings): RunStart['input'] {
  const { exampleRunInput } = details;
  if (!passesInput || exampleRunInput == null) return 'none';
  return { body: Buffer.from(exampleRunInput.body), contentType: exampleRunInput.contentType };
}
