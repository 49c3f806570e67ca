// Tasks: saved options and input of an Actor, how the API shows them, and their fields before and after a change.
import { Nullable, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { Standby, STANDBY_FIELDS, type StandbySettings } from '../standby/model.ts';
import { MAX_MEMORY, MIN_MEMORY, checkMemorySize } from '../input/memory.ts';
import { checkRunBudget, MAX_TIMEOUT_SECS } from '../runs/run-query.ts';
import { titleOf } from '../resource-names.ts';

/** The options of its runs; null where they are those of the Actor. */
export interface TaskOptions {
  /** A tag, or the number of a build. */
  build: string | null;
  timeoutSecs: number | null;
  memoryMbytes: number | null;
  maxItems: number | null;
  maxTotalChargeUsd: number | null;
  restartOnError: boolean | null;
}

const NO_OPTIONS: TaskOptions = {
  build: null,
  timeoutSecs: null,
  memoryMbytes: null,
  maxItems: null,
  maxTotalChargeUsd: null,
  restartOnError: null,
};

/** Fields of a task without a column of their own. */
export interface TaskDetails {
  description: string | null;
  isPublic: boolean;
  publicConfig: TaskPublicConfig | null;
  actorStandby: StandbySettings;
}

export interface TaskFields {
  name: string;
  title: string | null;
  options: TaskOptions;
  details: TaskDetails;
  /** The boundary of the token that saved the standby settings. */
  standbyBoundary?: string;
}

/** Everything but the input, which may be large. */
export interface Task extends TaskFields {
  id: string;
  userId: string;
  actorId: string;
  totalRuns: number;
  lastRunStartedAt: number | null;
  createdAt: number;
  modifiedAt: number;
}

const DateTime = Type.String({ format: 'date-time' });
const Text = (maxLength: number) => Nullable(PlainText({ maxLength }));
/** A number and nothing else: a larger one cannot be stored. */
const MAX_NUMBER = 2_147_483_647;

const SentOptions = Type.Object(
  {
    build: Type.Optional(Nullable(PlainText({ minLength: 1, maxLength: 100 }))),
    timeoutSecs: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: MAX_TIMEOUT_SECS }))),
    memoryMbytes: Type.Optional(
      Nullable(Type.Integer({ description: `A power of two from ${MIN_MEMORY} to ${MAX_MEMORY}` })),
    ),
    maxItems: Type.Optional(Nullable(Type.Integer({ maximum: MAX_NUMBER }))),
    maxTotalChargeUsd: Type.Optional(Nullable(Type.Number({ maximum: MAX_NUMBER }))),
    restartOnError: Type.Optional(Nullable(Type.Boolean())),
  },
  { $id: 'TaskOptionsRequest', description: 'What is absent stays as it is; null means as the Actor has it' },
);

const PUBLIC_CONFIG = {
  seoTitle: Type.Optional(Text(1000)),
  seoDescription: Type.Optional(Text(5000)),
  categorization: Type.Optional(Text(1000)),
  inputSchemaFields: Type.Optional(Nullable(Type.Array(PlainText({ maxLength: 200 }), { maxItems: 1000 }))),
  datasetName: Type.Optional(Text(1000)),
  datasetView: Type.Optional(Text(1000)),
};
const SentPublicConfig = Type.Object(PUBLIC_CONFIG);
type TaskPublicConfig = Static<typeof SentPublicConfig> & { publishedAt?: string | null };

const SENT = {
  name: Type.Optional(Type.String({ description: '3 to 63 letters and digits, with hyphens only inside' })),
  title: Type.Optional(Text(200)),
  description: Type.Optional(Text(10_000)),
  options: Type.Optional(Nullable(SentOptions)),
  input: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      description: 'The input of its runs. Values of secret fields are stored encrypted.',
    }),
  ),
  actorStandby: Type.Optional(Nullable(Standby)),
  isPublic: Type.Optional(
    Nullable(Type.Boolean({ description: 'Stored for clients: a task is always visible to its owner only' })),
  ),
  publicConfig: Type.Optional(Nullable(SentPublicConfig)),
};

