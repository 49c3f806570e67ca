// Copies schedules, disabled without --enable: both servers would start the same runs.
import { findActorId } from './copy-actors.ts';
import {
  differingFields,
  pickFields,
  type RemoteFields,
  attempt,
  reportThing,
  type ImportContext,
} from './import-context.ts';
import { findTaskId } from './copy-tasks.ts';
import { eachListed } from './remote-lists.ts';

const KIND = 'schedules';
const FIELDS = ['name', 'title', 'description', 'cronExpression', 'timezone', 'isExclusive', 'notifications'];

interface ScheduleAction extends RemoteFields {
  type: string;
  actorId?: string;
  actorTaskId?: string;
}

interface RemoteSchedule extends RemoteFields {
  id: string;
  name: string;
  isEnabled: boolean;
  actions?: ScheduleAction[];
}

export async function copySchedules(context: ImportContext): Promise<void> {
  const { from, to } = context;
  const known = new Map<string, string>();
  for await (const { id, name } of eachListed<RemoteSchedule>(to, '/schedules'))
    known.set(name.toLowerCase(), id);
  for await (const { id, name } of eachListed<RemoteSchedule>(from, '/schedules')) {
    await attempt(context, { kind: KIND, name }, async () => {
      const schedule = await from.get<RemoteSchedule>(`/schedules/${id}`);
      await copySchedule(context, schedule, known.get(name.toLowerCase()));
    });
  }
}

async function copySchedule(
  context: ImportContext,
  schedule: RemoteSchedule,
  knownId: string | undefined,
): Promise<void> {
  const { to, options, report } = context;
  const { name } = schedule;
  const { actions, missing } = await mapActions(context, schedule.actions ?? []);
  if (missing.length > 0)
    return reportThing(context, { kind: KIND, name, outcome: 'skipped', reason: missing.join('; ') });
  const wanted = { ...pickFields(schedule, FIELDS), actions };
  const isEnabled = options.enables && schedule.isEnabled;
  if (schedule.isEnabled && !options.enables)
    report.ask(
      `Turn the schedule ${name} off there and on here when you move: it is off here, so that nothing runs twice.`,
    );
  if (knownId === undefined) {
    if (!options.isDryRun) await to.send('POST', '/schedules', { ...wanted, isEnabled });
    return reportThing(context, { kind: KIND, name, outcome: 'created' });
  }
  const known = await to.get<RemoteSchedule>(`/schedules/${knownId}`);
  // Whether it is on is the target's own affair, unless the import is to switch it on.
  const differing = differingFields({ ...wanted, ...(isEnabled && { isEnabled }) }, known);
  if (differing.length === 0) return reportThing(context, { kind: KIND, name, outcome: 'unchanged' });
  if (!options.overwrites && differing.some((field) => field !== 'isEnabled'))
    return reportThing(context, {
      kind: KIND,
      name,
      outcome: 'kept',
      reason: `differs in ${differing.join(', ')}`,
    });
  if (!options.isDryRun)
    await to.send('PUT', `/schedules/${knownId}`, { ...wanted, ...(isEnabled && { isEnabled }) });
  reportThing(context, { kind: KIND, name, outcome: 'changed', reason: differing.join(', ') });
}

async function mapActions(
  context: ImportContext,
  actions: readonly ScheduleAction[],
): Promise<{ actions: RemoteFields[]; missing: string[] }> {
  const mapped: RemoteFields[] = [];
  const missing: string[] = [];
  for (const action of actions) {
    const { type, actorId, actorTaskId } = action;
    const found =
      actorTaskId === undefined
        ? await findActorId(context, actorId!)
        : await findTaskId(context, actorTaskId);
    if (typeof found === 'object') missing.push(found.missing);
    else
      mapped.push({
        type,
        ...(actorTaskId === undefined ? { actorId: found } : { actorTaskId: found }),
        ...pickFields(action, ['runInput', 'runOptions', 'input']),
      });
  }
  return { actions: mapped, missing };
}
