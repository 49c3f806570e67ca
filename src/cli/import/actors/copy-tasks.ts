// Copies tasks, and finds those on the target that stand for tasks of the source. Their Actors have to be on the target, under the same names.
import { findActorId, STANDBY_OPTIONS } from './copy-actors.ts';
import {
  differingFields,
  pickFields,
  type RemoteFields,
  attempt,
  reportThing,
  PLANNED,
  type ImportContext,
} from './import-context.ts';
import { eachListed } from './remote-lists.ts';

const KIND = 'tasks';

interface RemoteTask extends RemoteFields {
  id: string;
  actId: string;
  name: string;
  input?: RemoteFields | null;
}

const TASK_OPTIONS = [
  'build',
  'timeoutSecs',
  'memoryMbytes',
  'maxItems',
  'maxTotalChargeUsd',
  'restartOnError',
];
/** A secret field of an input, which only the server that encrypted it can read. */
const ENCRYPTED = /^ENCRYPTED_[A-Z]+:/;

export async function copyTasks(context: ImportContext): Promise<void> {
  for await (const { id, name } of eachListed<RemoteTask>(context.from, '/actor-tasks')) {
    await attempt(context, { kind: KIND, name }, async () => {
      await copyTask(context, await context.from.get<RemoteTask>(`/actor-tasks/${id}`));
    });
  }
}

async function copyTask(context: ImportContext, task: RemoteTask): Promise<void> {
  const { to, owner, ids, options } = context;
  const { id, name } = task;
  const known = await to.find<RemoteTask>(`/actor-tasks/${owner.to.username}~${name}`);
  const actId = await findActorId(context, task.actId);
  if (typeof actId === 'object')
    return reportThing(context, { kind: KIND, name, outcome: 'skipped', reason: actId.missing });
  const { wanted, secrets } = wantedTask(task);
  const unset = secrets.filter((field) => known?.input?.[field] == null);
  if (unset.length > 0)
    context.report.ask(
      `Set ${unset.join(', ')} in the input of the task ${name}: secret fields cannot be read.`,
    );
  if (known === undefined) {
    const created = options.isDryRun
      ? { id: PLANNED }
      : await to.send<RemoteTask>('POST', '/actor-tasks', { actId, name, ...wanted });
    ids.tasks.set(id, created.id);
    return reportThing(context, { kind: KIND, name, outcome: 'created' });
  }
  ids.tasks.set(id, known.id);
  const differing = [...(known.actId === actId ? [] : ['its Actor']), ...differingFields(wanted, known)];
  if (differing.length === 0) return reportThing(context, { kind: KIND, name, outcome: 'unchanged' });
  const reason = `differs in ${differing.join(', ')}`;
  // The Actor of a task cannot be changed.
  if (!options.overwrites || known.actId !== actId)
    return reportThing(context, { kind: KIND, name, outcome: 'kept', reason });
  if (!options.isDryRun) await to.send('PUT', `/actor-tasks/${known.id}`, wanted);
  reportThing(context, { kind: KIND, name, outcome: 'changed', reason: differing.join(', ') });
}

function wantedTask(task: RemoteTask): { wanted: RemoteFields; secrets: string[] } {
  const secrets = Object.entries(task.input ?? {})
    .filter(([, value]) => typeof value === 'string' && ENCRYPTED.test(value))
    .map(([field]) => field);
  const input = Object.fromEntries(
    Object.entries(task.input ?? {}).filter(([field]) => !secrets.includes(field)),
  );
  const { options, actorStandby } = task;
  const wanted = {
    ...pickFields(task, ['title', 'description']),
    ...(options != null && { options: pickFields(options as RemoteFields, TASK_OPTIONS) }),
    ...(task.input != null && { input }),
    ...(actorStandby != null && { actorStandby: pickFields(actorStandby as RemoteFields, STANDBY_OPTIONS) }),
  };
  return { wanted, secrets };
}

interface NamedTask {
  id: string;
  name: string;
}

export async function findTaskId(
  context: ImportContext,
  sourceId: string,
): Promise<string | { missing: string }> {
  const { from, to, ids, owner } = context;
  const known = ids.tasks.get(sourceId);
  if (known !== undefined) return known;
  const task = await from.find<NamedTask>(`/actor-tasks/${sourceId}`);
  if (task === undefined) return { missing: `its task ${sourceId} is gone` };
  const found = await to.find<NamedTask>(`/actor-tasks/${owner.to.username}~${task.name}`);
  if (found === undefined) return { missing: `its task ${task.name} is not on ${to.host}` };
  ids.tasks.set(sourceId, found.id);
  return found.id;
}
