// The fields of a task before and after a change.
import { checkMemorySize } from '../input/memory.ts';
import { titleOf } from '../resource-names.ts';
import { checkPositive } from '../runs/run-query.ts';
import { NO_OPTIONS, type SentTask, type TaskDetails, type TaskFields } from './model.ts';

/** Of a new task that is called this. */
export function blankTask(name: string): TaskFields {
  return {
    name,
    title: titleOf(name),
    options: NO_OPTIONS,
    details: { description: null, isPublic: false, publicConfig: null, actorStandby: {} },
  };
}

/** What the task is after a change: absent fields stay, also those inside of `options` and `actorStandby`. */
export function taskAfter(
  before: TaskFields,
  sent: SentTask,
  now: number,
  boundary: string | undefined,
): TaskFields {
  const { name, title, options, description, actorStandby } = sent;
  const standbyBoundary = actorStandby === undefined ? before.standbyBoundary : boundary;
  const after: TaskFields = {
    name: name ?? before.name,
    title: title === undefined ? before.title : title,
    options: options === null ? NO_OPTIONS : { ...before.options, ...given(options) },
    details: {
      description: description === undefined ? before.details.description : description,
      actorStandby: actorStandby === null ? {} : { ...before.details.actorStandby, ...given(actorStandby) },
      ...publishedAfter(before.details, sent, now),
    },
    ...(standbyBoundary !== undefined && { standbyBoundary }),
  };
  checkOptions(after);
  return after;
}

/** Without the fields that are absent. */
function given<T extends object>(fields: T | undefined): Partial<T> {
  return Object.fromEntries(
    Object.entries(fields ?? {}).filter(([, value]) => value !== undefined),
  ) as Partial<T>;
}

/** `publishedAt` is the time at which it became public. */
function publishedAfter(
  before: Pick<TaskDetails, 'isPublic' | 'publicConfig'>,
  sent: Pick<SentTask, 'isPublic' | 'publicConfig'>,
  now: number,
): Pick<TaskDetails, 'isPublic' | 'publicConfig'> {
  const isPublic = sent.isPublic ?? before.isPublic;
  const { publishedAt = null, ...config } = before.publicConfig ?? {};
  const changed = sent.publicConfig === null ? {} : { ...config, ...given(sent.publicConfig) };
  if (!isPublic && Object.keys(changed).length === 0) return { isPublic, publicConfig: null };
  const since = before.isPublic ? publishedAt : new Date(now).toISOString();
  return { isPublic, publicConfig: { publishedAt: isPublic ? since : null, ...changed } };
}

function checkOptions({ options, details }: TaskFields): void {
  const { memoryMbytes, maxItems, maxTotalChargeUsd } = options;
  if (memoryMbytes !== null) checkMemorySize('options.memoryMbytes', memoryMbytes);
  const standbyMemory = details.actorStandby.memoryMbytes ?? null;
  if (standbyMemory !== null) checkMemorySize('actorStandby.memoryMbytes', standbyMemory);
  checkPositive(maxItems ?? undefined, 'options.maxItems', 'max-items-must-be-greater-than-zero');
  checkPositive(
    maxTotalChargeUsd ?? undefined,
    'options.maxTotalChargeUsd',
    'max-total-charge-usd-must-be-greater-than-zero',
  );
}
