// Finds what is in standby mode by the name in a path, and checks that the caller may run it.
import { Failure } from '../../kernel/failure.ts';
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import { recordedAs } from '../../kernel/identity/identity.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import type { RawRouteCall } from '../../kernel/http/raw-route.ts';
import { actorDenied, actorResource, isOwnerOf, openActor } from '../actors/access.ts';
import type { Actor } from '../actors/model.ts';
import { findActorById } from '../actors/store.ts';
import { type JobMeta, metaOf } from '../jobs/job-meta.ts';
import { startRun, type RunStart } from '../runs/start-run.ts';
import { openTask, taskResource } from '../tasks/access.ts';
import type { Task } from '../tasks/model.ts';
import { startTaskRun } from '../tasks/start-task-run.ts';
import { notInStandbyMode, poolSettingsOf, type PoolSettings } from './model.ts';
import type { ResolvedName, StandbyProgram } from './pools.ts';

/** For how long a change of the Actor or task may go unnoticed: many requests come at once, and each would read them. */
const CACHE_MS = 1000;

export async function openStandby(
  kernel: Kernel,
  call: RawRouteCall,
  reference: string,
  address: string,
): Promise<StandbyProgram> {
  const { caller, headers, now } = call;
  const names = kernel.services.standby.names.of(caller);
  let resolved = names.get(reference, now);
  if (resolved === undefined) {
    resolved = await resolve(kernel, call, reference);
    names.set(reference, resolved, now + CACHE_MS);
  } else if (!call.can(resolved.resource, resolved.action)) throw actorDenied();
  return resolved.open({ ...metaOf({ caller, headers, address }, recordedAs(caller)), origin: 'STANDBY' });
}

/** An Actor wins over a task of the same name, unless only the task is in standby mode. */
async function resolve(kernel: Kernel, call: RawRouteCall, reference: string): Promise<ResolvedName> {
  const { caller } = call;
  const actor = await unlessMissing(openActor(kernel, call, reference, 'runActor'));
  if (actor?.details.actorStandby?.isEnabled === true) {
    const open = (meta: JobMeta) => standbyActor(kernel, caller, actor, meta);
    return { action: 'runActor', resource: actorResource(actor), open };
  }
  const task = await unlessMissing(openTask(kernel, call, reference, 'runTask'));
  const settings = task && (await settingsOfTask(kernel, task));
  if (task !== undefined && settings !== undefined) {
    const open = (meta: JobMeta) => standbyTask(kernel, caller, task, settings, meta);
    return { action: 'runTask', resource: taskResource(task), open };
  }
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
      const kept = await keepBoundary(kernel, caller, meta, [boundaryIn(actor, caller)]);
      const { id } = await startRun(
        kernel,
        { actor, caller, input, ...startOf(kernel, kept, settings) },
        kernel.clock.now(),
      );
      return id;
    },
  };
}

/** Undefined where neither the task nor its Actor is in standby mode. */
async function settingsOfTask({ db }: Kernel, { actorId, details }: Task): Promise<PoolSettings | undefined> {
  const actor = await findActorById(db, actorId);
  const ofActor = actor?.details.actorStandby ?? {};
  const isEnabled = details.actorStandby.isEnabled ?? ofActor.isEnabled;
  return isEnabled === true ? poolSettingsOf(ofActor, details.actorStandby) : undefined;
}

function standbyTask(
  kernel: Kernel,
  caller: KnownCaller,
  task: Task,
  settings: PoolSettings,
  meta: JobMeta,
): StandbyProgram {
  return {
    key: { userId: accountOf(caller).id, actorId: task.actorId, taskId: task.id },
    settings,
    async start() {
      const input = settings.passesInput ? {} : 'none';
      const actor = await findActorById(kernel.db, task.actorId);
      const boundaries = [actor && boundaryIn(actor, caller), task.standbyBoundary];
      const kept = await keepBoundary(kernel, caller, meta, boundaries);
      const { id } = await startTaskRun(
        kernel,
        { task, caller, input, ...startOf(kernel, kept, settings) },
        kernel.clock.now(),
      );
      return id;
    },
  };
}

/** All callers share its runs, so these have the boundary of the tokens that saved the settings, not that of the caller. */
async function keepBoundary(
  { identity, clock }: Kernel,
  caller: KnownCaller,
  meta: JobMeta,
  boundaries: readonly (string | undefined)[],
): Promise<JobMeta> {
  return { ...meta, initiator: await identity.initiatorWithin(caller, boundaries, clock.now()) };
}

/** What the token of another account allows says nothing about this one, whose run has limited permissions anyway. */
function boundaryIn(actor: Actor, caller: KnownCaller): string | undefined {
  return isOwnerOf(caller, actor) ? actor.standbyBoundary : undefined;
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