export const CreateTask = Type.Object(
  {
    actId: PlainText({ description: 'The Actor: its id, `username~name`, or `~name` for one of your own' }),
    ...SENT,
    name: Type.Optional(
      Nullable(
        Type.String({
          description:
            '3 to 63 letters and digits, with hyphens only inside; made from that of the Actor if absent',
        }),
      ),
    ),
  },
  { $id: 'CreateTaskRequest' },
);
export type CreatedTask = Static<typeof CreateTask>;

export const UpdateTask = Type.Object(SENT, { $id: 'UpdateTaskRequest' });
export type SentTask = Static<typeof UpdateTask>;

const Stats = Type.Object(
  { totalRuns: Type.Integer(), lastRunStartedAt: Type.Optional(DateTime) },
  { $id: 'TaskStats' },
);

const SHORT_FIELDS = {
  id: Type.String(),
  userId: Type.String(),
  actId: Type.String(),
  name: Type.String(),
  username: Type.String(),
  title: Nullable(Type.String()),
  createdAt: DateTime,
  modifiedAt: DateTime,
  stats: Stats,
};

export const TaskSummary = Type.Object(
  { ...SHORT_FIELDS, actName: Type.String(), actUsername: Type.String() },
  { $id: 'TaskShort' },
);

const TaskOptionsSchema = Type.Object(
  {
    build: Nullable(Type.String()),
    timeoutSecs: Nullable(Type.Integer()),
    memoryMbytes: Nullable(Type.Integer()),
    maxItems: Nullable(Type.Integer()),
    maxTotalChargeUsd: Nullable(Type.Number()),
    restartOnError: Nullable(Type.Boolean()),
  },
  { $id: 'TaskOptions' },
);

export const ShownTask = Type.Object(
  {
    ...SHORT_FIELDS,
    removedAt: Type.Null({ description: 'A deleted task is not found' }),
    description: Nullable(Type.String()),
    options: TaskOptionsSchema,
    input: Type.Record(Type.String(), Type.Unknown()),
    actorStandby: Standby,
    standbyUrl: Type.String(),
    isPublic: Type.Boolean(),
    publicConfig: Nullable(Type.Object({ publishedAt: Type.Optional(Nullable(DateTime)), ...PUBLIC_CONFIG })),
  },
  { $id: 'Task' },
);

/** The fields that a list shows too. */
export function toTaskFields(task: Task, username: string) {
  const { id, userId, actorId: actId, name, title, totalRuns, lastRunStartedAt } = task;
  return {
    id,
    userId,
    actId,
    name,
    username,
    title,
    createdAt: new Date(task.createdAt).toISOString(),
    modifiedAt: new Date(task.modifiedAt).toISOString(),
    stats: {
      totalRuns,
      ...(lastRunStartedAt !== null && { lastRunStartedAt: new Date(lastRunStartedAt).toISOString() }),
    },
  };
}

/** Everything but the input. */
export function toShownTask(
  task: Task,
  username: string,
  standbyUrl: string,
): Omit<Static<typeof ShownTask>, 'input'> {
  const { description, isPublic, publicConfig, actorStandby } = task.details;
  return {
    ...toTaskFields(task, username),
    removedAt: null,
    description,
    options: task.options,
    actorStandby: Object.fromEntries(STANDBY_FIELDS.map((name) => [name, actorStandby[name] ?? null])),
    standbyUrl,
    isPublic,
    publicConfig,
  };
}

/** Tasks of one account. */
export const MAX_TASKS = 5000;

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
  const { memoryMbytes } = options;
  if (memoryMbytes !== null) checkMemorySize('options.memoryMbytes', memoryMbytes);
  const standbyMemory = details.actorStandby.memoryMbytes ?? null;
  if (standbyMemory !== null) checkMemorySize('actorStandby.memoryMbytes', standbyMemory);
  checkRunBudget(options, 'options.');
}
