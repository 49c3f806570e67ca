// Schedules: their fields, and how the API shows them.
import { Failure } from '../../kernel/failure.ts';
import type { Initiator } from '../../kernel/identity/identity.ts';
import { Nullable, OneOf, PlainText, Type, type Static } from '../../kernel/schema/schema.ts';
import { ActionShort, SentAction, ShownAction, type ScheduleAction } from './action.ts';

export interface Schedule {
  id: string;
  userId: string;
  name: string;
  title: string | null;
  description: string | null;
  cronExpression: string;
  timezone: string;
  isEnabled: boolean;
  isExclusive: boolean;
  sendsEmail: boolean;
  /** Who created it or changed it last: its runs have their permissions. */
  initiator: Initiator;
  /** The moment that fires next, or that is firing now; null while it is disabled. */
  nextRunAt: number | null;
  lastRunAt: number | null;
  createdAt: number;
  modifiedAt: number;
}

/** The fields that a create or an update sets. */
export type ScheduleFields = Omit<Schedule, 'id' | 'userId' | 'createdAt' | 'modifiedAt' | 'lastRunAt'>;

/** Schedules of one account. */
export const MAX_SCHEDULES = 100;
/** Lines in the log of one schedule. */
export const MAX_LOG_LINES = 1000;

export const SCHEDULE_LOG_LEVELS = ['INFO', 'WARNING', 'ERROR'] as const;
export type ScheduleLogLevel = (typeof SCHEDULE_LOG_LEVELS)[number];

export interface LogLine {
  level: ScheduleLogLevel;
  message: string;
  createdAt: number;
}

/** The body of a create and of an update: what is absent gets its default, or stays as it is. */
export const SentSchedule = Type.Object(
  {
    name: Type.Optional(
      Nullable(Type.String({ description: '3 to 63 letters and digits, with hyphens only inside' })),
    ),
    title: Type.Optional(Nullable(PlainText({ maxLength: 200 }))),
    description: Type.Optional(Nullable(PlainText({ maxLength: 10_000 }))),
    cronExpression: Type.Optional(
      Nullable(
        Type.String({
          description:
            'Five fields, or six with seconds in front, or `@yearly`, `@monthly`, `@weekly`, `@daily`, `@hourly`. It must not fire more often than every ten seconds.',
        }),
      ),
    ),
    timezone: Type.Optional(
      Nullable(Type.String({ description: 'A name of the IANA database, such as `Europe/Prague`' })),
    ),
    isEnabled: Type.Optional(Nullable(Type.Boolean())),
    isExclusive: Type.Optional(
      Nullable(
        Type.Boolean({
          description: 'An action whose latest run has not finished is left out when it fires',
        }),
      ),
    ),
    notifications: Type.Optional(Nullable(Type.Object({ email: Type.Optional(Nullable(Type.Boolean())) }))),
    actions: Type.Optional(
      Nullable(
        Type.Array(SentAction, {
          description: 'Replaces all actions. Those that come with the id of an existing one keep it.',
          maxItems: 1000,
        }),
      ),
    ),
  },
  { $id: 'ScheduleCreate' },
);
export type SentSchedule = Static<typeof SentSchedule>;

const DateTime = Type.String({ format: 'date-time' });

const COMMON = {
  id: Type.String(),
  userId: Type.String(),
  name: Type.String(),
  title: Nullable(Type.String()),
  cronExpression: Type.String(),
  timezone: Type.String(),
  isEnabled: Type.Boolean(),
  isExclusive: Type.Boolean(),
  createdAt: DateTime,
  modifiedAt: DateTime,
  nextRunAt: Nullable(DateTime),
  lastRunAt: Nullable(DateTime),
};

export const ShownSchedule = Type.Object(
  {
    ...COMMON,
    description: Nullable(Type.String()),
    notifications: Type.Object({ email: Type.Boolean() }),
    actions: Type.Array(ShownAction),
  },
  { $id: 'Schedule' },
);

export const ScheduleShort = Type.Object(
  { ...COMMON, actions: Type.Array(ActionShort) },
  { $id: 'ScheduleShort' },
);

export const ShownLogLine = Type.Object(
  { message: Type.String(), level: OneOf(SCHEDULE_LOG_LEVELS), createdAt: DateTime },
  { $id: 'ScheduleInvoked' },
);

export function toShownSchedule(
  schedule: Schedule,
  actions: Static<typeof ShownAction>[],
): Static<typeof ShownSchedule> {
  const { description, sendsEmail } = schedule;
  return { ...commonOf(schedule), description, notifications: { email: sendsEmail }, actions };
}

export function toScheduleShort(
  schedule: Schedule,
  actions: readonly ScheduleAction[],
): Static<typeof ScheduleShort> {
  return {
    ...commonOf(schedule),
    actions: actions.map(({ id, type, targetId }) =>
      type === 'RUN_ACTOR' ? { id, type, actorId: targetId } : { id, type, actorTaskId: targetId },
    ),
  };
}

function commonOf(schedule: Schedule) {
  const { id, userId, name, title, cronExpression, timezone, isEnabled, isExclusive } = schedule;
  return {
    id,
    userId,
    name,
    title,
    cronExpression,
    timezone,
    isEnabled,
    isExclusive,
    createdAt: new Date(schedule.createdAt).toISOString(),
    modifiedAt: new Date(schedule.modifiedAt).toISOString(),
    nextRunAt: isoOf(schedule.nextRunAt),
    lastRunAt: isoOf(schedule.lastRunAt),
  };
}

function isoOf(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

export function toShownLogLine({ message, level, createdAt }: LogLine): Static<typeof ShownLogLine> {
  return { message, level, createdAt: new Date(createdAt).toISOString() };
}

export const MAX_SCHEDULE_NAME_LENGTH = 63;

export function checkScheduleName(name: string): void {
  if (/^[a-zA-Z0-9][a-zA-Z0-9-]{1,61}[a-zA-Z0-9]$/.test(name)) return;
  throw new Failure('invalid', 'name must have 3 to 63 letters and digits, with hyphens only inside', {
    code: 'schema-validation',
  });
}

export function scheduleNameTaken(name: string): Failure {
  return new Failure('conflict', `You have another schedule of the name "${name}", in this case or another`, {
    code: 'schedule-name-not-unique',
  });
}

export function scheduleNotFound(): Failure {
  return new Failure('not-found', 'Schedule was not found');
}
