// The actions of schedules: starting an Actor or a task, with options and input.
import { Failure } from '../../kernel/failure.ts';
import { Nullable, OneOf, PlainText, problem, Type, type Static } from '../../kernel/schema/schema.ts';
import { checkMemorySize } from '../input/memory.ts';
import { checkRunBudget, MAX_TIMEOUT_SECS, type RunQuery } from '../runs/run-query.ts';

const ACTION_TYPES = ['RUN_ACTOR', 'RUN_ACTOR_TASK'] as const;
export type ActionType = (typeof ACTION_TYPES)[number];

export interface ScheduleAction {
  id: string;
  type: ActionType;
  /** The Actor, or the task. */
  targetId: string;
  runOptions: ActionRunOptions | null;
  /** JSON, sealed: of `runInput` or, for a task, of `input`. */
  sealedInput: string | null;
  lastRunId: string | null;
  /** The moment of the schedule that this action has done last. */
  lastMoment: number | null;
}

/** Actions of one schedule, of either type. */
const MAX_ACTIONS_OF_TYPE = 10;
/** Characters of the inputs of all actions together. */
export const MAX_INPUT_LENGTH = 1_000_000;

/** A larger number cannot be stored. */
const MAX_COUNT = 2_147_483_647;

const RunInput = Type.Object({
  body: Type.Optional(Nullable(Type.String({ maxLength: MAX_INPUT_LENGTH }))),
  contentType: Type.Optional(Nullable(Type.String({ maxLength: 200, pattern: '^[\\x20-\\x7e]*$' }))),
});
export type ActionRunInput = Static<typeof RunInput>;

const ActionOptions = Type.Object({
  build: Type.Optional(Nullable(PlainText({ minLength: 1, maxLength: 100 }))),
  timeoutSecs: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: MAX_TIMEOUT_SECS }))),
  memoryMbytes: Type.Optional(Nullable(Type.Integer({ description: 'A power of two from 128 to 32768' }))),
  restartOnError: Type.Optional(Nullable(Type.Boolean())),
  maxItems: Type.Optional(Nullable(Type.Integer({ maximum: MAX_COUNT }))),
  maxTotalChargeUsd: Type.Optional(Nullable(Type.Number({ maximum: MAX_COUNT }))),
});
export type ActionRunOptions = Static<typeof ActionOptions>;

export const SentAction = Type.Object(
  {
    id: Type.Optional(Nullable(Type.String({ description: 'Of an action that the schedule has' }))),
    type: OneOf(ACTION_TYPES),
    actorId: Type.Optional(
      Nullable(Type.String({ description: 'Of RUN_ACTOR: the id, `username~name`, or `~name`' })),
    ),
    runInput: Type.Optional(Nullable(RunInput)),
    runOptions: Type.Optional(Nullable(ActionOptions)),
    actorTaskId: Type.Optional(
      Nullable(Type.String({ description: 'Of RUN_ACTOR_TASK: the id, `username~name`, or `~name`' })),
    ),
    input: Type.Optional(
      Nullable(
        Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String()], {
          description:
            "Of RUN_ACTOR_TASK: overrides fields of the task's input; an object, or the JSON of one",
        }),
      ),
    ),
  },
  { $id: 'ScheduleActionCreate' },
);
export type SentAction = Static<typeof SentAction>;

const SHORT = {
  id: Type.String(),
  type: OneOf(ACTION_TYPES),
  actorId: Type.Optional(Type.String()),
  actorTaskId: Type.Optional(Type.String()),
};

export const ActionShort = Type.Object(SHORT, { $id: 'ScheduleActionShort' });

export const ShownAction = Type.Object(
  {
    ...SHORT,
    runInput: Type.Optional(Nullable(RunInput)),
    runOptions: Type.Optional(Nullable(ActionOptions)),
    input: Type.Optional(Nullable(Type.Record(Type.String(), Type.Unknown()))),
  },
  { $id: 'ScheduleAction' },
);

/** `input` is the opened one. */
export function toShownAction(
  { id, type, targetId, runOptions }: ScheduleAction,
  input: unknown,
): Static<typeof ShownAction> {
  if (type === 'RUN_ACTOR') return { id, type, actorId: targetId, runInput: input ?? null, runOptions };
  return { id, type, actorTaskId: targetId, input: (input ?? null) as Record<string, unknown> | null };
}

/** How the call that starts a run spells the options. */
export function toRunQuery(options: ActionRunOptions | null): RunQuery {
  const { build, timeoutSecs, memoryMbytes, restartOnError, maxItems, maxTotalChargeUsd } = options ?? {};
  return {
    ...(build != null && { build }),
    ...(timeoutSecs != null && { timeout: timeoutSecs }),
    ...(memoryMbytes != null && { memory: memoryMbytes }),
    ...(restartOnError != null && { restartOnError }),
    ...(maxItems != null && { maxItems }),
    ...(maxTotalChargeUsd != null && { maxTotalChargeUsd }),
  };
}

/** Throws unless every action names what it starts, and there are not too many. */
export function checkActions(actions: readonly SentAction[]): void {
  for (const type of ACTION_TYPES) {
    if (actions.filter((action) => action.type === type).length <= MAX_ACTIONS_OF_TYPE) continue;
    throw new Failure(
      'forbidden',
      `A schedule can have ${MAX_ACTIONS_OF_TYPE} actions of the type ${type}: use another schedule for the rest.`,
      { code: 'too-many-values' },
    );
  }
  for (const [index, { type, actorId, actorTaskId, runOptions }] of actions.entries()) {
    if (type === 'RUN_ACTOR' && (actorId == null || actorId === ''))
      throw problem(`actions.${index}.actorId`, 'is required for RUN_ACTOR');
    if (type === 'RUN_ACTOR_TASK' && (actorTaskId == null || actorTaskId === ''))
      throw problem(`actions.${index}.actorTaskId`, 'is required for RUN_ACTOR_TASK');
    if (runOptions != null) checkRunOptions(runOptions, `actions.${index}.runOptions`);
  }
}

function checkRunOptions(options: ActionRunOptions, field: string): void {
  const { memoryMbytes } = options;
  if (memoryMbytes != null) checkMemorySize(`${field}.memoryMbytes`, memoryMbytes);
  checkRunBudget(options, `${field}.`);
}
